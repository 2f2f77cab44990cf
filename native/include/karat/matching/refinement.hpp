// Colour refinement (Weisfeiler and Leman 1968): nodes whose surroundings look
// alike, to ever greater distance, share a colour. It gives an order of the nodes
// that does not depend on how they were numbered, and a first mapping that is the
// isomorphism where one graph is the other renumbered. Colours are hashes: two
// that collide by chance cost quality, never correctness. See docs/matching.md, section 8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "karat/matching/incidence.hpp"
#include "karat/matching/problem.hpp"

namespace karat::matching {

using Colour = std::uint64_t;

inline Colour mixed(Colour a, Colour b) {
    Colour z = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// The nodes of each side in an order that does not depend on their numbers, nor
// on those of kinds and values: names are known by where they occur only. Nodes
// that refinement cannot tell apart are told apart one at a time, each time
// followed by refinement; such nodes are hardly ever not symmetric. Where the
// work allowed ends first, numbers decide.
class CanonicalOrder {
  public:
    std::vector<Id> gold, system;  // the node at each place

    void find(const Incidence &incidence, Budget &budget) {
        incidence_ = &incidence;
        nodes_ = incidence.gold.nodes + incidence.system.nodes;
        colour_.resize(static_cast<std::size_t>(nodes_));
        for (Id v = 0; v < nodes_; ++v) colour_[v] = v < incidence.gold.nodes ? 1 : 2;
        feature_.assign(incidence.feature_weight.begin(), incidence.feature_weight.end());
        edge_.resize(incidence.half_weight.size() / 2);
        for (std::size_t k = 0; k < edge_.size(); ++k) edge_[k] = static_cast<Colour>(incidence.half_weight[2 * k]);
        for (Value left = most_work; left > 0;) {
            const Value start = budget.spent();
            refine(budget);
            left -= budget.spent() - start;
            const Id tied = first_tied();
            if (tied < 0) break;
            colour_[tied] = mixed(colour_[tied], 3);
        }
        sort_side(gold, 0, incidence.gold.nodes);
        sort_side(system, incidence.gold.nodes, nodes_);
    }

  private:
    // See docs/matching.md, section 10.
    static constexpr Value most_work = Value{1} << 26;

    void refine(Budget &budget) {
        std::size_t before = 0;
        for (;;) {
            sorted_ = colour_;
            std::sort(sorted_.begin(), sorted_.end());
            const auto distinct =
                static_cast<std::size_t>(std::unique(sorted_.begin(), sorted_.end()) - sorted_.begin());
            if (distinct <= before || distinct == colour_.size()) return;
            before = distinct;
            round();
            budget.spend(static_cast<Value>(8 * colour_.size() + feature_total() + 2 * half_total()));
        }
    }

    void round() {
        feature_sum_.assign(feature_.size(), 0);
        edge_sum_.assign(edge_.size(), 0);
        next_ = colour_;
        const auto side = [&](const Incidence::Side &of, Id first) {
            for (Id node = 0; node < of.nodes; ++node) {
                const Id v = first + node;
                Colour sum = 0;
                for (const Id key : of.features[node]) {
                    sum += mixed(4, feature_[key]);
                    feature_sum_[key] += mixed(5, colour_[v]);
                }
                for (const Half &half : of.halves[node]) {
                    const Colour other = colour_[first + half.other];
                    sum += mixed(mixed(6 + half.key % 2, edge_[half.key / 2]), other);
                    if (half.key % 2 == 0) edge_sum_[half.key / 2] += mixed(mixed(8, colour_[v]), other);
                }
                next_[v] = mixed(colour_[v], sum);
            }
        };
        side(incidence_->gold, 0);
        side(incidence_->system, incidence_->gold.nodes);
        colour_.swap(next_);
        for (std::size_t k = 0; k < feature_.size(); ++k) feature_[k] = mixed(feature_[k], feature_sum_[k]);
        for (std::size_t k = 0; k < edge_.size(); ++k) edge_[k] = mixed(edge_[k], edge_sum_[k]);
    }

    // A node of the least colour that several have, or -1.
    Id first_tied() {
        by_colour_.resize(colour_.size());
        for (Id v = 0; v < nodes_; ++v) by_colour_[v] = {colour_[v], v};
        std::sort(by_colour_.begin(), by_colour_.end());
        for (std::size_t at = 1; at < by_colour_.size(); ++at) {
            if (by_colour_[at].first == by_colour_[at - 1].first) return by_colour_[at - 1].second;
        }
        return -1;
    }

    void sort_side(std::vector<Id> &order, Id first, Id last) const {
        order.resize(static_cast<std::size_t>(last - first));
        for (Id v = first; v < last; ++v) order[v - first] = v - first;
        std::sort(order.begin(), order.end(), [&](Id a, Id b) {
            const Colour x = colour_[first + a], y = colour_[first + b];
            return x != y ? x < y : a < b;
        });
    }

    std::size_t feature_total() const {
        return incidence_->gold.features.items.size() + incidence_->system.features.items.size();
    }
    std::size_t half_total() const {
        return incidence_->gold.halves.items.size() + incidence_->system.halves.items.size();
    }

    const Incidence *incidence_ = nullptr;
    Id nodes_ = 0;
    std::vector<Colour> colour_, next_, sorted_, feature_, edge_, feature_sum_, edge_sum_;
    std::vector<std::pair<Colour, Id>> by_colour_;
};

// A first mapping. Nodes whose surroundings agree far out are paired first, where
// there is one such node on either side; pairs grow along edges; where several
// nodes agree, the first are paired and grown from before the next are looked at.
class Seeds {
  public:
    // The system node of each gold node, or -1.
    const std::vector<Id> &find(const Incidence &incidence, Budget &budget) {
        incidence_ = &incidence;
        gold_.assign(static_cast<std::size_t>(incidence.gold.nodes), -1);
        system_.assign(static_cast<std::size_t>(incidence.system.nodes), -1);
        colour(budget);
        pairs_.clear();
        for (std::size_t level = levels_.size(); level-- > 0;) {
            grow_again(level);
            pair_classes(level, true);
        }
        for (std::size_t level = levels_.size(); level-- > 0;) pair_classes(level, false);
        any_colour_ = true;
        grow_again(0);
        const auto nodes = static_cast<Value>(gold_.size() + system_.size());
        const auto halves = static_cast<Value>(incidence.gold.halves.items.size());
        budget.spend(static_cast<Value>(levels_.size()) * (24 * nodes + 8 * halves));
        return gold_;
    }

  private:
    // See docs/matching.md, section 10.
    static constexpr std::size_t most_levels = 24;

    void colour(Budget &budget) {
        const Id nodes = incidence_->gold.nodes + incidence_->system.nodes;
        const auto count = static_cast<std::size_t>(nodes);
        std::vector<Colour> now(count, 1), sorted;
        levels_.clear();
        any_colour_ = false;
        const auto side = [&](const Incidence::Side &of, Id first, std::vector<Colour> &next) {
            for (Id node = 0; node < of.nodes; ++node) {
                Colour sum = 0;
                if (levels_.empty()) {
                    for (const Id key : of.features[node]) sum += mixed(2, static_cast<Colour>(key));
                } else {
                    for (const Half &half : of.halves[node]) {
                        sum += mixed(mixed(3, static_cast<Colour>(half.key)), now[first + half.other]);
                    }
                }
                next[first + node] = mixed(now[first + node], sum);
            }
        };
        std::size_t before = 0;
        while (levels_.size() < most_levels) {
            std::vector<Colour> next(count);
            side(incidence_->gold, 0, next);
            side(incidence_->system, incidence_->gold.nodes, next);
            sorted = next;
            std::sort(sorted.begin(), sorted.end());
            const auto distinct =
                static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
            if (distinct <= before) break;
            before = distinct;
            levels_.push_back(next);
            now.swap(next);
            budget.spend(static_cast<Value>(8 * count + incidence_->gold.halves.items.size() +
                                            incidence_->system.halves.items.size()));
        }
    }

    Colour of_gold(std::size_t level, Id i) const { return levels_[level][i]; }
    Colour of_system(std::size_t level, Id j) const { return levels_[level][incidence_->gold.nodes + j]; }

    void pair_up(Id i, Id j) {
        gold_[i] = j, system_[j] = i;
        pairs_.push_back(i);
    }

    // Pairs what has the same colour: all of it, or where only one of either side is left.
    void pair_classes(std::size_t level, bool unique) {
        std::vector<std::pair<Colour, Id>> left[2];
        for (Id i = 0; i < incidence_->gold.nodes; ++i) {
            if (gold_[i] < 0) left[0].push_back({of_gold(level, i), i});
        }
        for (Id j = 0; j < incidence_->system.nodes; ++j) {
            if (system_[j] < 0) left[1].push_back({of_system(level, j), j});
        }
        // Classes in the order of their first gold nodes, not of their hashes, which depend on names.
        std::sort(left[1].begin(), left[1].end());
        std::vector<std::pair<Colour, Id>> gold_sorted = left[0];
        std::sort(gold_sorted.begin(), gold_sorted.end());
        std::vector<Id> skipped(left[1].size(), 0);  // at the first of a class: those known to be paired
        const auto of_colour = [](const std::vector<std::pair<Colour, Id>> &list, Colour colour) {
            return std::lower_bound(list.begin(), list.end(), std::pair<Colour, Id>{colour, 0});
        };
        for (const auto &entry : left[0]) {
            const Colour colour = entry.first;
            const Id i = entry.second;
            if (gold_[i] >= 0) continue;
            auto s = of_colour(left[1], colour);
            if (s == left[1].end() || s->first != colour) continue;
            if (unique) {
                const auto lone = [&](auto at, auto end) { return at + 1 == end || (at + 1)->first != colour; };
                if (!lone(of_colour(gold_sorted, colour), gold_sorted.end()) || !lone(s, left[1].end())) continue;
            }
            Id &skip = skipped[static_cast<std::size_t>(s - left[1].begin())];
            for (s += skip; s != left[1].end() && s->first == colour && system_[s->second] >= 0; ++s) ++skip;
            if (s == left[1].end() || s->first != colour) continue;
            pair_up(i, s->second);
            if (!unique) grow(level);
        }
        if (unique) grow(level);
    }

    // From all pairs, also those that were grown from at another level.
    void grow_again(std::size_t level) {
        grown_ = 0;
        grow(level);
    }

    void grow(std::size_t level) {
        for (; grown_ < pairs_.size(); ++grown_) {
            const Id i = pairs_[grown_], j = gold_[i];
            join_halves(incidence_->gold.halves[i], incidence_->system.halves[j],
                        [&](Id, const Half *g, const Half *g_end, const Half *s, const Half *s_end) {
                            list_free(g, g_end, gold_, level, 0, free_gold_);
                            if (free_gold_.empty()) return;
                            list_free(s, s_end, system_, level, incidence_->gold.nodes, free_system_);
                            pair_free();
                        });
        }
    }

    // The unpaired nodes at the other ends, by colour.
    void list_free(const Half *half, const Half *end, const std::vector<Id> &partner, std::size_t level, Id first,
                   std::vector<std::pair<Colour, Id>> &list) const {
        list.clear();
        for (; half != end; ++half) {
            if (partner[half->other] >= 0) continue;
            list.push_back({any_colour_ ? 0 : levels_[level][first + half->other], half->other});
        }
        std::sort(list.begin(), list.end());
    }

    void pair_free() {
        const std::size_t before = pairs_.size();
        auto s = free_system_.begin();
        for (const auto &[colour, i] : free_gold_) {
            while (s != free_system_.end() && s->first < colour) ++s;
            if (s == free_system_.end()) break;
            if (s->first == colour) pair_up(i, (s++)->second);
        }
        std::sort(pairs_.begin() + static_cast<std::ptrdiff_t>(before), pairs_.end());
    }

    const Incidence *incidence_ = nullptr;
    bool any_colour_ = false;
    std::size_t grown_ = 0;
    std::vector<std::vector<Colour>> levels_;
    std::vector<Id> gold_, system_, pairs_;
    std::vector<std::pair<Colour, Id>> free_gold_, free_system_;
};

}  // namespace karat::matching
