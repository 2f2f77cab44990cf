// DERP: how far the paths between aligned words of two dependency trees differ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace karat {

// Words 1..n; head 0 is ROOT. Labels are numbers.
struct LabelledTree {
    const std::int32_t *heads;
    const std::int32_t *labels;
    std::size_t size;
};

struct Link {
    std::int32_t hypothesis, reference;  // words, from 1
};

// An edge of the meta-graph between words n < m of the base tree, judged by
// their counterparts.
struct MetaEdge {
    std::int32_t n, m, n_other, m_other, disparity, largest;
};

struct DerpResult {
    bool base_is_hypothesis = false;
    std::size_t nodes = 0;
    std::int64_t disparity = 0, largest = 0;
    std::vector<MetaEdge> edges;
};

// A tree with what paths need: depths, and an order in which heads come first.
class PathTree {
  public:
    void assign(LabelledTree tree) {
        tree_ = tree;
        const std::size_t count = tree.size + 1;
        first_child_.assign(count, 0);
        next_sibling_.assign(count, 0);
        for (std::size_t word = tree.size; word >= 1; --word) {
            std::int32_t &child = first_child_[tree.heads[word - 1]];
            next_sibling_[word] = child;
            child = static_cast<std::int32_t>(word);
        }
        depth_.assign(count, 0);
        order_.assign(1, 0);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            for (std::int32_t child = first_child_[order_[i]]; child; child = next_sibling_[child]) {
                depth_[child] = depth_[order_[i]] + 1;
                order_.push_back(child);
            }
        }
        on_path_.assign(count, false);
        common_.assign(count, 0);
    }

    std::int32_t depth(std::int32_t word) const { return depth_[word]; }
    std::int32_t label(std::int32_t word) const { return tree_.labels[word - 1]; }
    std::int32_t head(std::int32_t word) const { return tree_.heads[word - 1]; }

    // Prepares common_depth for paths from this word.
    void start_from(std::int32_t word) {
        for (std::int32_t up = word; up; up = head(up)) on_path_[up] = true;
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const std::int32_t other = order_[i];
            common_[other] = on_path_[other] ? depth_[other] : common_[head(other)];
        }
        for (std::int32_t up = word; up; up = head(up)) on_path_[up] = false;
    }

    // The depth of the lowest common ancestor of the start and this word.
    std::int32_t common_depth(std::int32_t word) const { return common_[word]; }

  private:
    LabelledTree tree_{};
    std::vector<std::int32_t> first_child_, next_sibling_, depth_, order_, common_;
    std::vector<bool> on_path_;
};

// One object per thread; scratch memory is reused from pair to pair.
class Derp {
  public:
    DerpResult operator()(LabelledTree reference, LabelledTree hypothesis, const Link *links, std::size_t count) {
        DerpResult result;
        result.base_is_hypothesis = choose_base(reference.size, hypothesis.size, links, count);
        if (result.base_is_hypothesis) {
            base_.assign(hypothesis), other_.assign(reference);
        } else {
            base_.assign(reference), other_.assign(hypothesis);
        }
        collect_nodes(links, count, result.base_is_hypothesis);
        result.nodes = nodes_.size();
        if (!nodes_.empty()) {
            fill_tables();
            span(result);
        }
        return result;
    }

  private:
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

    static Key key_of(const MetaEdge &edge) { return {edge.disparity, edge.largest, edge.n, edge.m}; }

    // The hypothesis, if each of its words has one counterpart at most and that is not so for
    // the reference. Links come without doubles.
    bool choose_base(std::size_t reference_size, std::size_t hypothesis_size, const Link *links,
                     std::size_t count) {
        counts_.assign(reference_size + hypothesis_size + 2, 0);
        bool reference_unique = true, hypothesis_unique = true;
        for (std::size_t i = 0; i < count; ++i) {
            if (++counts_[links[i].reference] > 1) reference_unique = false;
            if (++counts_[reference_size + 1 + links[i].hypothesis] > 1) hypothesis_unique = false;
        }
        return hypothesis_unique && !reference_unique;
    }

    void collect_nodes(const Link *links, std::size_t count, bool base_is_hypothesis) {
        pairs_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const auto [hypothesis, reference] = links[i];
            pairs_.emplace_back(base_is_hypothesis ? hypothesis : reference,
                                base_is_hypothesis ? reference : hypothesis);
        }
        std::sort(pairs_.begin(), pairs_.end());
        nodes_.clear();
        first_pair_.clear();
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (i == 0 || pairs_[i].first != pairs_[i - 1].first) {
                nodes_.push_back(pairs_[i].first);
                first_pair_.push_back(i);
            }
        }
        first_pair_.push_back(pairs_.size());
    }

    // For each link, the edit distances between all beginnings of the two paths to ROOT. The path
    // between two words is made of such beginnings, so every disparity is two look-ups.
    void fill_tables() {
        first_cell_.clear();
        width_.clear();
        cells_.clear();
        for (const auto &[word, counterpart] : pairs_) {
            climb(base_, word, up_);
            climb(other_, counterpart, other_up_);
            const std::size_t width = other_up_.size() + 1, start = cells_.size();
            first_cell_.push_back(start);
            width_.push_back(width);
            cells_.resize(start + (up_.size() + 1) * width);
            std::int32_t *row = &cells_[start];
            std::iota(row, row + width, 0);
            for (std::size_t i = 1; i <= up_.size(); ++i) {
                const std::int32_t *above = row;
                row += width;
                row[0] = static_cast<std::int32_t>(i);
                for (std::size_t j = 1; j < width; ++j) {
                    const std::int32_t replaced = above[j - 1] + (up_[i - 1] != other_up_[j - 1]);
                    row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
                }
            }
        }
    }

    static void climb(const PathTree &tree, std::int32_t word, std::vector<std::int32_t> &labels) {
        labels.clear();
        for (; word; word = tree.head(word)) labels.push_back(tree.label(word));
    }

    std::int32_t distance(std::size_t pair, std::int32_t steps, std::int32_t other_steps) const {
        return cells_[first_cell_[pair] + static_cast<std::size_t>(steps) * width_[pair] +
                      static_cast<std::size_t>(other_steps)];
    }

    // Prim's algorithm. Keys are all different, so the tree is the one that
    // Kruskal's finds with edges in the order of their keys.
    void span(DerpResult &result) {
        const std::size_t count = nodes_.size();
        const MetaEdge none{0, 0, 0, 0, std::numeric_limits<std::int32_t>::max(), 0};
        best_.assign(count, none);
        done_.assign(count, false);
        shared_.assign(counts_.size(), false);
        std::size_t current = 0;
        done_[0] = true;
        for (std::size_t step = 1; step < count; ++step) {
            relax(current);
            std::size_t next = 0;
            for (std::size_t v = 0; v < count; ++v) {
                if (!done_[v] && (next == 0 || key_of(best_[v]) < key_of(best_[next]))) next = v;
            }
            done_[next] = true;
            result.edges.push_back(best_[next]);
            current = next;
        }
        std::sort(result.edges.begin(), result.edges.end(),
                  [](const MetaEdge &a, const MetaEdge &b) { return key_of(a) < key_of(b); });
        for (const MetaEdge &edge : result.edges) {
            result.disparity += edge.disparity;
            result.largest += edge.largest;
        }
    }

    // Offers the edges of one node to all nodes that are not in the tree yet.
    void relax(std::size_t u) {
        base_.start_from(nodes_[u]);
        for (std::size_t p = first_pair_[u]; p < first_pair_[u + 1]; ++p) shared_[pairs_[p].second] = true;
        for (std::size_t p = first_pair_[u]; p < first_pair_[u + 1]; ++p) {
            other_.start_from(pairs_[p].second);
            for (std::size_t v = 0; v < nodes_.size(); ++v) {
                if (done_[v]) continue;
                for (std::size_t q = first_pair_[v]; q < first_pair_[v + 1]; ++q) offer(u, p, v, q);
            }
        }
        for (std::size_t p = first_pair_[u]; p < first_pair_[u + 1]; ++p) shared_[pairs_[p].second] = false;
    }

    void offer(std::size_t u, std::size_t p, std::size_t v, std::size_t q) {
        const std::int32_t n = nodes_[u], m = nodes_[v];
        const std::int32_t n_other = pairs_[p].second, m_other = pairs_[q].second;
        MetaEdge edge{n, m, n_other, m_other, 0, 0};
        if (shared_[m_other]) {
            edge.n_other = m_other;  // a shared counterpart: no path, no evidence
        } else {
            const std::int32_t common = base_.common_depth(m), other_common = other_.common_depth(m_other);
            const std::int32_t up = base_.depth(n) - common, other_up = other_.depth(n_other) - other_common;
            const std::int32_t down = base_.depth(m) - common, other_down = other_.depth(m_other) - other_common;
            edge.disparity = distance(p, up, other_up) + ((n < m) != (n_other < m_other)) +
                             distance(q, down, other_down);
            edge.largest = std::max(up, other_up) + 1 + std::max(down, other_down);
        }
        if (edge.n > edge.m) {
            std::swap(edge.n, edge.m);
            std::swap(edge.n_other, edge.m_other);
        }
        if (key_of(edge) < key_of(best_[v])) best_[v] = edge;
    }

    PathTree base_, other_;
    std::vector<std::int32_t> counts_, nodes_, up_, other_up_, cells_;
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
    std::vector<std::size_t> first_pair_, first_cell_, width_;
    std::vector<MetaEdge> best_;
    std::vector<bool> done_, shared_;
};

}  // namespace karat
