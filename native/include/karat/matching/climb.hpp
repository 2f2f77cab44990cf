// Hill climbing from a few starts, as Smatch does it: what it finds is proven by nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "karat/matching/problem.hpp"
#include "karat/resampling.hpp"

namespace karat::matching {

// One climb: of all ways to give a row another column, or to have two rows change
// theirs, the one that earns most is taken, until none earns anything.
class Climber {
  public:
    explicit Climber(const Problem &problem) : problem_(&problem) {}

    Value value() const { return value_; }

    std::vector<Id> chosen() const {
        std::vector<Id> list;
        for (const Id c : row_) {
            if (c >= 0) list.push_back(c);
        }
        return list;
    }

    // Begins with random columns; where `alike`, with those that share most with their row,
    // for as many rows as have one that shares anything.
    void start(Random &random, bool alike, Budget &budget) {
        gain_ = problem_->reward;
        row_.assign(problem_->rows, -1);
        col_.assign(problem_->cols, -1);
        value_ = 0;
        if (alike) pick(random, true);
        pick(random, false);
        budget.spend(2 * (problem_->candidates() + problem_->slots()));
    }

    void climb(Budget &budget) {
        while (!budget.exhausted() && step()) budget.spend(64 * problem_->candidates());
    }

  private:
    struct Step {
        Value gain = 0;
        Id taken = -1, given = -1;  // a candidate, and what the row that loses its column gets
    };

    void pick(Random &random, bool alike) {
        for (Id i = 0; i < problem_->rows; ++i) {
            if (row_[i] >= 0) continue;
            Id best = -1;
            std::uint32_t equal = 0;
            for (Id c = problem_->row_begin[i]; c < problem_->row_begin[i + 1]; ++c) {
                if (col_[problem_->col_of[c]] >= 0) continue;
                if (alike && problem_->reward[c] == 0) continue;
                if (alike && best >= 0 && problem_->reward[c] != problem_->reward[best]) {
                    if (problem_->reward[c] < problem_->reward[best]) continue;
                    equal = 0;
                }
                if (random.below(++equal) == 0) best = c;
            }
            if (best >= 0) add(best);
        }
    }

    bool step() {
        Step best;
        for (Id c = 0; c < problem_->candidates(); ++c) {
            const Id row = problem_->row_of[c], mine = row_[row], robbed = col_[problem_->col_of[c]];
            if (mine == c) continue;
            Step next{gain_[c] - earned(mine), c, -1};
            if (robbed >= 0) {
                next.gain -= gain_[robbed];
                if (mine >= 0) {
                    next.gain += problem_->pair_weight(mine, robbed);
                    next.given = problem_->find(problem_->row_of[robbed], problem_->col_of[mine]);
                }
                if (next.given >= 0) next.gain += gain_[next.given] + problem_->pair_weight(c, next.given);
            }
            if (next.gain > best.gain) best = next;
        }
        if (best.taken < 0) return false;
        const Id mine = row_[problem_->row_of[best.taken]], robbed = col_[problem_->col_of[best.taken]];
        if (mine >= 0) remove(mine);
        if (robbed >= 0) remove(robbed);
        add(best.taken);
        if (best.given >= 0) add(best.given);
        return true;
    }

    Value earned(Id c) const { return c < 0 ? 0 : gain_[c]; }

    void add(Id c) {
        value_ += gain_[c];
        row_[problem_->row_of[c]] = col_[problem_->col_of[c]] = c;
        shift(c, 1);
    }

    void remove(Id c) {
        row_[problem_->row_of[c]] = col_[problem_->col_of[c]] = -1;
        shift(c, -1);
        value_ -= gain_[c];
    }

    void shift(Id c, Value sign) {
        for (Id s = problem_->slot_begin[c]; s < problem_->slot_begin[c + 1]; ++s) {
            gain_[problem_->slot_other[s]] += sign * problem_->slot_weight[s];
        }
    }

    const Problem *problem_;
    Value value_ = 0;
    std::vector<Value> gain_;    // what each candidate would add, or adds
    std::vector<Id> row_, col_;  // the candidate chosen for each, or -1
};

}  // namespace karat::matching
