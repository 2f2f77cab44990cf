// The outer problem: the most profitable one-to-one choice of candidates.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "karat/matching/problem.hpp"

namespace karat::matching {

// Maximum-weight matching on sparse candidates with the unmatched option, kept
// optimal while profits change: prices of both sides stay feasible
// (price(i) + price(j) >= profit(i, j) >= 0), rows whose profits changed are
// priced anew, and what is no longer tight is repaired by shortest augmenting
// paths from the side that lost its partner.
class Assignment {
  public:
    void build(const Problem &problem) {
        problem_ = &problem;
        std::vector<Id> &identity = rows_.list;
        const Id count = problem.candidates();
        const Id known = static_cast<Id>(identity.size());
        identity.resize(count);
        for (Id c = std::min(known, count); c < count; ++c) identity[c] = c;
        rows_.begin = problem.row_begin.data(), rows_.node_of = problem.row_of.data();
        cols_.begin = problem.col_begin.data(), cols_.node_of = problem.col_of.data();
        rows_.candidates = identity.data(), cols_.candidates = problem.col_list.data();
        rows_.reset(problem.rows);
        cols_.reset(problem.cols);
        total_ = 0;
    }

    // Profits of the candidates of the given rows have changed. Returns the optimum.
    Value solve(const std::vector<Value> &profit, const std::vector<Id> &changed_rows, Budget &budget) {
        profit_ = profit.data();
        lost_.clear();
        Value work = 0;
        for (const Id i : changed_rows) {
            work += problem_->row_begin[i + 1] - problem_->row_begin[i] + 1;
            reprice(i);
        }
        for (const Id i : changed_rows) {
            if (rows_.match[i] < 0 && rows_.price[i] > 0) work += augment(rows_, cols_, i);
        }
        for (const Id j : lost_) {
            if (cols_.match[j] < 0 && cols_.price[j] > 0) work += augment(cols_, rows_, j);
        }
        budget.spend(work);
        return total_;
    }

    Id chosen(Id row) const { return rows_.match[row]; }

    // What a column costs at the optimum.
    const std::vector<Value> &column_prices() const { return cols_.price; }

    // No choice with this candidate is worth more.
    Value through(Id c) const {
        return total_ - (rows_.price[problem_->row_of[c]] + cols_.price[problem_->col_of[c]] - profit_[c]);
    }

  private:
    static constexpr Value infinity = std::numeric_limits<Value>::max();

    struct SideState {
        const Id *begin = nullptr, *candidates = nullptr, *node_of = nullptr;
        std::vector<Id> list;        // owned candidate list of the rows
        std::vector<Id> match;       // candidate or -1
        std::vector<Value> price, distance;
        std::vector<Id> reached_by;  // candidate on the shortest path

        void reset(Id count) {
            match.assign(count, -1);
            price.assign(count, 0);
            distance.assign(count, infinity);
            reached_by.resize(count);
        }
    };

    void reprice(Id i) {
        Value best = 0;
        Id tight = -1;
        for (Id c = problem_->row_begin[i]; c < problem_->row_begin[i + 1]; ++c) {
            const Value rest = profit_[c] - cols_.price[problem_->col_of[c]];
            if (rest > best) best = rest, tight = c;
        }
        total_ += best - rows_.price[i];
        rows_.price[i] = best;
        const Id old = rows_.match[i];
        if (old >= 0 && profit_[old] - cols_.price[problem_->col_of[old]] != best) {
            rows_.match[i] = -1;
            cols_.match[problem_->col_of[old]] = -1;
            lost_.push_back(problem_->col_of[old]);
        }
        if (rows_.match[i] < 0 && tight >= 0 && cols_.match[problem_->col_of[tight]] < 0) {
            rows_.match[i] = tight;
            cols_.match[problem_->col_of[tight]] = tight;
        }
    }

    // Shortest path (on reduced costs) from an unmatched node with a positive
    // price to an unmatched node of the other side, or to a node of its own side
    // that is best left unmatched. Returns the work done.
    Value augment(SideState &from, SideState &to, Id start) {
        Value work = 0, end_distance = from.price[start];
        Id end_from = start, end_to = -1;
        heap_.clear();
        scanned_.clear(), labelled_.clear();
        from.distance[start] = 0;
        Id node = start;
        Value distance = 0;
        for (;;) {
            scanned_.push_back(node);
            if (distance + from.price[node] < end_distance) {
                end_distance = distance + from.price[node], end_from = node, end_to = -1;
            }
            const Id first = from.begin[node], last = from.begin[node + 1];
            work += last - first;
            const Value base = distance + from.price[node];
            for (Id at = first; at < last; ++at) {
                const Id c = from.candidates[at], other = to.node_of[c];
                const Value reach = base + to.price[other] - profit_[c];
                if (reach >= end_distance || reach >= to.distance[other]) continue;
                if (to.distance[other] == infinity) labelled_.push_back(other);
                to.distance[other] = reach, to.reached_by[other] = c;
                if (to.match[other] < 0) {
                    end_distance = reach, end_to = other;
                } else {
                    heap_.push_back({reach, from.node_of[to.match[other]]});
                    std::push_heap(heap_.begin(), heap_.end());
                }
            }
            node = -1;
            while (!heap_.empty() && heap_.front().distance < end_distance) {
                std::pop_heap(heap_.begin(), heap_.end());
                const Entry entry = heap_.back();
                heap_.pop_back();
                if (from.distance[entry.node] == infinity) {
                    node = entry.node, distance = entry.distance;
                    from.distance[node] = distance;
                    break;
                }
            }
            if (node < 0) break;
        }
        for (const Id i : scanned_) {
            const Value fall = end_distance - from.distance[i];
            from.price[i] -= fall, total_ -= fall;
            from.distance[i] = infinity;
        }
        for (const Id j : labelled_) {
            if (to.distance[j] < end_distance) {
                to.price[j] += end_distance - to.distance[j];
                total_ += end_distance - to.distance[j];
            }
            to.distance[j] = infinity;
        }
        flip(from, to, start, end_from, end_to);
        return 3 * work + 4 * static_cast<Value>(scanned_.size() + labelled_.size());
    }

    static void flip(SideState &from, SideState &to, Id start, Id end_from, Id end_to) {
        if (end_to < 0) {
            if (end_from == start) return;
            end_to = to.node_of[from.match[end_from]];
            from.match[end_from] = -1;
        }
        for (;;) {
            const Id c = to.reached_by[end_to], node = from.node_of[c], old = from.match[node];
            from.match[node] = c;
            to.match[end_to] = c;
            if (node == start) return;
            end_to = to.node_of[old];
        }
    }

    struct Entry {
        Value distance;
        Id node;
        bool operator<(const Entry &o) const {
            return distance != o.distance ? distance > o.distance : node > o.node;
        }
    };

    const Problem *problem_ = nullptr;
    const Value *profit_ = nullptr;
    Value total_ = 0;
    SideState rows_, cols_;
    std::vector<Id> lost_, scanned_, labelled_;
    std::vector<Entry> heap_;
};

// The heaviest sequence of candidates that increases in row and column, by a
// Fenwick tree of prefix maxima; forwards for the optimum, backwards for the best
// sequence through a given candidate.
class Alignment {
  public:
    void build(const Problem &problem) {
        problem_ = &problem;
        upto_.assign(problem.candidates(), 0);
        before_.assign(problem.candidates(), -1);
        chosen_.assign(problem.rows, -1);
        backward_valid_ = false;
    }

    Value solve(const std::vector<Value> &profit, Budget &budget) {
        profit_ = profit.data();
        backward_valid_ = false;
        tree_.assign(problem_->cols + 1, -1);
        for (Id i = 0; i < problem_->rows; ++i) {
            const Id begin = problem_->row_begin[i], end = problem_->row_begin[i + 1];
            for (Id c = begin; c < end; ++c) {
                const Id p = before_[c] = query(problem_->col_of[c], upto_);
                upto_[c] = profit_[c] + (p < 0 ? 0 : upto_[p]);
            }
            for (Id c = begin; c < end; ++c) update(problem_->col_of[c], c, upto_);
        }
        std::fill(chosen_.begin(), chosen_.end(), -1);
        const Id best = query(problem_->cols, upto_);
        for (Id c = best; c >= 0; c = before_[c]) {
            if (profit_[c] > 0) chosen_[problem_->row_of[c]] = c;
        }
        budget.spend(8 * static_cast<Value>(problem_->candidates()) + problem_->rows);
        total_ = best < 0 ? 0 : upto_[best];
        return total_;
    }

    Id chosen(Id row) const { return chosen_[row]; }

    Value through(Id c) {
        if (!backward_valid_) backward();
        return upto_[c] + from_[c] - profit_[c];
    }

  private:
    // The best candidate in columns before `col`, or -1.
    Id query(Id col, const std::vector<Value> &value) const {
        Id best = -1;
        for (Id at = col; at > 0; at -= at & -at) {
            if (tree_[at] >= 0 && (best < 0 || value[tree_[at]] > value[best])) best = tree_[at];
        }
        return best;
    }

    void update(Id col, Id c, const std::vector<Value> &value) {
        for (Id at = col + 1; at <= problem_->cols; at += at & -at) {
            if (tree_[at] < 0 || value[c] > value[tree_[at]]) tree_[at] = c;
        }
    }

    void backward() {
        const Id cols = problem_->cols;
        from_.assign(problem_->candidates(), 0);
        tree_.assign(cols + 1, -1);
        for (Id i = problem_->rows - 1; i >= 0; --i) {
            const Id begin = problem_->row_begin[i], end = problem_->row_begin[i + 1];
            for (Id c = begin; c < end; ++c) {
                const Id p = query(cols - 1 - problem_->col_of[c], from_);
                from_[c] = profit_[c] + (p < 0 ? 0 : from_[p]);
            }
            for (Id c = begin; c < end; ++c) update(cols - 1 - problem_->col_of[c], c, from_);
        }
        backward_valid_ = true;
    }

    const Problem *problem_ = nullptr;
    const Value *profit_ = nullptr;
    Value total_ = 0;
    bool backward_valid_ = false;
    std::vector<Value> upto_, from_;
    std::vector<Id> before_, chosen_, tree_;
};

}  // namespace karat::matching
