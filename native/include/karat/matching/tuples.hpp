// The tuples of one graph as sorted sets, and the plain count of what a mapping matches.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "karat/matching/input.hpp"

namespace karat::matching {

// Kind, loop or not, and value in one integer that sorts.
using Key = std::uint64_t;

inline Key key_of(Id kind, bool loop, Id value) {
    return (static_cast<Key>(kind) << 33) | (static_cast<Key>(loop) << 32) | static_cast<std::uint32_t>(value);
}
inline Id kind_of(Key key) { return static_cast<Id>(key >> 33); }

struct NodeTuple {
    Key key;
    Id node;
    bool operator<(const NodeTuple &o) const { return std::tie(key, node) < std::tie(o.key, o.node); }
    bool operator==(const NodeTuple &o) const { return key == o.key && node == o.node; }
};

struct EdgeTuple {
    Key key;
    Id source, target;
    bool operator<(const EdgeTuple &o) const {
        return std::tie(key, source, target) < std::tie(o.key, o.source, o.target);
    }
    bool operator==(const EdgeTuple &o) const {
        return key == o.key && source == o.source && target == o.target;
    }
};

// Self-loops are features of their node: a loop can only match a loop.
class Tuples {
  public:
    std::vector<NodeTuple> nodes;
    std::vector<EdgeTuple> edges;

    void assign(const Side &side) {
        nodes.clear(), edges.clear();
        for (const Feature &f : side.features) nodes.push_back({key_of(f.kind, false, f.value), f.node});
        for (const Edge &e : side.edges) {
            if (e.source == e.target) {
                nodes.push_back({key_of(e.kind, true, e.value), e.source});
            } else {
                edges.push_back({key_of(e.kind, false, e.value), e.source, e.target});
            }
        }
        sort_unique(nodes);
        sort_unique(edges);
    }

    // Adds the number of tuples of each kind.
    void count(Value *kinds) const {
        for (const NodeTuple &t : nodes) ++kinds[kind_of(t.key)];
        for (const EdgeTuple &t : edges) ++kinds[kind_of(t.key)];
    }

  private:
    template <class T>
    static void sort_unique(std::vector<T> &tuples) {
        std::sort(tuples.begin(), tuples.end());
        tuples.erase(std::unique(tuples.begin(), tuples.end()), tuples.end());
    }
};

// Adds, for each kind, the number of gold tuples that the mapping carries onto system tuples.
inline void count_matches(const Tuples &gold, const Tuples &system, const Id *mapping, Value *kinds) {
    for (const NodeTuple &t : gold.nodes) {
        const Id j = mapping[t.node];
        if (j >= 0 && std::binary_search(system.nodes.begin(), system.nodes.end(), NodeTuple{t.key, j})) {
            ++kinds[kind_of(t.key)];
        }
    }
    for (const EdgeTuple &t : gold.edges) {
        const EdgeTuple image{t.key, mapping[t.source], mapping[t.target]};
        if (image.source < 0 || image.target < 0) continue;
        if (std::binary_search(system.edges.begin(), system.edges.end(), image)) ++kinds[kind_of(t.key)];
    }
}

// Calls visit(key, gold first, gold last, system first, system last) for each key on both sides.
template <class T, class Visit>
void join(const std::vector<T> &gold, const std::vector<T> &system, Visit visit) {
    std::size_t g = 0, s = 0;
    const auto run = [](const std::vector<T> &side, std::size_t at) {
        const Key key = side[at].key;
        while (at < side.size() && side[at].key == key) ++at;
        return at;
    };
    while (g < gold.size() && s < system.size()) {
        if (gold[g].key < system[s].key) {
            ++g;
        } else if (system[s].key < gold[g].key) {
            ++s;
        } else {
            const std::size_t g_end = run(gold, g), s_end = run(system, s);
            visit(gold[g].key, &gold[g], &gold[0] + g_end, &system[s], &system[0] + s_end);
            g = g_end, s = s_end;
        }
    }
}

}  // namespace karat::matching
