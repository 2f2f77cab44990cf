// The tuples of both graphs by node, reduced to what can match: keys that both
// sides have and that have a weight. See docs/matching.md, section 9.
#pragma once

#include <algorithm>
#include <vector>

#include "karat/matching/tuples.hpp"

namespace karat::matching {

// Lists of T, one after the other.
template <class T>
struct Lists {
    std::vector<std::size_t> begin;
    std::vector<T> items;

    Span<T> operator[](Id list) const {
        const auto at = static_cast<std::size_t>(list);
        return {items.data() + begin[at], begin[at + 1] - begin[at]};
    }

    // Sorts pairs (list, item) into lists; items keep the order of the pairs.
    template <class Pairs>
    void fill(Id lists, const Pairs &pairs) {
        begin.assign(static_cast<std::size_t>(lists) + 1, 0);
        for (const auto &pair : pairs) ++begin[static_cast<std::size_t>(pair.first) + 1];
        for (std::size_t at = 1; at < begin.size(); ++at) begin[at] += begin[at - 1];
        items.resize(pairs.size());
        next_.assign(begin.begin(), begin.end() - 1);
        for (const auto &pair : pairs) items[next_[static_cast<std::size_t>(pair.first)]++] = pair.second;
    }

  private:
    std::vector<std::size_t> next_;
};

// One end of an edge: which edge key at which of its ends (2 * key + end), and the node at the other.
struct Half {
    Id key, other;
    bool operator<(const Half &o) const { return key != o.key ? key < o.key : other < o.other; }
};

struct Incidence {
    struct Side {
        Id nodes = 0;
        Lists<Id> features;  // of each node, keys in order
        Lists<Half> halves;  // of each node, in order
    };

    Side gold, system;
    std::vector<Value> feature_weight, half_weight;  // of each key
    Value products = 0;  // pairs of tuples that could match

    void assign(const Pair &pair, const Tuples &gold_tuples, const Tuples &system_tuples, const Value *weights) {
        products = 0;
        feature_weight.clear(), half_weight.clear();
        std::vector<std::pair<Id, Id>> features[2];
        std::vector<std::pair<Id, Half>> halves[2];
        join(gold_tuples.nodes, system_tuples.nodes, [&](Key key, auto g, auto g_end, auto s, auto s_end) {
            const Value weight = weights[kind_of(key)];
            if (weight == 0) return;
            const auto number = static_cast<Id>(feature_weight.size());
            feature_weight.push_back(weight);
            products += static_cast<Value>(g_end - g) * (s_end - s);
            for (; g != g_end; ++g) features[0].push_back({g->node, number});
            for (; s != s_end; ++s) features[1].push_back({s->node, number});
        });
        join(gold_tuples.edges, system_tuples.edges, [&](Key key, auto g, auto g_end, auto s, auto s_end) {
            const Value weight = weights[kind_of(key)];
            if (weight == 0) return;
            const auto number = static_cast<Id>(half_weight.size());
            half_weight.push_back(weight), half_weight.push_back(weight);
            products += static_cast<Value>(g_end - g) * (s_end - s);
            const auto add = [&](auto &list, auto from, auto to) {
                for (; from != to; ++from) {
                    list.push_back({from->source, {number, from->target}});
                    list.push_back({from->target, {number + 1, from->source}});
                }
            };
            add(halves[0], g, g_end), add(halves[1], s, s_end);
        });
        gold.nodes = pair.gold.nodes, system.nodes = pair.system.nodes;
        Side *const sides[2] = {&gold, &system};
        for (int side = 0; side < 2; ++side) {
            sides[side]->features.fill(sides[side]->nodes, features[side]);
            sides[side]->halves.fill(sides[side]->nodes, halves[side]);
            for (Id node = 0; node < sides[side]->nodes; ++node) {
                const auto at = sides[side]->halves.items.begin();
                std::sort(at + static_cast<std::ptrdiff_t>(sides[side]->halves.begin[node]),
                          at + static_cast<std::ptrdiff_t>(sides[side]->halves.begin[node + 1]));
            }
        }
    }
};

// Calls visit(key, gold first, gold last, system first, system last) for each key of both lists of halves.
template <class Visit>
void join_halves(Span<Half> gold, Span<Half> system, Visit visit) {
    const Half *g = gold.begin(), *s = system.begin();
    while (g != gold.end() && s != system.end()) {
        if (g->key < s->key) {
            ++g;
        } else if (s->key < g->key) {
            ++s;
        } else {
            const Half *g_end = g, *s_end = s;
            const Id key = g->key;
            while (g_end != gold.end() && g_end->key == key) ++g_end;
            while (s_end != system.end() && s_end->key == key) ++s_end;
            visit(key, g, g_end, s, s_end);
            g = g_end, s = s_end;
        }
    }
}

}  // namespace karat::matching
