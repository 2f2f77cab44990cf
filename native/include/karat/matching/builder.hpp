// From tuples to a Problem: a join on keys gives rewards, candidates and slots.
#pragma once

#include <algorithm>
#include <vector>

#include "karat/matching/problem.hpp"
#include "karat/matching/tuples.hpp"

namespace karat::matching {

// One object per thread, for its memory.
class Builder {
  public:
    // A key shared by very many nodes or edges of both sides makes a product of
    // pairs. Beyond these totals the most frequent keys are left out of the
    // problem and bounded by how often they occur. See docs/matching.md, section 10.
    static constexpr std::size_t most_node_pairs = std::size_t{1} << 24;
    static constexpr std::size_t most_edge_pairs = std::size_t{6} << 20;

    // Builds the problem and returns what the left out keys could earn at most.
    Value build(const Pair &pair, const Tuples &gold, const Tuples &system, const Value *weights,
                const Domination *domination, Problem &problem) {
        node_limit_ = largest_product(gold.nodes, system.nodes, weights, most_node_pairs);
        const std::size_t edge_limit = largest_product(gold.edges, system.edges, weights, most_edge_pairs);
        cols_ = static_cast<std::size_t>(pair.system.nodes);
        ordered_ = pair.mode == Mode::ordered;
        domination_ = domination;
        Value slack = 0;
        codes_.clear(), ends_.clear();
        join(gold.nodes, system.nodes, [&](Key key, auto g, auto g_end, auto s, auto s_end) {
            const Value weight = weights[kind_of(key)];
            if (skip(weight, g_end - g, s_end - s, node_limit_, slack)) return;
            for (auto a = g; a != g_end; ++a) {
                for (auto b = s; b != s_end; ++b) {
                    if (!domination_ || domination_->allows(a->node, b->node)) {
                        codes_.push_back({code(a->node, b->node), weight});
                    }
                }
            }
        });
        join(gold.edges, system.edges, [&](Key key, auto g, auto g_end, auto s, auto s_end) {
            const Value weight = weights[kind_of(key)];
            if (skip(weight, g_end - g, s_end - s, edge_limit, slack)) return;
            for (auto a = g; a != g_end; ++a) {
                for (auto b = s; b != s_end; ++b) {
                    if (possible(*a, *b)) {
                        ends_.push_back({code(a->source, b->source), code(a->target, b->target), weight});
                    }
                }
            }
        });
        number_candidates(static_cast<std::size_t>(pair.gold.nodes) * cols_, problem);
        problem.rows = pair.gold.nodes, problem.cols = pair.system.nodes;
        problem.ordered = ordered_, problem.domination = domination;
        problem.row_class.clear(), problem.col_class.clear();
        identity(problem.gold, problem.rows);
        identity(problem.system, problem.cols);
        problem.index();
        link_slots(problem);
        return slack;
    }

    // Whether the last build left out a node key that occurs so often on the two sides.
    bool left_out(std::ptrdiff_t gold, std::ptrdiff_t system) const {
        return static_cast<std::size_t>(gold) * static_cast<std::size_t>(system) > node_limit_;
    }

  private:
    struct Earning {
        Code code;
        Value weight;
    };
    struct Ends {
        Code a, b;
        Value weight;
    };
    struct Link {
        Id a, b;
        Value weight;
    };

    static constexpr std::size_t largest_table = std::size_t{1} << 24;

    Code code(Id i, Id j) const { return static_cast<Code>(i) * cols_ + static_cast<Code>(j); }

    static void identity(std::vector<Id> &ids, Id count) {
        ids.resize(count);
        for (Id i = 0; i < count; ++i) ids[i] = i;
    }

    // The largest product of occurrences that a key may have so that the sum stays within the limit.
    template <class T>
    std::size_t largest_product(const std::vector<T> &gold, const std::vector<T> &system, const Value *weights,
                                std::size_t limit) {
        if (gold.size() * system.size() <= limit) return limit;
        std::vector<std::size_t> products;
        std::size_t total = 0;
        join(gold, system, [&](Key key, auto g, auto g_end, auto s, auto s_end) {
            if (weights[kind_of(key)] == 0) return;
            products.push_back(static_cast<std::size_t>(g_end - g) * static_cast<std::size_t>(s_end - s));
            total += products.back();
        });
        std::sort(products.begin(), products.end());
        std::size_t largest = limit;
        while (total > limit) {
            largest = products.back() - 1;
            total -= products.back();
            products.pop_back();
        }
        return largest;
    }

    static bool skip(Value weight, std::ptrdiff_t gold, std::ptrdiff_t system, std::size_t limit, Value &slack) {
        if (weight == 0) return true;
        if (static_cast<std::size_t>(gold) * static_cast<std::size_t>(system) <= limit) return false;
        slack += weight * std::min(gold, system);
        return true;
    }

    bool possible(const EdgeTuple &a, const EdgeTuple &b) const {
        if (ordered_ && (a.source < a.target) != (b.source < b.target)) return false;
        return !domination_ || (domination_->allows(a.source, b.source) && domination_->allows(a.target, b.target) &&
                                domination_->allows(a.source, b.source, a.target, b.target));
    }

    // Numbers all pairs of nodes that occur, in order, by a table or, where that is too large, by sorting.
    void number_candidates(std::size_t cells, Problem &problem) {
        tabled_ = cells <= largest_table;
        sorted_.clear();
        if (tabled_) {
            table_.assign(cells, -1);
            for (const Earning &e : codes_) table_[e.code] = 0;
            for (const Ends &e : ends_) table_[e.a] = table_[e.b] = 0;
            for (std::size_t at = 0; at < cells; ++at) {
                if (table_[at] == 0) {
                    table_[at] = static_cast<Id>(sorted_.size());
                    sorted_.push_back(at);
                }
            }
        } else {
            for (const Earning &e : codes_) sorted_.push_back(e.code);
            for (const Ends &e : ends_) sorted_.push_back(e.a), sorted_.push_back(e.b);
            std::sort(sorted_.begin(), sorted_.end());
            sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
        }
        const std::size_t count = sorted_.size();
        problem.row_of.resize(count);
        problem.col_of.resize(count);
        for (std::size_t c = 0; c < count; ++c) {
            problem.row_of[c] = static_cast<Id>(sorted_[c] / cols_);
            problem.col_of[c] = static_cast<Id>(sorted_[c] % cols_);
        }
        problem.reward.assign(count, 0);
        for (const Earning &e : codes_) problem.reward[candidate(e.code)] += e.weight;
    }

    Id candidate(Code code) const {
        if (tabled_) return table_[code];
        return static_cast<Id>(std::lower_bound(sorted_.begin(), sorted_.end(), code) - sorted_.begin());
    }

    // All edges between the same two pairs of nodes, in both directions, become one link of two slots.
    void link_slots(Problem &problem) {
        const Id count = problem.candidates();
        first_.assign(count + 1, 0);
        for (Ends &e : ends_) {
            e.a = static_cast<Code>(candidate(e.a)), e.b = static_cast<Code>(candidate(e.b));
            if (e.a > e.b) std::swap(e.a, e.b);
            ++first_[e.a + 1];
        }
        for (Id c = 0; c < count; ++c) first_[c + 1] += first_[c];
        links_.resize(ends_.size());
        for (const Ends &e : ends_) links_[first_[e.a]++] = {static_cast<Id>(e.a), static_cast<Id>(e.b), e.weight};
        merge_links();
        problem.slot_begin.assign(count + 1, 0);
        for (const Link &link : links_) ++problem.slot_begin[link.a + 1], ++problem.slot_begin[link.b + 1];
        for (Id c = 0; c < count; ++c) problem.slot_begin[c + 1] += problem.slot_begin[c];
        const std::size_t slots = 2 * links_.size();
        problem.slot_other.resize(slots);
        problem.slot_mate.resize(slots);
        problem.slot_weight.resize(slots);
        next_.assign(problem.slot_begin.begin(), problem.slot_begin.end());
        for (const Link &link : links_) {
            const Id s = next_[link.a]++, t = next_[link.b]++;
            problem.slot_other[s] = link.b, problem.slot_other[t] = link.a;
            problem.slot_mate[s] = t, problem.slot_mate[t] = s;
            problem.slot_weight[s] = problem.slot_weight[t] = link.weight;
        }
    }

    // Links are grouped by their first candidate: sorts each group and adds up equal links.
    void merge_links() {
        std::size_t kept = 0;
        for (std::size_t begin = 0; begin < links_.size();) {
            std::size_t end = begin;
            while (end < links_.size() && links_[end].a == links_[begin].a) ++end;
            std::sort(links_.begin() + begin, links_.begin() + end,
                      [](const Link &x, const Link &y) { return x.b < y.b; });
            for (std::size_t at = begin; at < end; ++at) {
                if (at > begin && links_[kept - 1].b == links_[at].b) {
                    links_[kept - 1].weight += links_[at].weight;
                } else {
                    links_[kept++] = links_[at];
                }
            }
            begin = end;
        }
        links_.resize(kept);
    }

    std::size_t cols_ = 0, node_limit_ = 0;
    bool ordered_ = false, tabled_ = true;
    const Domination *domination_ = nullptr;
    std::vector<Earning> codes_;
    std::vector<Ends> ends_;
    std::vector<Id> table_, first_, next_;
    std::vector<Code> sorted_;
    std::vector<Link> links_;
};

}  // namespace karat::matching
