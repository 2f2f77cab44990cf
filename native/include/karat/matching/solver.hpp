// One pair of graphs from start to end: build, bound, search, settle ties, certify.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "karat/matching/builder.hpp"
#include "karat/matching/climb.hpp"
#include "karat/matching/refinement.hpp"
#include "karat/matching/renumbering.hpp"
#include "karat/matching/search.hpp"
#include "karat/matching/sifting.hpp"

namespace karat::matching {

// Bounds are integers in units of 1 / fixed_point of a match. See docs/matching.md, sections 2 and 10.
constexpr Value fixed_point = 4096;

struct Effort {
    Value budget;      // elementary operations for value and bound
    Value tie_budget;  // for choosing among mappings of equal value; 0: any of them
};

// Hill climbing in place of a proof.
struct Climb {
    Id restarts;         // random starts after the first, which pairs what is alike
    std::uint64_t seed;  // of all random choices, for each pair anew
};

struct Solution {
    std::vector<Id> mapping;  // system node or -1 for each gold node
    Value value = 0;          // what the mapping earns
    Value bound = 0;          // no mapping earns more
    bool settled = false;     // no mapping of equal value is preferred by the ranks
    Value work = 0;           // elementary operations spent
    // One multiplier for each possible edge match, in order; none when an even
    // split already gives the bound.
    std::vector<Value> certificate;

    bool proven() const { return value == bound; }
};

struct Verdict {
    bool valid = false;  // mapping and certificate have the right form
    Value value = 0, bound = 0;
};

// Any number of pairs, one after the other, in the same memory.
class Solver {
  public:
    Solution solve(const Pair &pair, const Kinds &kinds, const Effort &effort, Budget::Tick tick = nullptr,
                   void *context = nullptr) {
        Budget budget(effort.budget, tick, context);
        read(pair);
        Solution solution;
        if (large(pair, kinds)) {
            solve_large(pair, kinds, effort, budget, solution);
            return solution;
        }
        const Value slack = build(pair, kinds.weight.data, problem_);
        closing_.set_scale(fixed_point);
        closing_.build(problem_, nullptr, ceiling(kinds) - slack);
        Found found;
        const bool free = pair.mode == Mode::free;
        if (closing_.run(1, found, free ? first_effort : root_effort, budget) || !free || budget.exhausted()) {
            certify(solution);
            conclude(pair, kinds, effort, slack, found, budget, solution);
        } else {
            solve_hard(pair, kinds, effort, found, budget, solution);
        }
        return solution;
    }

    // The best of a few climbs, with the bound that an even split of edge matches gives: no more
    // climbs where one reaches it. For pairs without constraints.
    Solution climb(const Pair &pair, const Kinds &kinds, const Climb &how, Value limit, Budget::Tick tick = nullptr,
                   void *context = nullptr) {
        Budget budget(limit, tick, context);
        const Value slack = prepare(pair, kinds);
        closing_.set_scale(fixed_point);
        closing_.build(problem_);
        const Value bound = std::min(closing_.first_bound(budget), ceiling(kinds) - slack);
        Random random(how.seed, 0);
        Climber climber(problem_);
        Found best;
        for (Id start = 0; start <= how.restarts && best.value < bound; ++start) {
            climber.start(random, start == 0, budget);
            climber.climb(budget);
            if (!best.any || climber.value() > best.value) best = {true, climber.value(), climber.chosen()};
            if (budget.exhausted()) break;
        }
        Solution solution;
        finish(pair, kinds, best, std::max(bound, best.value), slack, budget, solution);
        return solution;
    }

    // Recomputes value and bound from mapping and multipliers alone; nothing is searched.
    Verdict check(const Pair &pair, const Kinds &kinds, Span<Id> mapping, Span<Value> certificate) {
        Verdict verdict;
        if (mapping.size != static_cast<std::size_t>(pair.gold.nodes) || !legal(pair, mapping)) return verdict;
        read(pair);
        verdict.bound = ceiling(kinds);
        if (large(pair, kinds)) {
            verdict.valid = check_core(certificate, verdict.bound);
        } else {
            verdict.valid = check_links(pair, kinds, certificate, verdict.bound);
        }
        if (!verdict.valid) return {};
        verdict.value = value_of(std::vector<Id>(mapping.begin(), mapping.end()), kinds);
        return verdict;
    }

    // Tuples of the last pair, for counting.
    const Tuples &gold() const { return gold_; }
    const Tuples &system() const { return system_; }

  private:
    // See docs/matching.md, section 10.
    static constexpr Closing::Effort first_effort{100, 0.005}, root_effort{600, 0.005};
    static constexpr Closing::Shaking constrained_shaking{200, 4}, shaking{1'000'000, 5};
    static constexpr Value largest_explicit = Value{1} << 18;
    static constexpr Closing::Effort first_sift{100, 0.005, 1, 0, fixed_point / 2},
        later_sift{60, 0.005, 0.3, 10, fixed_point / 2};
    static constexpr std::size_t most_survivors = std::size_t{1} << 19;
    static constexpr Value dearest = Value{1} << 40;
    static constexpr Value core_mark = -1;

    // From the first bound on: search, ties, result. closing_ has run on problem_.
    void conclude(const Pair &pair, const Kinds &kinds, const Effort &effort, Value slack, Found &found,
                  Budget &budget, Solution &solution) {
        bool closed = closing_.closed(found.need(1));
        if (!closed) closed = closing_.shake(1, found, problem_.constrained() ? constrained_shaking : shaking, budget);
        Value bound = closing_.bound();
        if (!closed) bound = std::min(bound, branch(found, budget));
        bound = std::max(bound, found.value);
        solution.settled = effort.tie_budget > 0 && found.value == bound && slack == 0;
        if (solution.settled) {
            Budget rest(effort.tie_budget, budget);
            solution.settled = settle(pair, kinds, found, rest, [&](const Value *weights, Problem &problem) {
                build(pair, weights, problem);
            });
            budget.spend(rest.spent());
        }
        finish(pair, kinds, found, bound, slack, budget, solution);
    }

    // Where the first steps leave a gap, the search begins anew on nodes in an order that does not
    // depend on how they were numbered, so that neither does what it finds.
    void solve_hard(const Pair &pair, const Kinds &kinds, const Effort &effort, const Found &first, Budget &budget,
                    Solution &solution) {
        std::vector<Id> first_mapping;
        read_mapping(pair, first, first_mapping);
        incidence_.assign(pair, gold_, system_, kinds.weight.data);
        order_.find(incidence_, budget);
        renumbering_.assign(pair, order_.gold, order_.system);
        const Pair &ordered = renumbering_.pair();
        read(ordered);
        const Value slack = build(ordered, kinds.weight.data, problem_);
        incidence_.assign(ordered, gold_, system_, kinds.weight.data);
        closing_.build(problem_, nullptr, ceiling(kinds) - slack);
        Found found;
        closing_.start(seeds_.find(incidence_, budget), 1, found, budget);
        closing_.run(1, found, root_effort, budget);
        if (closing_.moved()) solution.certificate = renumbering_.original_multipliers(problem_, closing_.multipliers());
        conclude(ordered, kinds, effort, slack, found, budget, solution);
        solution.mapping = renumbering_.original_mapping(solution.mapping);
        read(pair);
        if (value_of(first_mapping, kinds) > solution.value) {
            solution.mapping = first_mapping;
            solution.value = value_of(first_mapping, kinds);
        }
    }

    // Pairs whose possible matches are too many to hold. See docs/matching.md, section 9.
    void solve_large(const Pair &pair, const Kinds &kinds, const Effort &effort, Budget &budget, Solution &solution) {
        const Value top = ceiling(kinds);
        std::vector<Id> mapping = seeds_.find(incidence_, budget);
        Value value = value_of(mapping, kinds);
        if (value < top) {
            order_.find(incidence_, budget);
            renumbering_.assign(pair, order_.gold, order_.system);
            const Pair &ordered = renumbering_.pair();
            read(ordered);
            incidence_.assign(ordered, gold_, system_, kinds.weight.data);
            mapping = seeds_.find(incidence_, budget);
            sift(ordered, kinds, effort, top, mapping, budget, solution);
            mapping = renumbering_.original_mapping(mapping);
            read(pair);
            value = value_of(mapping, kinds);
        } else {
            solution.bound = top;
            solution.settled = effort.tie_budget > 0;
        }
        solution.mapping = std::move(mapping);
        solution.value = value;
        solution.work = budget.spent();
    }

    // Bounds a growing core of candidates until no other matters; what a gap leaves over is searched.
    void sift(const Pair &pair, const Kinds &kinds, const Effort &effort, Value top, std::vector<Id> &mapping,
              Budget &budget, Solution &solution) {
        solution.bound = top;
        sifting_.build(incidence_, fixed_point);
        if (sifting_.pass() > budget.left() / 8) return;
        closing_.set_scale(fixed_point);
        std::vector<Code> codes = sifting_.first_core(mapping, budget);
        Core core;
        for (bool first = true;; first = false) {
            build_on(incidence_, codes, problem_);
            if (!first) core.multipliers = Sifting::carry(core.problem, core.multipliers, problem_, fixed_point);
            closing_.build(problem_, first ? nullptr : &core.multipliers, top);
            Found found;
            closing_.start(mapping, 1, found, budget);
            closing_.run(1, found, first ? first_sift : later_sift, budget);
            adopt(pair, found, mapping, kinds);
            core.multipliers = closing_.multipliers();
            std::tie(core.profit, core.column) = closing_.prices(budget);
            std::swap(core.problem, problem_);
            core.priced = sifting_.price(core.problem, core.profit, core.column, budget);
            const Value value = value_of(mapping, kinds);
            if (core.priced.bound / fixed_point < solution.bound) {
                solution.bound = std::max(core.priced.bound / fixed_point, value);
                certify_core(core, solution);
            }
            if (solution.bound <= value || budget.exhausted()) break;
            if (core.priced.violating.empty()) {
                search_survivors(pair, kinds, core, mapping, budget, solution);
                break;
            }
            codes.insert(codes.end(), core.priced.violating.begin(), core.priced.violating.end());
            sifting_.add_mapping(mapping, codes);
        }
        if (solution.bound > value_of(mapping, kinds) || effort.tie_budget == 0) return;
        Budget rest(effort.tie_budget, budget);
        solution.settled = settle_large(pair, kinds, core, mapping, rest);
        budget.spend(rest.spent());
    }

    // The candidates that were bounded, and what the bound says about all others.
    struct Core {
        Problem problem;
        std::vector<Value> multipliers, profit, column;
        Sifting::Priced priced;
    };

    // Makes problem_ of all candidates that a mapping worth `need` can hold, and the multipliers that go with it.
    bool keep_survivors(const Core &core, Value need, std::vector<Value> &multipliers, Budget &budget) {
        std::vector<Code> codes;
        if (!sifting_.survivors(core.problem, core.profit, core.column, core.priced, need * fixed_point, most_survivors,
                                codes, budget)) {
            return false;
        }
        build_on(incidence_, codes, problem_);
        multipliers = Sifting::carry(core.problem, core.multipliers, problem_, fixed_point);
        return true;
    }

    void search_survivors(const Pair &pair, const Kinds &kinds, const Core &core, std::vector<Id> &mapping,
                          Budget &budget, Solution &solution) {
        const Value asked = value_of(mapping, kinds) + 1;
        Part part;
        if (!keep_survivors(core, asked, part.multipliers, budget)) return;
        Twins::find(problem_);
        part.problem = problem_;
        for (Id c = 0; c < problem_.candidates(); ++c) part.origin.push_back(c);
        Found better;
        const Value bound = BranchAndBound(fixed_point, budget).search(std::move(part), asked, better);
        if (better.any) adopt(pair, better, mapping, kinds);
        solution.bound = std::max(value_of(mapping, kinds), std::min(solution.bound, bound));
    }

    bool settle_large(const Pair &pair, const Kinds &kinds, const Core &core, std::vector<Id> &mapping, Budget &budget) {
        std::vector<Value> multipliers;
        if (!keep_survivors(core, value_of(mapping, kinds), multipliers, budget)) return false;
        closing_.build(problem_, &multipliers);
        Found found;
        closing_.start(mapping, 0, found, budget);
        if (found.value < value_of(mapping, kinds)) return false;
        closing_.run(found.value, found, {0, 0}, budget);
        std::vector<Code> codes(problem_.row_of.size());
        for (std::size_t c = 0; c < codes.size(); ++c) {
            codes[c] = static_cast<Code>(problem_.row_of[c]) * static_cast<Code>(problem_.cols) +
                       static_cast<Code>(problem_.col_of[c]);
        }
        const bool settled = settle(pair, kinds, found, budget, [&](const Value *weights, Problem &problem) {
            Incidence incidence;
            incidence.assign(pair, gold_, system_, weights);
            build_on(incidence, codes, problem);
        });
        read_mapping(pair, found, mapping);
        return settled;
    }

    // Takes over what was found on problem_ if it is better.
    void adopt(const Pair &pair, const Found &found, std::vector<Id> &mapping, const Kinds &kinds) const {
        std::vector<Id> other;
        read_mapping(pair, found, other);
        if (value_of(other, kinds) > value_of(mapping, kinds)) mapping = other;
    }

    // See check_core.
    void certify_core(const Core &core, Solution &solution) const {
        std::vector<Code> codes = renumbering_.original_codes(core.problem);
        std::sort(codes.begin(), codes.end());
        std::vector<Value> &numbers = solution.certificate;
        numbers.assign({core_mark, static_cast<Value>(codes.size())});
        for (const Code code : codes) numbers.push_back(static_cast<Value>(code));
        const auto halves = renumbering_.original_multipliers(core.problem, core.multipliers);
        numbers.insert(numbers.end(), halves.begin(), halves.end());
        const auto prices = renumbering_.original_columns(core.column);
        numbers.insert(numbers.end(), prices.begin(), prices.end());
    }

    // Pairs that are large have certificates that say which candidates were bounded: a mark, their
    // number, their codes in order, one multiplier for each link among them, and the price of each
    // system node. Without one, the counts of keys are the bound.
    bool check_core(Span<Value> certificate, Value &bound) {
        if (certificate.size == 0) return true;
        if (certificate.size < 2 || certificate[0] != core_mark) return false;
        const auto cols = static_cast<std::size_t>(incidence_.system.nodes);
        const auto cells = static_cast<Value>(cols) * incidence_.gold.nodes;
        const Value count = certificate[1];
        if (count < 0 || static_cast<std::size_t>(count) > certificate.size - 2) return false;
        std::vector<Code> codes;
        for (Value at = 0; at < count; ++at) {
            const Value code = certificate[static_cast<std::size_t>(at) + 2];
            if (code < 0 || code >= cells || (at > 0 && static_cast<Code>(code) <= codes.back())) return false;
            codes.push_back(static_cast<Code>(code));
        }
        build_on(incidence_, codes, problem_);
        const std::size_t first = codes.size() + 2, links = problem_.slot_other.size() / 2;
        if (certificate.size != first + links + cols) return false;
        std::vector<Value> multipliers, column(certificate.data + first + links, certificate.end());
        if (!expand({certificate.data + first, links}, multipliers)) return false;
        for (const Value price : column) {
            if (price < 0 || price > dearest) return false;
        }
        Budget unlimited(std::numeric_limits<Value>::max());
        Dual dual;
        dual.build(problem_, fixed_point, &multipliers);
        sifting_.build(incidence_, fixed_point);
        bound = std::min(
            bound, sifting_.price(problem_, dual.refresh(unlimited), column, unlimited).bound / fixed_point);
        return true;
    }

    void finish(const Pair &pair, const Kinds &kinds, const Found &found, Value bound, Value slack,
                const Budget &budget, Solution &solution) {
        read_mapping(pair, found, solution.mapping);
        if (slack > 0) complete(pair, solution.mapping);
        solution.value = value_of(solution.mapping, kinds);
        solution.bound = bound + slack;
        solution.work = budget.spent();
    }

    void read(const Pair &pair) {
        gold_.assign(pair.gold);
        system_.assign(pair.system);
        if (pair.mode == Mode::dominated) domination_.assign(pair);
    }

    Value prepare(const Pair &pair, const Kinds &kinds) {
        read(pair);
        return build(pair, kinds.weight.data, problem_);
    }

    bool large(const Pair &pair, const Kinds &kinds) {
        const auto product = [](std::size_t a, std::size_t b) { return static_cast<double>(a) * static_cast<double>(b); };
        const double most = product(gold_.nodes.size(), system_.nodes.size()) +
                            product(gold_.edges.size(), system_.edges.size());
        if (pair.mode != Mode::free || most <= static_cast<double>(largest_explicit)) return false;
        incidence_.assign(pair, gold_, system_, kinds.weight.data);
        return incidence_.products > largest_explicit;
    }

    Value build(const Pair &pair, const Value *weights, Problem &problem) {
        return builder_.build(pair, gold_, system_, weights,
                              pair.mode == Mode::dominated ? &domination_ : nullptr, problem);
    }

    // Of each key no more can match than the side that has fewer.
    Value ceiling(const Kinds &kinds) {
        most_.assign(kinds.size(), 0);
        const auto fewer = [&](Key key, auto g, auto g_end, auto s, auto s_end) {
            most_[kind_of(key)] += std::min(g_end - g, s_end - s);
        };
        join(gold_.nodes, system_.nodes, fewer);
        join(gold_.edges, system_.edges, fewer);
        return worth(most_, kinds);
    }

    static Value worth(const std::vector<Value> &matches, const Kinds &kinds) {
        Value value = 0;
        for (std::size_t k = 0; k < kinds.size(); ++k) value += kinds.weight[k] * matches[k];
        return value;
    }

    // The rest of the way where the first bound leaves a gap.
    Value branch(Found &found, Budget &budget) {
        if (budget.exhausted()) return closing_.bound();
        if (!problem_.constrained()) Twins::find(problem_);
        const Value asked = found.value + 1;
        Part rest = restrict_to(problem_, closing_.multipliers(), closing_.survivors(asked, budget));
        Found better;
        const Value bound = BranchAndBound(fixed_point, budget).search(std::move(rest), asked, better);
        if (better.any) found = better;
        return bound;
    }

    void certify(Solution &solution) const {
        if (!closing_.moved()) return;
        for (Id s = 0; s < problem_.slots(); ++s) {
            if (s < problem_.slot_mate[s]) solution.certificate.push_back(closing_.multipliers()[s]);
        }
    }

    bool check_links(const Pair &pair, const Kinds &kinds, Span<Value> certificate, Value &bound) {
        const Value slack = build(pair, kinds.weight.data, problem_);
        std::vector<Value> multipliers;
        if (!expand(certificate, multipliers)) return false;
        Budget unlimited(std::numeric_limits<Value>::max());
        Dual dual;
        dual.build(problem_, fixed_point, certificate.size ? &multipliers : nullptr);
        bound = std::min(bound, dual.bound(unlimited) / fixed_point + slack);
        return true;
    }

    bool expand(Span<Value> certificate, std::vector<Value> &multipliers) const {
        if (certificate.size == 0) return true;
        if (2 * certificate.size != problem_.slot_other.size()) return false;
        multipliers.resize(problem_.slots());
        std::size_t at = 0;
        for (Id s = 0; s < problem_.slots(); ++s) {
            const Id mate = problem_.slot_mate[s];
            if (s > mate) continue;
            const Value whole = problem_.slot_weight[s] * fixed_point, half = certificate[at++];
            if (half < 0 || half > whole) return false;
            multipliers[s] = half, multipliers[mate] = whole - half;
        }
        return true;
    }

    // Among mappings of the proven value, one that matches most tuples of rank
    // 1, then 2 ...: exact, by weights in which each rank outweighs all lower ones.
    // `build_with` builds the problem on the same candidates with other weights.
    template <class Build>
    bool settle(const Pair &pair, const Kinds &kinds, Found &found, Budget &budget, Build build_with) {
        if (matches_most(pair, kinds, found)) return true;
        const std::vector<Id> list = closing_.survivors(found.value, budget);
        if (unique(list)) return true;
        std::vector<Value> folded;
        Value scale = 1;
        const bool exact = fold(kinds, folded, scale);
        Problem preferred;
        build_with(folded.data(), preferred);
        if (preferred.candidates() != problem_.candidates()) return false;
        std::vector<Value> multipliers(problem_.slots());
        for (Id s = 0; s < problem_.slots(); ++s) {
            const Id mate = problem_.slot_mate[s];
            if (s > mate) continue;
            const Value whole = preferred.slot_weight[s] * scale;
            const double share = static_cast<double>(closing_.multipliers()[s]) /
                                 static_cast<double>(problem_.slot_weight[s] * fixed_point);
            multipliers[s] = std::min(whole, static_cast<Value>(static_cast<double>(whole) * share));
            multipliers[mate] = whole - multipliers[s];
        }
        if (!preferred.constrained()) Twins::find(preferred);
        Value value = 0;
        for (std::size_t a = 0; a < found.chosen.size(); ++a) {
            value += preferred.reward[found.chosen[a]];
            for (std::size_t b = 0; b < a; ++b) value += preferred.pair_weight(found.chosen[a], found.chosen[b]);
        }
        Found better;
        const Value bound = BranchAndBound(scale, budget)
                                .search(restrict_to(preferred, multipliers, list), value + 1, better);
        if (better.any) found.chosen = better.chosen;
        return exact && bound <= (better.any ? better.value : value);
    }

    // No mapping can match more of any kind that has a rank.
    bool matches_most(const Pair &pair, const Kinds &kinds, const Found &found) const {
        std::vector<Id> mapping;
        read_mapping(pair, found, mapping);
        std::vector<Value> matches(kinds.size(), 0);
        count_matches(gold_, system_, mapping.data(), matches.data());
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (kinds.rank[k] > 0 && matches[k] < most_[k]) return false;
        }
        return true;
    }

    // Candidates that do not exclude each other leave nothing to choose.
    bool unique(const std::vector<Id> &list) const {
        std::vector<char> row(problem_.rows, 0), col(problem_.cols, 0);
        for (std::size_t a = 0; a < list.size(); ++a) {
            if (row[problem_.row_of[list[a]]]++ || col[problem_.col_of[list[a]]]++) return false;
            if (!problem_.constrained()) continue;
            for (std::size_t b = 0; b < a; ++b) {
                if (!problem_.compatible(list[a], list[b])) return false;
            }
        }
        return true;
    }

    // Weights that rank. False when the numbers would grow too large and the last ranks are left out.
    bool fold(const Kinds &kinds, std::vector<Value> &folded, Value &scale) const {
        Value total = 1;
        std::vector<std::pair<Id, Value>> ranks;  // rank, one more than its matches
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            const Value most = most_[k];
            total += most * kinds.weight[k];
            if (kinds.rank[k] == 0 || most == 0) continue;
            auto at = std::find_if(ranks.begin(), ranks.end(), [&](auto &r) { return r.first == kinds.rank[k]; });
            if (at == ranks.end()) {
                ranks.push_back({kinds.rank[k], most + 1});
            } else {
                at->second += most;
            }
        }
        std::sort(ranks.begin(), ranks.end());
        const Value limit = (Value{1} << 52) / total;  // doubles hold such numbers; docs/matching.md, section 6
        Value unit = 1;
        std::size_t used = 0;
        while (used < ranks.size() && unit <= limit / ranks[used].second) unit *= ranks[used++].second;
        folded.assign(kinds.size(), 0);
        Value step = unit;
        std::vector<Value> worth(ranks.size(), 0);
        for (std::size_t r = 0; r < used; ++r) step /= ranks[r].second, worth[r] = step;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (kinds.weight[k] == 0) continue;
            folded[k] = kinds.weight[k] * unit;
            for (std::size_t r = 0; r < used; ++r) {
                if (ranks[r].first == kinds.rank[k]) folded[k] += worth[r];
            }
        }
        scale = std::max<Value>(1, fixed_point / unit);
        return used == ranks.size();
    }

    // Pairs that match nothing are left out.
    void read_mapping(const Pair &pair, const Found &found, std::vector<Id> &mapping) const {
        mapping.assign(pair.gold.nodes, -1);
        std::vector<char> chosen(problem_.candidates(), 0);
        for (const Id c : found.chosen) chosen[c] = 1;
        for (const Id c : found.chosen) {
            bool earns = problem_.reward[c] > 0;
            for (Id s = problem_.slot_begin[c]; s < problem_.slot_begin[c + 1] && !earns; ++s) {
                earns = chosen[problem_.slot_other[s]];
            }
            if (earns) mapping[problem_.row_of[c]] = problem_.col_of[c];
        }
    }

    // Keys too frequent for the problem still pair what is left over, where that is easy to do.
    void complete(const Pair &pair, std::vector<Id> &mapping) const {
        if (pair.mode == Mode::dominated) return;
        std::vector<char> taken(pair.system.nodes, 0);
        for (const Id j : mapping) {
            if (j >= 0) taken[j] = 1;
        }
        const bool ordered = pair.mode == Mode::ordered;
        std::vector<Id> next(pair.gold.nodes + 1, pair.system.nodes);  // the next partner, when ordered
        join(gold_.nodes, system_.nodes, [&](Key, auto g, auto g_end, auto s, auto s_end) {
            if (!builder_.left_out(g_end - g, s_end - s)) return;
            for (Id i = pair.gold.nodes; ordered && i-- > 0;) next[i] = mapping[i] >= 0 ? mapping[i] : next[i + 1];
            Id seen = 0, last = -1;
            for (; g != g_end; ++g) {
                for (; ordered && seen < g->node; ++seen) last = std::max(last, mapping[seen]);
                if (mapping[g->node] >= 0) continue;
                while (s != s_end && (taken[s->node] || s->node < last)) ++s;
                if (s == s_end) return;
                if (s->node >= next[g->node]) continue;
                mapping[g->node] = s->node, taken[s->node] = 1;
            }
        });
    }

    bool legal(const Pair &pair, Span<Id> mapping) {
        if (pair.mode == Mode::dominated) domination_.assign(pair);
        std::vector<char> taken(pair.system.nodes, 0);
        Id last = -1;
        for (std::size_t i = 0; i < mapping.size; ++i) {
            const Id j = mapping[i];
            if (j == -1) continue;
            if (j < 0 || j >= pair.system.nodes || taken[j]++) return false;
            if (pair.mode == Mode::ordered && j < last) return false;
            last = j;
            if (pair.mode != Mode::dominated) continue;
            if (!domination_.allows(static_cast<Id>(i), j)) return false;
            for (std::size_t k = 0; k < i; ++k) {
                if (mapping[k] >= 0 && !domination_.allows(static_cast<Id>(i), j, static_cast<Id>(k), mapping[k])) {
                    return false;
                }
            }
        }
        return true;
    }

    Value value_of(const std::vector<Id> &mapping, const Kinds &kinds) const {
        std::vector<Value> matches(kinds.size(), 0);
        count_matches(gold_, system_, mapping.data(), matches.data());
        return worth(matches, kinds);
    }

    Tuples gold_, system_;
    std::vector<Value> most_;  // matches of each kind at most
    Domination domination_;
    Builder builder_;
    Problem problem_;
    Closing closing_{fixed_point};
    Incidence incidence_;
    CanonicalOrder order_;
    Seeds seeds_;
    Sifting sifting_;
    Renumbering renumbering_;
};

}  // namespace karat::matching
