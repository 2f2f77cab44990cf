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
        free_.resize(problem.cols), place_.resize(problem.cols);
        for (Id j = 0; j < problem.cols; ++j) free_[j] = place_[j] = j;
        queued_.assign(problem.rows, 1);
        queue_.resize(problem.rows);
        top_gain_.assign(problem.rows, 0);
        for (Id i = 0; i < problem.rows; ++i) {
            queue_[i] = i;
            for (Id c = problem.row_begin[i]; c < problem.row_begin[i + 1]; ++c) raise(i, gain_[c]);
        }
        top_weight_ = 0;
        for (const Value weight : problem.slot_weight) top_weight_ = std::max(top_weight_, weight);
        value_ = 0, work_ = 0;
    }

    Value value() const { return value_; }
    const std::vector<Id> &chosen() const { return row_; }

    // Takes over a mapping, given as candidate or -1 for each row; what the
    // constraints forbid is left out.
    template <class Chosen>
    void adopt(Chosen wanted, Budget &budget) {
        for (Id i = 0; i < problem_->rows; ++i) {
            if (row_[i] >= 0 && row_[i] != wanted(i)) remove(row_[i]);
        }
        for (Id i = 0; i < problem_->rows; ++i) {
            const Id c = wanted(i);
            if (c >= 0 && row_[i] < 0 && fits(c)) add(c);
        }
        work_ += problem_->rows;
        spend(budget);
    }

    // Builds a mapping from nothing: next comes the candidate that earns most with
    // those already chosen, less what the dual charges for it. So the mapping grows
    // along edges, and parts of a graph that occur more than once stay in one piece.
    template <class Charge>
    void grow(Charge charge, Value scale, Budget &budget) {
        for (const Id c : std::vector<Id>(row_)) {
            if (c >= 0) remove(c);
        }
        set_charges(charge);
        growth_.clear();
        for (Id c = 0; c < problem_->candidates(); ++c) {
            if (charge_[c] < dearest_sprout * scale) growth_.push_back({-charge_[c], gain_[c], c});
        }
        std::make_heap(growth_.begin(), growth_.end());
        work_ += problem_->candidates() + 8 * static_cast<Value>(growth_.size());
        Id free = std::min(problem_->rows, problem_->cols);
        while (!growth_.empty() && free > 0) {
            std::pop_heap(growth_.begin(), growth_.end());
            const Sprout sprout = growth_.back();
            growth_.pop_back();
            work_ += 100;
            const Id c = sprout.candidate;
            if (sprout.gain != gain_[c] || row_[problem_->row_of[c]] >= 0 || !fits(c)) continue;
            add(c);
            --free;
            for (Id s = problem_->slot_begin[c]; s < problem_->slot_begin[c + 1]; ++s) {
                const Id other = problem_->slot_other[s];
                if (row_[problem_->row_of[other]] >= 0 || col_[problem_->col_of[other]] >= 0) continue;
                const Value earned = gain_[other] - problem_->reward[other];
                growth_.push_back({earned * scale - charge_[other], gain_[other], other});
                std::push_heap(growth_.begin(), growth_.end());
                work_ += 20;
            }
        }
        spend(budget);
    }

    // Climbs to a local optimum. Only rows near a change since the last climb are looked at.
    void improve(Budget &budget) {
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            const Id row = queue_[at];
            queued_[row] = 0;
            improve_row(row);
            spend(budget);
            if (budget.exhausted()) {
                for (; at < queue_.size(); ++at) queued_[queue_[at]] = 0;
                break;
            }
        }
        queue_.clear();
    }

    // Forces a few random candidates in, and climbs again.
    void kick(Random &random, int strength, Budget &budget) {
        for (int k = 0; k < strength; ++k) {
            const Id c = static_cast<Id>(random.below(static_cast<std::uint32_t>(problem_->candidates())));
            if (row_[problem_->row_of[c]] == c) continue;
            collect_conflicts(c);
            insert(c);
        }
        improve(budget);
    }

    template <class Charge>
    void set_charges(Charge charge) {
        charge_.resize(problem_->candidates());
        for (Id c = 0; c < problem_->candidates(); ++c) charge_[c] = charge(c);
        work_ += problem_->candidates();
    }

    // Empties up to `size` rows that lie together, fills them anew, and improves them.
    void rebuild(Random &random, Id size, Value scale, Budget &budget) {
        region_.clear();
        const auto enter = [&](Id row) {
            if (static_cast<Id>(region_.size()) >= size) return;
            if (std::find(region_.begin(), region_.end(), row) == region_.end()) region_.push_back(row);
        };
        enter(static_cast<Id>(random.below(static_cast<std::uint32_t>(problem_->rows))));
        for (std::size_t at = 0; at < region_.size(); ++at) {
            const Id c = row_[region_[at]];
            if (c < 0) continue;
            const Id begin = problem_->slot_begin[c], slots = problem_->slot_begin[c + 1] - begin;
            if (slots == 0) continue;
            const Id turn = static_cast<Id>(random.below(static_cast<std::uint32_t>(slots)));
            for (Id k = 0; k < slots; ++k) {
                const Id s = begin + (k + turn) % slots;
                enter(problem_->row_of[problem_->slot_other[s]]);
            }
            work_ += 8 * slots;
        }
        for (const Id row : region_) {
            if (row_[row] >= 0) remove(row_[row]);
        }
        while (fill_one(random, scale)) {
        }
        for (const Id row : region_) improve_row(row);
        for (const Id row : queue_) queued_[row] = 0;
        queue_.clear();
        spend(budget);
    }

    // Climbs with all rows looked at.
    void improve_all(Budget &budget) {
        for (Id row = 0; row < problem_->rows; ++row) enqueue(row);
        improve(budget);
    }

  private:
    static constexpr Value dearest_sprout = 2;  // in matches; see docs/matching.md, section 10

    struct Sprout {
        Value key, gain;
        Id candidate;
        bool operator<(const Sprout &o) const {
            if (key != o.key) return key < o.key;
            return gain != o.gain ? gain < o.gain : candidate > o.candidate;
        }
    };

    void spend(Budget &budget) {
        budget.spend(2 * work_);
        work_ = 0;
    }

    // Adds to the emptied rows the candidate that earns most with those chosen, less its charge, more or less.
    bool fill_one(Random &random, Value scale) {
        Id best = -1;
        Value most = 0;
        for (const Id row : region_) {
            if (row_[row] >= 0) continue;
            work_ += problem_->row_begin[row + 1] - problem_->row_begin[row];
            for (Id c = problem_->row_begin[row]; c < problem_->row_begin[row + 1]; ++c) {
                if (gain_[c] == 0) continue;
                const Value key = (gain_[c] - problem_->reward[c]) * scale - charge_[c];
                if (best >= 0 && key + scale <= most) continue;
                if (!fits(c)) continue;
                const Value noisy = key + random.below(static_cast<std::uint32_t>(scale));
                if (best < 0 || noisy > most) best = c, most = noisy;
            }
        }
        if (best >= 0) add(best);
        return best >= 0;
    }

    bool fits(Id c) const {
        if (col_[problem_->col_of[c]] >= 0) return false;
        if (!problem_->constrained()) return true;
        for (const Id d : row_) {
            if (d >= 0 && !problem_->compatible(c, d)) return false;
        }
        return true;
    }

    void add(Id c) {
        const Id col = problem_->col_of[c];
        value_ += gain_[c];
        row_[problem_->row_of[c]] = c, col_[col] = c;
        place_[free_.back()] = place_[col];
        free_[place_[col]] = free_.back();
        free_.pop_back();
        shift(c, 1);
    }

    void remove(Id c) {
        const Id col = problem_->col_of[c];
        row_[problem_->row_of[c]] = -1, col_[col] = -1;
        place_[col] = static_cast<Id>(free_.size());
        free_.push_back(col);
        shift(c, -1);
        value_ -= gain_[c];
        for (Id at = problem_->col_begin[col]; at < problem_->col_begin[col + 1]; ++at) {
            enqueue(problem_->row_of[problem_->col_list[at]]);
        }
        work_ += problem_->col_begin[col + 1] - problem_->col_begin[col];
        enqueue(problem_->row_of[c]);
    }

    void shift(Id c, Value sign) {
        const Id begin = problem_->slot_begin[c], end = problem_->slot_begin[c + 1];
        work_ += end - begin + 1;
        for (Id s = begin; s < end; ++s) {
            const Id other = problem_->slot_other[s];
            gain_[other] += sign * problem_->slot_weight[s];
            raise(problem_->row_of[other], gain_[other]);
            enqueue(problem_->row_of[other]);
        }
    }

    void raise(Id row, Value gain) {
        if (gain > top_gain_[row]) top_gain_[row] = gain;
    }

    void enqueue(Id row) {
        if (queued_[row]) return;
        queued_[row] = 1;
        queue_.push_back(row);
    }

    void improve_row(Id i) {
        top_gain_[i] = 0;
        for (Id c = problem_->row_begin[i]; c < problem_->row_begin[i + 1]; ++c) raise(i, gain_[c]);
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
        if (delta + top_gain_[victim] + top_weight_ <= 0) return;
        Value best = std::max<Value>(0, -delta);
        Id refuge = -1;
        const auto consider = [&](Id d) {
            if (gain_[d] + top_weight_ <= best) return;
            work_ += 16;
            const Value lost = mine < 0 ? 0 : problem_->pair_weight(d, mine);
            const Value gain = gain_[d] + problem_->pair_weight(d, c) - lost;
            if (gain > best) best = gain, refuge = d;
        };
        const Id begin = problem_->row_begin[victim], end = problem_->row_begin[victim + 1];
        if (static_cast<Id>(free_.size()) < (end - begin) / 8) {
            work_ += 8 * static_cast<Value>(free_.size());
            for (const Id col : free_) consider_cell(victim, col, consider);
            if (freed >= 0) consider_cell(victim, freed, consider);
        } else {
            work_ += end - begin;
            for (Id d = begin; d < end; ++d) {
                const Id col = problem_->col_of[d];
                if (col == freed || col_[col] < 0) consider(d);
            }
        }
        if (delta + best <= 0) return;
        remove(robbed);
        if (mine >= 0) remove(mine);
        add(c);
        if (refuge >= 0) add(refuge);
    }

    template <class Consider>
    void consider_cell(Id row, Id col, Consider consider) const {
        const Id candidate = problem_->find(row, col);
        if (candidate >= 0) consider(candidate);
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
    Value top_weight_ = 0;         // of all slots
    std::vector<Value> gain_;      // what each candidate would add, or adds
    std::vector<Value> top_gain_;  // no candidate of the row has a greater gain
    std::vector<Value> charge_;
    std::vector<Sprout> growth_;
    std::vector<Id> row_, col_, queue_, conflicts_, region_;
    std::vector<Id> free_, place_;  // unmatched columns, and where each stands
    std::vector<char> queued_;
};

}  // namespace karat::matching
