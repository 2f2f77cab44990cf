// The tuples of one side of all pairs, in the flat tables that the matcher takes.
#pragma once

#include <utility>
#include <vector>

#include "arrays.hpp"
#include "karat/matching/input.hpp"

namespace karat::bindings {

class TupleTables {
  public:
    void add(const matching::TupleLists &tuples) {
        for (const auto &f : tuples.features) features_.insert(features_.end(), {f.node, f.kind, f.value});
        for (const auto &e : tuples.edges) edges_.insert(edges_.end(), {e.source, e.target, e.kind, e.value});
        feature_offsets_.push_back(static_cast<std::int64_t>(features_.size() / 3));
        edge_offsets_.push_back(static_cast<std::int64_t>(edges_.size() / 4));
    }

    nb::tuple take() {
        const std::size_t features = features_.size() / 3, edges = edges_.size() / 4, size = feature_offsets_.size();
        return nb::make_tuple(to_numpy(std::move(features_), {features, 3}),
                              to_numpy(std::move(feature_offsets_), {size}), to_numpy(std::move(edges_), {edges, 4}),
                              to_numpy(std::move(edge_offsets_), {size}));
    }

  private:
    std::vector<matching::Id> features_, edges_;
    std::vector<std::int64_t> feature_offsets_{0}, edge_offsets_{0};
};

}  // namespace karat::bindings
