// The search of mtool, step for step, for comparison with figures published with it.
//
// Depth first over the gold nodes with a limit on tentative pairings. What is
// maximised is not quite what is reported: two nodes without label agree on that, a
// gold loop matches any edge at the partner, and constraints are held only against
// nodes that were paired before. Nothing here proves anything; see solver.hpp.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "karat/matching/problem.hpp"

namespace karat::matching {

// The kinds of tuples that the search tells apart.
namespace search_kind {
constexpr Id top = 0, label = 1, property = 2, anchor = 3, edge = 4, attribute = 5, unlabelled = 6;
}

struct SearchResult {
    std::vector<Id> mapping;
    Value steps = 0;
};

class MtoolSearch {
  public:
    // `overlap` has a row of system nodes for each gold node, or nothing; `start` may
    // replace the initial pairs, with one partner or -1 for each gold node.
    SearchResult run(const Pair &pair, Span<Id> overlap, Span<Id> start, Value limit) {
        prepare(pair, overlap);
        initial_pairs(start);
        SearchResult result{initial_, 0};
        if (limit > 0) descend(limit, result);
        return result;
    }

  private:
    static constexpr Id none = -1;

    // -- what nodes have in common ---------------------------------------------

    struct Local {
        Id label = none;
        bool top = false;
        std::vector<Id> properties;  // sorted, each once
    };

    static std::vector<Local> locals(const Side &side) {
        std::vector<Local> result(static_cast<std::size_t>(side.nodes));
        for (const Feature &f : side.features) {
            Local &local = result[static_cast<std::size_t>(f.node)];
            if (f.kind == search_kind::top) local.top = true;
            if (f.kind == search_kind::label) local.label = f.value;
            if (f.kind == search_kind::property) local.properties.push_back(f.value);
        }
        for (Local &local : result) {
            auto &own = local.properties;
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
        }
        return result;
    }

    void prepare(const Pair &pair, Span<Id> overlap) {
        gold_ = pair.gold.nodes, system_ = pair.system.nodes;
        mode_ = pair.mode;
        if (mode_ == Mode::dominated) domination_.assign(pair);
        const std::size_t size = cell(gold_, 0);
        matches_.assign(size, 0), reward_.assign(size, 0), overlap_.assign(size, 0), potential_.assign(size, 0);
        const std::vector<Local> ours = locals(pair.gold), theirs = locals(pair.system);
        for (Id i = 0; i < gold_; ++i) {
            const Local &g = ours[static_cast<std::size_t>(i)];
            for (Id j = 0; j < system_; ++j) {
                compare(g, theirs[static_cast<std::size_t>(j)], matches_[cell(i, j)], reward_[cell(i, j)]);
                if (overlap.size) {
                    overlap_[cell(i, j)] = overlap[static_cast<std::size_t>(i) * static_cast<std::size_t>(system_) +
                                                   static_cast<std::size_t>(j)];
                }
            }
            reward_[cell(i, none)] = -Value{g.top} - (g.label != none) - static_cast<Value>(g.properties.size());
        }
        for (const Edge &g : pair.gold.edges) {
            for (const Edge &s : pair.system.edges) {
                if (g.kind != search_kind::edge || s.kind != search_kind::edge || g.value != s.value) continue;
                ++potential_[cell(g.source, s.source)];
                ++potential_[cell(g.target, s.target)];
            }
        }
        collect_links(pair);
    }

    static void compare(const Local &g, const Local &s, Value &matches, Value &reward) {
        Value same = 0, other = 0;
        ++(g.top == s.top ? same : other);
        if (g.label != none) {
            if (g.label == s.label) {
                ++same;
            } else {
                other += 1 + (s.label != none);
            }
        }
        std::vector<Id> shared;
        std::set_intersection(g.properties.begin(), g.properties.end(), s.properties.begin(), s.properties.end(),
                              std::back_inserter(shared));
        same += static_cast<Value>(shared.size());
        other += static_cast<Value>(g.properties.size() + s.properties.size() - 2 * shared.size());
        matches = same, reward = same - other;
    }

    // Column `none` is the last one.
    std::size_t cell(Id i, Id j) const {
        return static_cast<std::size_t>(i) * (static_cast<std::size_t>(system_) + 1) +
               static_cast<std::size_t>(j == none ? system_ : j);
    }

    Value order_value(Id i, Id j) const {
        const std::size_t c = cell(i, j);
        return 1000 * reward_[c] + 10 * overlap_[c] + potential_[c];
    }

    // -- initial pairs ----------------------------------------------------------

    void initial_pairs(Span<Id> start) {
        initial_.assign(static_cast<std::size_t>(gold_), none);
        order_.clear();
        if (mode_ == Mode::ordered) {
            align();
        } else {
            take_greedily();
        }
        if (start.size && !std::equal(start.begin(), start.end(), initial_.begin())) {
            initial_.assign(start.begin(), start.end());
            order_.clear();
        }
        if (order_.empty()) {
            for (Id i = 0; i < gold_; ++i) order_.push_back(i);
        }
    }

    void take_greedily() {
        struct Choice {
            Value reward, overlap, potential;
            Id i, j;
        };
        std::vector<Choice> choices;
        for (Id i = 0; i < gold_; ++i) {
            for (Id j = 0; j <= system_; ++j) {
                const std::size_t c = cell(i, j == system_ ? none : j);
                choices.push_back({reward_[c], overlap_[c], potential_[c], i, j == system_ ? none : j});
            }
        }
        std::stable_sort(choices.begin(), choices.end(), [](const Choice &a, const Choice &b) {
            return std::tie(a.reward, a.overlap, a.potential) > std::tie(b.reward, b.overlap, b.potential);
        });
        std::vector<bool> gold_used(static_cast<std::size_t>(gold_)), system_used(static_cast<std::size_t>(system_));
        for (const Choice &choice : choices) {
            if (gold_used[static_cast<std::size_t>(choice.i)]) continue;
            if (choice.j != none && system_used[static_cast<std::size_t>(choice.j)]) continue;
            gold_used[static_cast<std::size_t>(choice.i)] = true;
            if (choice.j != none) system_used[static_cast<std::size_t>(choice.j)] = true;
            initial_[static_cast<std::size_t>(choice.i)] = choice.j;
            order_.push_back(choice.i);
        }
    }

    void align() {
        const auto width = static_cast<std::size_t>(system_) + 1;
        std::vector<Value> best((static_cast<std::size_t>(gold_) + 1) * width, 0);
        const auto at = [&](Id i, Id j) -> Value & {
            return best[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j)];
        };
        for (Id i = 1; i <= gold_; ++i) {
            for (Id j = 1; j <= system_; ++j) {
                at(i, j) = std::max({at(i - 1, j), at(i, j - 1), at(i - 1, j - 1) + matches_[cell(i - 1, j - 1)]});
            }
        }
        for (Id i = gold_, j = system_; i > 0 && j > 0;) {
            if (at(i, j) == at(i - 1, j)) {
                --i;
            } else if (at(i, j) == at(i, j - 1)) {
                --j;
            } else {
                --i, --j;
                initial_[static_cast<std::size_t>(i)] = j;
            }
        }
    }

    // -- links: gold tuples and the system tuples they may still match ------------

    struct Ends {
        Id source, target;  // target none: a feature
    };
    struct GoldLink {
        Ends ends;
        std::size_t begin, alive;  // candidates
    };

    void collect_links(const Pair &pair) {
        std::map<std::pair<Id, Id>, std::vector<Ends>> theirs;
        const auto each = [](const Side &side, auto visit) {
            std::vector<std::tuple<Id, Id, Id, Id>> seen;
            for (const Feature &f : side.features) seen.emplace_back(f.kind, f.value, f.node, none);
            for (const Edge &e : side.edges) seen.emplace_back(e.kind, e.value, e.source, e.target);
            std::sort(seen.begin(), seen.end());
            seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
            for (const auto &[kind, value, source, target] : seen) {
                visit(std::make_pair(kind, value), Ends{source, target});
            }
        };
        each(pair.system, [&](std::pair<Id, Id> key, Ends ends) { theirs[key].push_back(ends); });
        links_.clear(), candidates_.clear();
        touching_.assign(static_cast<std::size_t>(gold_), {});
        each(pair.gold, [&](std::pair<Id, Id> key, Ends ends) {
            const auto found = theirs.find(key);
            if (found == theirs.end()) return;
            const std::size_t number = links_.size();
            links_.push_back({ends, candidates_.size(), found->second.size()});
            candidates_.insert(candidates_.end(), found->second.begin(), found->second.end());
            touching_[static_cast<std::size_t>(ends.source)].push_back(number);
            if (ends.target != none && ends.target != ends.source) {
                touching_[static_cast<std::size_t>(ends.target)].push_back(number);
            }
        });
        living_ = links_.size();
        remaining_ = candidates_.size();
        trail_.clear();
    }

    struct Mark {
        std::size_t link, alive;
    };

    void pair_up(Id i, Id j) {
        for (const std::size_t number : touching_[static_cast<std::size_t>(i)]) {
            GoldLink &link = links_[number];
            if (link.alive == 0) continue;
            const auto first = candidates_.begin() + static_cast<std::ptrdiff_t>(link.begin);
            const auto last = first + static_cast<std::ptrdiff_t>(link.alive);
            const auto middle = j == none ? first : std::stable_partition(first, last, [&](const Ends &ends) {
                return (link.ends.source == i && ends.source == j) || (link.ends.target == i && ends.target == j);
            });
            const auto left = static_cast<std::size_t>(middle - first);
            if (left == link.alive) continue;
            trail_.push_back({number, link.alive});
            remaining_ -= link.alive - left;
            living_ -= left == 0;
            link.alive = left;
        }
    }

    void undo(std::size_t mark) {
        while (trail_.size() > mark) {
            GoldLink &link = links_[trail_.back().link];
            living_ += link.alive == 0;
            remaining_ += trail_.back().alive - link.alive;
            link.alive = trail_.back().alive;
            trail_.pop_back();
        }
    }

    // -- the search ---------------------------------------------------------------

    // One level: the gold node, what may be its partner, and how far it got.
    struct Level {
        std::vector<Id> choices;  // partners in order; those after `listed` are `none` added at the end
        std::size_t next = 0, mark = 0;
    };

    std::vector<Id> sorted_choices(Id i, std::vector<Id> free) const {
        const bool bilexical = mode_ == Mode::ordered;
        std::sort(free.begin(), free.end(), [&](Id a, Id b) {
            if (bilexical && std::abs(a - i) != std::abs(b - i)) return std::abs(a - i) < std::abs(b - i);
            const Value x = order_value(i, a), y = order_value(i, b);
            return x != y ? x > y : a < b;
        });
        const Id partner = initial_[static_cast<std::size_t>(i)];
        const auto found = std::find(free.begin(), free.end(), partner);
        if (partner == none) {
            free.insert(free.begin(), none);
        } else if (found != free.end()) {
            std::rotate(free.begin(), found, found + 1);
        }
        return free;
    }

    bool allowed(std::size_t depth, Id i, Id j) const {
        if (j == none || depth == 0) return true;
        if (mode_ == Mode::dominated && !domination_.allows(i, j)) return false;
        for (std::size_t d = 0; d < depth; ++d) {
            const Id k = order_[d], l = assigned_[static_cast<std::size_t>(k)];
            if (l == none) continue;
            if (mode_ == Mode::ordered && (k < i) != (l < j)) return false;
            if (mode_ == Mode::dominated && domination_.gold_below(i, k) && !domination_.system_below(j, l)) return false;
        }
        return true;
    }

    void descend(Value limit, SearchResult &result) {
        assigned_.assign(static_cast<std::size_t>(gold_), none);
        std::size_t best = 0, most = 0;
        bool found = false;
        std::vector<Id> all;
        for (Id j = 0; j < system_; ++j) all.push_back(j);
        std::vector<Level> levels;
        const auto open = [&](std::vector<Id> free) {
            if (levels.size() == order_.size()) {
                best = living_;
                if (!found || remaining_ > most) most = remaining_, result.mapping = assigned_, found = true;
                return false;
            }
            levels.push_back({sorted_choices(order_[levels.size()], std::move(free)), 0, trail_.size()});
            return true;
        };
        open(all);
        while (!levels.empty() && result.steps <= limit) {
            Level &level = levels.back();
            const std::size_t depth = levels.size() - 1;
            const Id i = order_[depth];
            undo(level.mark);
            assigned_[static_cast<std::size_t>(i)] = none;
            if (level.next > level.choices.size()) {
                levels.pop_back();
                continue;
            }
            const std::size_t choice = level.next++;
            const bool last = choice == level.choices.size();
            const Id j = last ? none : level.choices[choice];
            if (!allowed(depth, i, j)) continue;
            ++result.steps;
            if (result.steps > limit) break;
            assigned_[static_cast<std::size_t>(i)] = j;
            pair_up(i, j);
            if (living_ <= best) continue;
            std::vector<Id> rest = level.choices;
            if (!last) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(choice));
            open(std::move(rest));
        }
    }

    Id gold_ = 0, system_ = 0;
    Mode mode_ = Mode::free;
    Domination domination_;
    std::vector<Value> matches_, reward_, overlap_, potential_;
    std::vector<Id> initial_, order_, assigned_;
    std::vector<GoldLink> links_;
    std::vector<Ends> candidates_;
    std::vector<std::vector<std::size_t>> touching_;
    std::vector<Mark> trail_;
    std::size_t living_ = 0, remaining_ = 0;
};

}  // namespace karat::matching
