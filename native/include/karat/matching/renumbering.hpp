// A pair with its nodes in another order, and the way back. See docs/matching.md, section 8.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "karat/matching/input.hpp"
#include "karat/matching/problem.hpp"

namespace karat::matching {

class Renumbering {
  public:
    // `gold` and `system` hold the node at each new place. For pairs without domination.
    void assign(const Pair &pair, const std::vector<Id> &gold, const std::vector<Id> &system) {
        gold_ = gold, system_ = system;
        pair_ = pair;
        pair_.gold = renumber(pair.gold, gold, features_[0], edges_[0]);
        pair_.system = renumber(pair.system, system, features_[1], edges_[1]);
    }

    const Pair &pair() const { return pair_; }

    std::vector<Id> original_mapping(const std::vector<Id> &mapping) const {
        std::vector<Id> original(mapping.size(), -1);
        for (std::size_t i = 0; i < mapping.size(); ++i) {
            if (mapping[i] >= 0) original[gold_[i]] = system_[mapping[i]];
        }
        return original;
    }

    std::vector<Value> original_columns(const std::vector<Value> &column) const {
        std::vector<Value> original(column.size());
        for (std::size_t j = 0; j < column.size(); ++j) original[system_[j]] = column[j];
        return original;
    }

    // The candidates of a problem as codes in the original numbering.
    std::vector<Code> original_codes(const Problem &problem) const {
        std::vector<Code> codes(problem.row_of.size());
        for (std::size_t c = 0; c < codes.size(); ++c) {
            const Id i = gold_[problem.row_of[c]], j = system_[problem.col_of[c]];
            codes[c] = static_cast<Code>(i) * static_cast<Code>(problem.cols) + static_cast<Code>(j);
        }
        return codes;
    }

    // One multiplier for each link, in the order that links have in the original numbering.
    std::vector<Value> original_multipliers(const Problem &problem, const std::vector<Value> &multipliers) const {
        struct Link {
            Code a, b;
            Value multiplier;
        };
        const std::vector<Code> codes = original_codes(problem);
        std::vector<Link> links;
        links.reserve(problem.slot_other.size() / 2);
        for (Id c = 0; c < problem.candidates(); ++c) {
            for (Id s = problem.slot_begin[c]; s < problem.slot_begin[c + 1]; ++s) {
                const Id d = problem.slot_other[s];
                if (codes[c] < codes[d]) links.push_back({codes[c], codes[d], multipliers[s]});
            }
        }
        std::sort(links.begin(), links.end(),
                  [](const Link &x, const Link &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
        std::vector<Value> result(links.size());
        for (std::size_t at = 0; at < links.size(); ++at) result[at] = links[at].multiplier;
        return result;
    }

  private:
    static Side renumber(const Side &side, const std::vector<Id> &order, std::vector<Feature> &features,
                         std::vector<Edge> &edges) {
        std::vector<Id> place(order.size());
        for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = static_cast<Id>(at);
        features.assign(side.features.begin(), side.features.end());
        for (Feature &f : features) f.node = place[f.node];
        edges.assign(side.edges.begin(), side.edges.end());
        for (Edge &e : edges) e.source = place[e.source], e.target = place[e.target];
        return {side.nodes, {features.data(), features.size()}, {edges.data(), edges.size()}, {}};
    }

    Pair pair_;
    std::vector<Id> gold_, system_;
    std::vector<Feature> features_[2];
    std::vector<Edge> edges_[2];
};

}  // namespace karat::matching
