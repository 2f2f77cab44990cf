// What is matched: two graphs as plain arrays.
//
// A node feature is (node, kind, value), an edge (source, target, kind, value).
// Two features match when kind and value agree and their nodes are paired; two
// edges when kind and value agree and both ends are paired, source with source.
// The kind says how much a match is worth; values are arbitrary integers.
// Sets, not lists: what is given twice on one side counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace karat::matching {

using Id = std::int32_t;
using Value = std::int64_t;

template <class T>
struct Span {
    const T *data = nullptr;
    std::size_t size = 0;
    const T *begin() const { return data; }
    const T *end() const { return data + size; }
    const T &operator[](std::size_t i) const { return data[i]; }
};

struct Feature {
    Id node, kind, value;
};

struct Edge {
    Id source, target, kind, value;
};

// The tuples of one graph, while they are being made.
struct TupleLists {
    Id nodes = 0;
    std::vector<Feature> features;
    std::vector<Edge> edges;

    void clear() { nodes = 0, features.clear(), edges.clear(); }
};

// `lower` lies below `upper`; the caller gives the transitive closure.
struct Below {
    Id upper, lower;
};

struct Side {
    Id nodes = 0;
    Span<Feature> features;
    Span<Edge> edges;
    Span<Below> below;
};

enum class Mode : Id {
    free = 0,
    ordered = 1,    // i < i' both paired implies j < j'
    dominated = 2,  // i' below another i, both paired, implies j' below j; leaves pair with leaves only
};

struct Pair {
    Side gold, system;
    Mode mode = Mode::free;
};

// What a match of each kind is worth, and its rank among kinds when mappings of
// equal value are told apart: more matches of rank 1 first, then of rank 2 ...;
// rank 0 takes no part, nor does a kind that is worth nothing.
struct Kinds {
    Span<Value> weight;
    Span<Id> rank;
    std::size_t size() const { return weight.size; }
};

inline void check_kinds(const Kinds &kinds) {
    if (kinds.rank.size != kinds.weight.size) throw std::invalid_argument("as many ranks as weights");
    for (const Value weight : kinds.weight) {
        if (weight < 0 || weight > (Value{1} << 20)) {
            throw std::invalid_argument("weights must lie between 0 and 2^20");
        }
    }
    for (const Id rank : kinds.rank) {
        if (rank < 0) throw std::invalid_argument("ranks must not be negative");
    }
}

inline void check_side(const Side &side, const Kinds &kinds) {
    const auto node = [&](Id id) {
        if (id < 0 || id >= side.nodes) throw std::invalid_argument("a node id is out of range");
    };
    const auto kind = [&](Id id) {
        if (id < 0 || static_cast<std::size_t>(id) >= kinds.size()) {
            throw std::invalid_argument("a kind is out of range");
        }
    };
    if (side.nodes < 0) throw std::invalid_argument("node counts must not be negative");
    for (const Feature &f : side.features) node(f.node), kind(f.kind);
    for (const Edge &e : side.edges) node(e.source), node(e.target), kind(e.kind);
    for (const Below &b : side.below) node(b.upper), node(b.lower);
}

}  // namespace karat::matching
