// Finds good mappings: local search by moves, evictions and swaps, with the gain
// of every candidate kept up to date.
#pragma once

#include <algorithm>
#include <vector>

#include "karat/matching/problem.hpp"
#include "karat/resampling.hpp"

namespace karat::matching {

class Ascent {
  public:
    void build(const Problem &problem) {
        problem_ = &problem;
        gain_ = problem.reward;
        row_.assign(problem.rows, -1);
        col_.assign(problem.cols, -1);
        queued_.assign(problem.rows, 0);
        queue_.clear();
        value_ = 0, work_ = 0;
    }

    Value value() const { return value_; }
    const std::vector<Id> &chosen() const { return row_; }

    // Takes over a mapping, given as candidate or -1 for each row; what the
    // constraints forbid is left out.
    template <class Chosen>
    void adopt(Chosen wanted) {
        for (Id i = 0; i < problem_->rows; ++i) {
            if (row_[i] >= 0 && row_[i] != wanted(i)) remove(row_[i]);
        }
        for (Id i = 0; i < problem_->rows; ++i) {
            const Id c = wanted(i);
            if (c >= 0 && row_[i] < 0 && fits(c)) add(c);
        }
    }

    // Climbs to a local optimum.
    void improve(Budget &budget) {
        for (Id i = 0; i < problem_->rows; ++i) enqueue(i);
        settle(budget);
    }

    // Forces a few random candidates in, and climbs again.
    void kick(Random &random, int strength, Budget &budget) {
        for (int k = 0; k < strength; ++k) {
            const Id c = static_cast<Id>(random.below(static_cast<std::uint32_t>(problem_->candidates())));
            if (row_[problem_->row_of[c]] == c) continue;
            collect_conflicts(c);
            insert(c);
        }
        settle(budget);
    }

  private:
    bool fits(Id c) const {
        if (col_[problem_->col_of[c]] >= 0) return false;
        if (!problem_->constrained()) return true;
        for (const Id d : row_) {
            if (d >= 0 && !problem_->compatible(c, d)) return false;
        }
        return true;
    }

    void add(Id c) {
        value_ += gain_[c];
        row_[problem_->row_of[c]] = c, col_[problem_->col_of[c]] = c;
        shift(c, 1);
    }

    void remove(Id c) {
        row_[problem_->row_of[c]] = -1, col_[problem_->col_of[c]] = -1;
        shift(c, -1);
        value_ -= gain_[c];
        for (Id at = problem_->col_begin[problem_->col_of[c]]; at < problem_->col_begin[problem_->col_of[c] + 1]; ++at) {
            enqueue(problem_->row_of[problem_->col_list[at]]);
        }
        enqueue(problem_->row_of[c]);
    }

    void shift(Id c, Value sign) {
        const Id begin = problem_->slot_begin[c], end = problem_->slot_begin[c + 1];
        work_ += end - begin + 1;
        for (Id s = begin; s < end; ++s) {
            const Id other = problem_->slot_other[s];
            gain_[other] += sign * problem_->slot_weight[s];
            enqueue(problem_->row_of[other]);
        }
    }

    void enqueue(Id row) {
        if (queued_[row]) return;
        queued_[row] = 1;
        queue_.push_back(row);
    }

    void settle(Budget &budget) {
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            const Id row = queue_[at];
            queued_[row] = 0;
            improve_row(row);
            budget.spend(work_);
            work_ = 0;
            if (budget.exhausted()) {
                for (; at < queue_.size(); ++at) queued_[queue_[at]] = 0;
                break;
            }
        }
        queue_.clear();
    }

    void improve_row(Id i) {
        for (Id c = problem_->row_begin[i]; c < problem_->row_begin[i + 1]; ++c) {
            ++work_;
            if (gain_[c] == 0 || row_[i] == c) continue;
            if (problem_->constrained()) {
                if (collect_conflicts(c) && gain_[c] > loss()) insert(c);
            } else {
                improve_by(c);
            }
        }
    }

    // Tries a candidate in place of the two it excludes; the row it robs may take another column.
    void improve_by(Id c) {
        const Id mine = row_[problem_->row_of[c]], robbed = col_[problem_->col_of[c]];
        Value delta = gain_[c] - (mine < 0 ? 0 : gain_[mine]);
        if (robbed < 0) {
            if (delta <= 0) return;
            if (mine >= 0) remove(mine);
            add(c);
            return;
        }
        delta += (mine < 0 ? 0 : problem_->pair_weight(mine, robbed)) - gain_[robbed];
        const Id victim = problem_->row_of[robbed], freed = mine < 0 ? -1 : problem_->col_of[mine];
        Value best = 0;
        Id refuge = -1;
        for (Id d = problem_->row_begin[victim]; d < problem_->row_begin[victim + 1]; ++d) {
            const Id col = problem_->col_of[d];
            ++work_;
            if ((col_[col] >= 0 && col != freed) || col == problem_->col_of[c]) continue;
            const Value joint = problem_->pair_weight(d, c);
            const Value lost = mine < 0 ? 0 : problem_->pair_weight(d, mine);
            if (gain_[d] + joint - lost > best) best = gain_[d] + joint - lost, refuge = d;
        }
        if (delta + best <= 0) return;
        remove(robbed);
        if (mine >= 0) remove(mine);
        add(c);
        if (refuge >= 0) add(refuge);
    }

    // The chosen candidates that exclude c; false when there are too many to be worth trying.
    bool collect_conflicts(Id c) {
        conflicts_.clear();
        const Id mine = row_[problem_->row_of[c]], robbed = col_[problem_->col_of[c]];
        if (!problem_->constrained()) {
            if (mine >= 0) conflicts_.push_back(mine);
            if (robbed >= 0) conflicts_.push_back(robbed);
            return true;
        }
        work_ += problem_->rows;
        for (const Id d : row_) {
            if (d >= 0 && !problem_->compatible(c, d)) conflicts_.push_back(d);
        }
        return conflicts_.size() <= 6;
    }

    // What the conflicting candidates earn now.
    Value loss() const {
        Value sum = 0;
        for (std::size_t a = 0; a < conflicts_.size(); ++a) {
            sum += gain_[conflicts_[a]];
            for (std::size_t b = 0; b < a; ++b) sum -= problem_->pair_weight(conflicts_[a], conflicts_[b]);
        }
        return sum;
    }

    void insert(Id c) {
        for (const Id d : conflicts_) remove(d);
        add(c);
    }

    const Problem *problem_ = nullptr;
    Value value_ = 0, work_ = 0;
    std::vector<Value> gain_;
    std::vector<Id> row_, col_, queue_, conflicts_;
    std::vector<char> queued_;
};

}  // namespace karat::matching
