// Which tuples of two graphs match under a mapping of nodes, and which only one of them has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "karat/matching/input.hpp"

namespace karat::matching {

// A feature, whose target is -1, or an edge.
struct Tuple {
    Id source, target, kind, value;
};

inline bool operator<(const Tuple &a, const Tuple &b) {
    return std::tie(a.source, a.target, a.kind, a.value) < std::tie(b.source, b.target, b.kind, b.value);
}

// The tuples of one graph in order, features first, each once.
class DistinctTuples {
  public:
    std::vector<Tuple> all;
    std::vector<std::uint8_t> matched;

    void read(const TupleLists &lists) {
        given_.clear(), sorted_.clear(), all.clear();
        for (const Feature &f : lists.features) given_.push_back({f.node, -1, f.kind, f.value});
        for (const Edge &e : lists.edges) given_.push_back({e.source, e.target, e.kind, e.value});
        for (std::uint32_t i = 0; i < given_.size(); ++i) sorted_.push_back({given_[i], i});
        std::sort(sorted_.begin(), sorted_.end());
        is_first_.assign(given_.size(), 1);
        for (std::size_t i = 1; i < sorted_.size(); ++i) {
            if (!(sorted_[i - 1].first < sorted_[i].first)) is_first_[sorted_[i].second] = 0;
        }
        place_.resize(given_.size());
        for (std::size_t i = 0; i < given_.size(); ++i) {
            place_[i] = static_cast<std::uint32_t>(all.size());
            if (is_first_[i]) all.push_back(given_[i]);
        }
        for (std::size_t i = 1; i < sorted_.size(); ++i) {
            if (!is_first_[sorted_[i].second]) place_[sorted_[i].second] = place_[sorted_[i - 1].second];
        }
        matched.assign(all.size(), 0);
    }

    // The place in `all` of the tuple that was given at this place.
    std::uint32_t place(std::size_t given) const { return place_[given]; }

    // The place of a tuple in `all`; -1 where it is not there.
    std::int64_t find(const Tuple &tuple) const {
        const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::make_pair(tuple, std::uint32_t{0}));
        if (found == sorted_.end() || tuple < found->first) return -1;
        return place_[found->second];
    }

  private:
    std::vector<Tuple> given_;
    std::vector<std::pair<Tuple, std::uint32_t>> sorted_;
    std::vector<std::uint8_t> is_first_;
    std::vector<std::uint32_t> place_;
};

// Two graphs under a mapping; `mapping` tells the system node of each gold node, or -1.
class Difference {
  public:
    DistinctTuples gold, system;
    std::vector<Id> partner;  // the gold node of each system node, or -1

    void compare(const TupleLists &theirs, const TupleLists &ours, Span<Id> mapping) {
        gold.read(theirs), system.read(ours);
        for (std::size_t i = 0; i < gold.all.size(); ++i) {
            Tuple image = gold.all[i];
            image.source = mapping[static_cast<std::size_t>(image.source)];
            if (image.target >= 0) {
                image.target = mapping[static_cast<std::size_t>(image.target)];
                if (image.target < 0) continue;
            }
            const std::int64_t found = image.source < 0 ? -1 : system.find(image);
            if (found >= 0) gold.matched[i] = system.matched[static_cast<std::size_t>(found)] = 1;
        }
        partner.assign(static_cast<std::size_t>(ours.nodes), -1);
        for (std::size_t i = 0; i < mapping.size; ++i) {
            if (mapping[i] >= 0) partner[static_cast<std::size_t>(mapping[i])] = static_cast<Id>(i);
        }
    }
};

// Whether a mapping is one of nodes to nodes, one to one.
inline bool is_mapping(Span<Id> mapping, Id gold_nodes, Id system_nodes) {
    if (mapping.size != static_cast<std::size_t>(gold_nodes)) return false;
    std::vector<bool> taken(static_cast<std::size_t>(system_nodes));
    for (const Id node : mapping) {
        if (node == -1) continue;
        if (node < -1 || node >= system_nodes || taken[static_cast<std::size_t>(node)]) return false;
        taken[static_cast<std::size_t>(node)] = true;
    }
    return true;
}

}  // namespace karat::matching
