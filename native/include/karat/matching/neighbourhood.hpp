// The inner problem of a candidate (i, j): the best matching of i's neighbours
// with j's neighbours, on the multipliers of the candidate's slots.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "karat/matching/problem.hpp"

namespace karat::matching {

// Slots of one candidate that share no neighbour do not compete. What competes
// is a group: a star (all share one neighbour: the best slot wins), a chain
// (order-preserving: heaviest increasing sequence) or a small assignment.
class Neighbourhoods {
  public:
    void build(const Problem &problem) {
        problem_ = &problem;
        const Id candidates = problem.candidates();
        row_seen_.assign(problem.rows, -1);
        col_seen_.assign(problem.cols, -1);
        groups_.clear();
        order_.resize(problem.slots());
        place_.resize(problem.slots());
        group_begin_.assign(candidates + 1, 0);
        for (Id c = 0; c < candidates; ++c) {
            const Id begin = problem.slot_begin[c], end = problem.slot_begin[c + 1];
            for (Id s = begin; s < end; ++s) order_[s] = s;
            if (end - begin == 1) {
                groups_.push_back({begin, end, Shape::star, 1, 1});
            } else if (end - begin > 1) {
                if (problem.ordered) {
                    split_ordered(begin, end);
                } else {
                    split_free(begin, end);
                }
            }
            group_begin_[c + 1] = static_cast<Id>(groups_.size());
        }
    }

    // Work of one evaluation, for budgets.
    Value cost(Id c) const {
        Value sum = 0;
        for (Id g = group_begin_[c]; g < group_begin_[c + 1]; ++g) sum += groups_[g].cost();
        return sum;
    }

    Value value(Id c, const Value *multipliers) {
        Value sum = 0;
        for (Id g = group_begin_[c]; g < group_begin_[c + 1]; ++g) {
            sum += solve(groups_[g], multipliers, [](Id) {});
        }
        return sum;
    }

    // Calls chosen(slot) for each slot of the best matching.
    template <class Chosen>
    void select(Id c, const Value *multipliers, Chosen chosen) {
        for (Id g = group_begin_[c]; g < group_begin_[c + 1]; ++g) solve(groups_[g], multipliers, chosen);
    }

  private:
    enum class Shape : std::uint8_t { star, pair, chain, assignment };

    // For assignments `rows` is the smaller side and place_ holds row * cols + column.
    struct Group {
        Id begin, end;
        Shape shape;
        Id rows, cols;
        Value cost() const {
            const Value slots = end - begin;
            if (shape == Shape::chain) return slots * slots;
            if (shape == Shape::assignment) return static_cast<Value>(rows) * rows * cols;
            return slots;
        }
    };

    // Larger inner assignments give up the uniqueness of neighbours on one side. See docs/matching.md, section 10.
    static constexpr Value largest_assignment = 1 << 21;
    static constexpr Value longest_chain = 512;

    Id row(Id slot) const { return problem_->row_of[problem_->slot_other[slot]]; }
    Id col(Id slot) const { return problem_->col_of[problem_->slot_other[slot]]; }

    void split_free(Id begin, Id end) {
        const Id count = end - begin;
        parent_.resize(count);
        for (Id k = 0; k < count; ++k) {
            parent_[k] = k;
            const Id s = begin + k;
            unite(row_seen_[row(s)], k, begin);
            unite(col_seen_[col(s)], k, begin);
            row_seen_[row(s)] = s, col_seen_[col(s)] = s;
        }
        for (Id s = begin; s < end; ++s) row_seen_[row(s)] = col_seen_[col(s)] = -1;
        root_.resize(count);
        bool sorted = true;
        for (Id k = 0; k < count; ++k) {
            root_[k] = find(k);
            sorted = sorted && (k == 0 || root_[k - 1] <= root_[k]);
        }
        if (!sorted) {
            std::stable_sort(order_.begin() + begin, order_.begin() + end,
                             [&](Id s, Id t) { return root_[s - begin] < root_[t - begin]; });
        }
        for (Id at = begin; at < end;) {
            Id last = at;
            while (last < end && root_[order_[last] - begin] == root_[order_[at] - begin]) ++last;
            close_group(at, last);
            at = last;
        }
    }

    void close_group(Id begin, Id end) {
        bool one_row = true, one_col = true;
        for (Id at = begin + 1; at < end; ++at) {
            one_row = one_row && row(order_[at]) == row(order_[begin]);
            one_col = one_col && col(order_[at]) == col(order_[begin]);
        }
        if (one_row || one_col) {
            groups_.push_back({begin, end, Shape::star, 1, 1});
            return;
        }
        Id rows = 0, cols = 0;
        for (Id at = begin; at < end; ++at) {
            const Id s = order_[at];
            if (row_seen_[row(s)] < 0) row_seen_[row(s)] = rows++;
            if (col_seen_[col(s)] < 0) col_seen_[col(s)] = cols++;
        }
        const bool by_row = rows <= cols;
        const Group group{begin, end, rows == 2 || cols == 2 ? Shape::pair : Shape::assignment,
                          std::min(rows, cols), std::max(rows, cols)};
        const auto small = [&](Id s) { return by_row ? row_seen_[row(s)] : col_seen_[col(s)]; };
        const auto large = [&](Id s) { return by_row ? col_seen_[col(s)] : row_seen_[row(s)]; };
        std::stable_sort(order_.begin() + begin, order_.begin() + end,
                         [&](Id s, Id t) { return small(s) < small(t); });
        if (group.shape == Shape::assignment && group.cost() > largest_assignment) {
            for (Id at = begin; at < end;) {
                Id last = at;
                while (last < end && small(order_[last]) == small(order_[at])) ++last;
                groups_.push_back({at, last, Shape::star, 1, 1});
                at = last;
            }
        } else {
            for (Id at = begin; at < end; ++at) place_[at] = small(order_[at]) * group.cols + large(order_[at]);
            groups_.push_back(group);
        }
        for (Id at = begin; at < end; ++at) row_seen_[row(order_[at])] = col_seen_[col(order_[at])] = -1;
    }

    // Slots come sorted by row, then column: cut where everything before precedes everything after.
    void split_ordered(Id begin, Id end) {
        smallest_.resize(end - begin + 1);
        smallest_[end - begin] = std::numeric_limits<Id>::max();
        for (Id s = end - 1; s >= begin; --s) {
            smallest_[s - begin] = std::min(smallest_[s - begin + 1], col(s));
        }
        Id at = begin, largest = -1;
        for (Id s = begin; s < end; ++s) {
            largest = std::max(largest, col(s));
            if (s + 1 < end && (row(s + 1) == row(s) || smallest_[s + 1 - begin] <= largest)) continue;
            close_ordered(at, s + 1);
            at = s + 1;
        }
    }

    void close_ordered(Id begin, Id end) {
        if (end - begin <= longest_chain) {
            groups_.push_back({begin, end, end - begin == 1 ? Shape::star : Shape::chain, 1, 1});
            return;
        }
        for (Id at = begin; at < end;) {
            Id last = at;
            while (last < end && row(last) == row(at)) ++last;
            groups_.push_back({at, last, Shape::star, 1, 1});
            at = last;
        }
    }

    void unite(Id seen, Id k, Id begin) {
        if (seen < 0) return;
        const Id a = find(seen - begin), b = find(k);
        parent_[std::max(a, b)] = std::min(a, b);
    }

    Id find(Id k) {
        while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
        return k;
    }

    template <class Chosen>
    Value solve(const Group &group, const Value *multipliers, Chosen chosen) {
        switch (group.shape) {
            case Shape::star: return star(group, multipliers, chosen);
            case Shape::pair: return pair(group, multipliers, chosen);
            case Shape::chain: return chain(group, multipliers, chosen);
            default: return assignment(group, multipliers, chosen);
        }
    }

    template <class Chosen>
    Value star(const Group &group, const Value *multipliers, Chosen chosen) {
        Id best = order_[group.begin];
        for (Id at = group.begin + 1; at < group.end; ++at) {
            if (multipliers[order_[at]] > multipliers[best]) best = order_[at];
        }
        if (multipliers[best] <= 0) return 0;
        chosen(best);
        return multipliers[best];
    }

    // Two rows: the two best of either suffice.
    template <class Chosen>
    Value pair(const Group &group, const Value *multipliers, Chosen chosen) {
        Value first[2] = {0, 0}, second[2] = {0, 0};
        Id first_at[2] = {-1, -1}, second_at[2] = {-1, -1};
        for (Id at = group.begin; at < group.end; ++at) {
            const int r = place_[at] >= group.cols;
            const Value m = multipliers[order_[at]];
            if (m > first[r]) {
                second[r] = first[r], second_at[r] = first_at[r];
                first[r] = m, first_at[r] = at;
            } else if (m > second[r]) {
                second[r] = m, second_at[r] = at;
            }
        }
        Id a = first_at[0], b = first_at[1];
        Value sum = first[0] + first[1];
        if (a >= 0 && b >= 0 && place_[a] + group.cols == place_[b]) {
            if (first[0] + second[1] >= second[0] + first[1]) {
                sum = first[0] + second[1], b = second_at[1];
            } else {
                sum = second[0] + first[1], a = second_at[0];
            }
        }
        if (a >= 0) chosen(order_[a]);
        if (b >= 0) chosen(order_[b]);
        return sum;
    }

    template <class Chosen>
    Value chain(const Group &group, const Value *multipliers, Chosen chosen) {
        const Id count = group.end - group.begin;
        total_.resize(count);
        before_.resize(count);
        Id best = -1;
        for (Id k = 0; k < count; ++k) {
            const Id s = order_[group.begin + k];
            total_[k] = 0, before_[k] = -1;
            for (Id p = 0; p < k; ++p) {
                const Id t = order_[group.begin + p];
                if (total_[p] > total_[k] && row(t) < row(s) && col(t) < col(s)) {
                    total_[k] = total_[p], before_[k] = p;
                }
            }
            total_[k] += multipliers[s];
            if (best < 0 || total_[k] > total_[best]) best = k;
        }
        for (Id k = best; k >= 0; k = before_[k]) {
            if (multipliers[order_[group.begin + k]] > 0) chosen(order_[group.begin + k]);
        }
        return total_[best];
    }

    // Shortest augmenting paths on a dense table; an empty cell is worth nothing, like no match.
    template <class Chosen>
    Value assignment(const Group &group, const Value *multipliers, Chosen chosen) {
        const Id n = group.rows, m = group.cols;
        profit_.assign(static_cast<std::size_t>(n) * m, 0);
        for (Id at = group.begin; at < group.end; ++at) profit_[place_[at]] = multipliers[order_[at]];
        u_.assign(n + 1, 0);
        v_.assign(m + 1, 0);
        match_.assign(m + 1, 0);
        way_.assign(m + 1, 0);
        for (Id i = 1; i <= n; ++i) {
            match_[0] = i;
            Id j0 = 0;
            least_.assign(m + 1, std::numeric_limits<Value>::max());
            used_.assign(m + 1, 0);
            do {
                used_[j0] = 1;
                const Id i0 = match_[j0];
                const Value *line = profit_.data() + static_cast<std::size_t>(i0 - 1) * m;
                Value delta = std::numeric_limits<Value>::max();
                Id j1 = 0;
                for (Id j = 1; j <= m; ++j) {
                    if (used_[j]) continue;
                    const Value reduced = -line[j - 1] - u_[i0] - v_[j];
                    if (reduced < least_[j]) least_[j] = reduced, way_[j] = j0;
                    if (least_[j] < delta) delta = least_[j], j1 = j;
                }
                for (Id j = 0; j <= m; ++j) {
                    if (used_[j]) {
                        u_[match_[j]] += delta, v_[j] -= delta;
                    } else {
                        least_[j] -= delta;
                    }
                }
                j0 = j1;
            } while (match_[j0] != 0);
            for (; j0; j0 = way_[j0]) match_[j0] = match_[way_[j0]];
        }
        Value sum = 0;
        for (Id at = group.begin; at < group.end; ++at) {
            const Id i = place_[at] / m, j = place_[at] % m;
            if (match_[j + 1] == i + 1 && multipliers[order_[at]] > 0) {
                sum += multipliers[order_[at]];
                chosen(order_[at]);
            }
        }
        return sum;
    }

    const Problem *problem_ = nullptr;
    std::vector<Group> groups_;
    std::vector<Id> group_begin_, order_, place_;
    std::vector<Id> row_seen_, col_seen_, parent_, root_, smallest_;
    std::vector<Value> total_, profit_, u_, v_, least_;
    std::vector<Id> before_, match_, way_;
    std::vector<char> used_;
};

}  // namespace karat::matching
