// Closes the gap between the best mapping and the bound: subgradient steps first,
// then ruling out candidates, components, and branch and bound.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "karat/matching/ascent.hpp"
#include "karat/matching/dual.hpp"
#include "karat/matching/subproblem.hpp"

namespace karat::matching {

// The best mapping seen that is worth at least what was asked for.
struct Found {
    bool any = false;
    Value value = 0;
    std::vector<Id> chosen;  // candidates

    // What a further mapping must be worth to be of interest.
    Value need(Value asked) const { return any ? std::max(asked, value + 1) : asked; }
};

// Subgradient steps and local search on one problem. Memory is kept between problems.
class Closing {
  public:
    struct Effort {
        int steps;            // subgradient steps at most
        double least_factor;  // ends when the step factor has fallen below this
        double first_factor = 1;
        int first_look = 0;   // the step at which mappings are looked for first
        Value margin = 0;     // ends when the bound lies below what is needed by this much, scaled
    };

    // At most so many turns, and one part in `share` of the budget that is left.
    struct Shaking {
        int turns;
        Value share;
    };

    explicit Closing(Value scale) : scale_(scale) {}
    void set_scale(Value scale) { scale_ = scale; }

    // `ceiling`: a bound known beforehand.
    void build(const Problem &problem, const std::vector<Value> *multipliers = nullptr,
               Value ceiling = std::numeric_limits<Value>::max()) {
        problem_ = &problem, ceiling_ = ceiling;
        dual_.build(problem, scale_, multipliers);
        ascent_.build(problem);
        best_bound_ = std::numeric_limits<Value>::max();
        moved_ = false, looks_ = 0;
    }

    // The bound at the multipliers given.
    Value first_bound(Budget &budget) { return dual_.bound(budget) / scale_; }

    // Begins with a mapping, given as the column of each row or -1.
    void start(const std::vector<Id> &mapping, Value asked, Found &found, Budget &budget) {
        ascent_.adopt([&](Id row) { return mapping[row] < 0 ? -1 : problem_->find(row, mapping[row]); }, budget);
        record(asked, found);
    }

    // True when nothing in the problem is worth found.need(asked) or more.
    bool run(Value asked, Found &found, const Effort &effort, Budget &budget) {
        double factor = effort.first_factor;
        int failures = 0;
        Value for_bound = 0, for_mappings = 0;
        for (int step = 0;; ++step) {
            const Value start = budget.spent();
            const Value bound = dual_.bound(budget);
            if (bound < best_bound_) {
                best_bound_ = bound, best_multipliers_ = dual_.multipliers(), moved_ = moved_ || step > 0;
                failures = 0;
            } else if (++failures >= patience) {
                failures = 0, factor *= decay;
            }
            if (closed(found.need(asked), effort.margin)) return true;
            const Value middle = budget.spent();
            for_bound += middle - start;
            // Mappings get about as much work as bounds.
            if (step >= effort.first_look && for_mappings <= for_bound) {
                if (look(asked, found, bound, budget) && effort.margin == 0) return true;
                for_mappings += budget.spent() - middle;
            }
            if (step >= effort.steps || factor < effort.least_factor || budget.exhausted()) {
                return effort.steps > 0 && look(asked, found, bound, budget);
            }
            const Value rest = budget.spent();
            if (!dual_.step(factor, bound - (found.need(asked) - 1) * scale_, budget)) return false;
            for_bound += budget.spent() - rest;
        }
    }

    // Perturbs the best mapping again and again, within a share of what is left of the budget.
    bool shake(Value asked, Found &found, const Shaking &how, Budget &budget) {
        Random random(1, 0);
        if (problem_->candidates() == 0) return closed(found.need(asked));
        std::vector<Id> best(problem_->rows, -1);
        if (found.any) {
            for (const Id c : found.chosen) best[problem_->row_of[c]] = c;
        }
        const auto restore = [&](Id row) { return best[row]; };
        ascent_.adopt(restore, budget);
        Value value = ascent_.value();
        if (!problem_->constrained()) {
            return_to_best(budget);
            ascent_.set_charges([&](Id c) { return best_bound_ - dual_.through(c); });
        }
        const Value reserve = budget.left() - budget.left() / how.share;
        for (int turn = 0; turn < how.turns && budget.left() > reserve && !closed(found.need(asked)); ++turn) {
            if (problem_->constrained()) {
                ascent_.kick(random, 1 + turn % 4, budget);
            } else {
                ascent_.rebuild(random, 2 + static_cast<Id>(random.below(largest_region)), scale_, budget);
            }
            if (ascent_.value() > value) ascent_.improve_all(budget);
            value = std::max(value, ascent_.value());
            if (ascent_.value() >= value) {
                best = ascent_.chosen();
                record(asked, found);
            } else {
                ascent_.adopt(restore, budget);
            }
        }
        return closed(found.need(asked));
    }

    bool closed(Value need, Value margin = 0) const {
        return best_bound_ < need * scale_ - margin || ceiling_ < need;
    }
    // No mapping is worth more.
    Value bound() const { return std::min(best_bound_ / scale_, ceiling_); }
    // Whether the best bound needed other multipliers than those it was built with.
    bool moved() const { return moved_; }
    const std::vector<Value> &multipliers() const { return best_multipliers_; }

    // Profits of candidates and prices of columns at the best multipliers, in problems without order.
    std::pair<std::vector<Value>, std::vector<Value>> prices(Budget &budget) {
        return_to_best(budget);
        return {dual_.refresh(budget), dual_.column_prices()};
    }

    // The candidates that a mapping worth `need` can hold.
    std::vector<Id> survivors(Value need, Budget &budget) {
        return_to_best(budget);
        std::vector<Id> list;
        for (Id c = 0; c < problem_->candidates(); ++c) {
            const bool idle = problem_->reward[c] == 0 && problem_->slot_begin[c] == problem_->slot_begin[c + 1];
            if (!idle && dual_.through(c) >= need * scale_) list.push_back(c);
        }
        return list;
    }

    // The chosen candidate whose two halves agree least, to branch on.
    Id most_strained() {
        Id best = -1, fallback = -1;
        Value strain = 0, slots = -1;
        for (Id i = 0; i < problem_->rows; ++i) {
            Id c = dual_.chosen(i);
            if (c >= 0 && dual_.strain(i) > strain) strain = dual_.strain(i), best = c;
            if (c < 0) c = problem_->row_begin[i];
            const Value size = problem_->slot_begin[c + 1] - problem_->slot_begin[c];
            if (size > slots) slots = size, fallback = c;
        }
        return best >= 0 ? best : fallback;
    }

  private:
    // See docs/matching.md, sections 3, 4 and 10.
    static constexpr int patience = 5;
    static constexpr double decay = 0.7;
    static constexpr Id many_candidates = 5000;
    static constexpr std::uint32_t largest_region = 16;

    void return_to_best(Budget &budget) {
        if (dual_.multipliers() == best_multipliers_) return;
        dual_.build(*problem_, scale_, &best_multipliers_);
        dual_.bound(budget);
    }

    // Looks for mappings: the one that the dual chose, improved, and one grown
    // along its prices. Large problems have the two take turns.
    bool look(Value asked, Found &found, Value bound, Budget &budget) {
        ascent_.adopt([&](Id row) { return dual_.chosen(row); }, budget);
        record(asked, found);
        if (closed(found.need(asked))) return true;
        const bool large = problem_->candidates() > many_candidates, turn = looks_++ % 2 == 0;
        if (!large || !turn) {
            ascent_.improve(budget);
            record(asked, found);
            if (closed(found.need(asked))) return true;
        }
        if (!turn || budget.exhausted()) return false;
        ascent_.grow([&](Id c) { return bound - dual_.through(c); }, scale_, budget);
        ascent_.improve(budget);
        record(asked, found);
        return closed(found.need(asked));
    }

    void record(Value asked, Found &found) {
        if (ascent_.value() < found.need(asked)) return;
        found.any = true;
        found.value = ascent_.value();
        found.chosen.clear();
        for (const Id c : ascent_.chosen()) {
            if (c >= 0) found.chosen.push_back(c);
        }
    }

    Value scale_;
    const Problem *problem_ = nullptr;
    Dual dual_;
    Ascent ascent_;
    Value best_bound_ = 0, ceiling_ = 0;
    bool moved_ = false;
    unsigned looks_ = 0;
    std::vector<Value> best_multipliers_;
};

// Depth-first branch and bound. Each node either takes a candidate, which leaves
// a smaller problem of the same kind, or rules it out together with all
// candidates that are interchangeable with it.
class BranchAndBound {
  public:
    BranchAndBound(Value scale, Budget &budget) : scale_(scale), budget_(budget), probe_(scale) {}

    // Looks for a mapping worth `asked` or more. Returns a bound: nothing in the
    // part is worth more than that, or than asked - 1, or than what was found.
    Value search(Part part, Value asked, Found &found, int depth = 0) {
        Value open = asked - 1;
        for (;;) {
            const Value need = found.need(asked);
            if (part.problem.candidates() == 0) {
                if (need <= 0) found = {true, 0, {}};
                return open;
            }
            auto lists = components(part.problem);
            if (lists.size() > 1) return std::max(open, search_components(part, lists, asked, found, depth));
            Closing closing(scale_);
            closing.build(part.problem, &part.multipliers);
            Found here;
            const bool done = closing.run(need, here, depth == 0 ? first_effort : node_effort, budget_);
            adopt(part, here, -1, found);
            if (done) return open;
            const Value size = part.problem.candidates() + part.problem.slots();
            if (budget_.exhausted() || depth >= deepest || held_ + size > most_held) {
                return std::max(open, closing.bound());
            }
            const auto list = closing.survivors(found.need(asked), budget_);
            if (list.size() * 10 < static_cast<std::size_t>(part.problem.candidates()) * 9) {
                part = shrink(part, closing.multipliers(), list);
                continue;
            }
            const Id taken = closing.most_strained();
            const Value reward = part.problem.reward[taken];
            Found inside;
            held_ += size;
            const Value bound = search(with(part, closing.multipliers(), taken), found.need(asked) - reward, inside,
                                       depth + 1);
            held_ -= size;
            open = std::max(open, bound + reward);
            if (inside.any) {
                inside.value += reward;
                adopt(part, inside, taken, found);
            }
            part = shrink(part, closing.multipliers(), without(part.problem, taken));
        }
    }

  private:
    // See docs/matching.md, sections 5 and 10.
    static constexpr Closing::Effort first_effort{200, 0.02}, node_effort{40, 0.1};
    // Limits of stack and memory: levels, and candidates and slots on all levels.
    static constexpr int deepest = 400;
    static constexpr Value most_held = 4'000'000;

    // The candidates of `better` are numbered as in the part; what is found, as in the part's whole.
    static void adopt(const Part &part, const Found &better, Id taken, Found &found) {
        if (!better.any || (found.any && better.value <= found.value)) return;
        found.any = true;
        found.value = better.value;
        found.chosen.clear();
        for (const Id c : better.chosen) found.chosen.push_back(part.origin[c]);
        if (taken >= 0) found.chosen.push_back(part.origin[taken]);
    }

    Part shrink(const Part &part, const std::vector<Value> &multipliers, const std::vector<Id> &list) {
        Part smaller = restrict_to(part.problem, multipliers, list);
        budget_.spend(part.problem.candidates() + part.problem.slots());
        for (Id &c : smaller.origin) c = part.origin[c];
        return smaller;
    }

    // Its candidates refer to the part's own.
    Part with(const Part &part, const std::vector<Value> &multipliers, Id taken) {
        std::vector<Id> list;
        for (Id c = 0; c < part.problem.candidates(); ++c) {
            if (part.problem.compatible(c, taken)) list.push_back(c);
        }
        budget_.spend(part.problem.candidates() + part.problem.slots());
        return restrict_to(part.problem, multipliers, list, taken);
    }

    static std::vector<Id> without(const Problem &problem, Id taken) {
        std::vector<Id> list;
        const Id row = problem.row_of[taken], col = problem.col_of[taken];
        const auto twin = [](const std::vector<Id> &classes, Id a, Id b) {
            return a == b || (!classes.empty() && classes[a] == classes[b]);
        };
        for (Id c = 0; c < problem.candidates(); ++c) {
            const bool same = twin(problem.row_class, problem.row_of[c], row) &&
                              twin(problem.col_class, problem.col_of[c], col);
            if (!same) list.push_back(c);
        }
        return list;
    }

    // Each component must contribute at least what is needed beyond the bounds of all others.
    Value search_components(const Part &part, const std::vector<std::vector<Id>> &lists, Value asked, Found &found,
                            int depth) {
        const Value need = found.need(asked);
        std::vector<Part> parts;
        std::vector<Value> bounds;
        Found all;
        all.any = true;
        for (const auto &list : lists) {
            if (list.size() == 1) {
                all.value += part.problem.reward[list[0]];
                all.chosen.push_back(list[0]);
                continue;
            }
            parts.push_back(restrict_to(part.problem, part.multipliers, list));
            probe_.build(parts.back().problem, &parts.back().multipliers);
            bounds.push_back(probe_.first_bound(budget_));
        }
        Value total = all.value;
        for (const Value bound : bounds) total += bound;
        bool complete = true;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            if (total < need) return asked - 1;
            const Value asked_here = need - (total - bounds[k]);
            Found here;
            const Value bound = search(std::move(parts[k]), asked_here, here, depth);
            const Value best = here.any ? std::max(bound, here.value) : bound;
            total += best - bounds[k];
            bounds[k] = best;
            if (here.any) {
                all.value += here.value;
                for (const Id c : here.chosen) all.chosen.push_back(c);
            } else {
                complete = false;
            }
        }
        if (complete && all.value >= need) adopt(part, all, -1, found);
        return total;
    }

    Value scale_;
    Budget &budget_;
    Value held_ = 0;
    Closing probe_;
};

}  // namespace karat::matching
