// The Lagrangian bound. Each possible edge match is earned in two halves, one at
// either candidate; the multipliers say how it is split. Candidates then decide
// on their own (the inner problem) and one assignment decides among them (the
// outer problem). All numbers are integers scaled by a fixed factor, so that the
// bound is a proof as it stands.
#pragma once

#include <cmath>
#include <vector>

#include "karat/matching/assignment.hpp"
#include "karat/matching/neighbourhood.hpp"
#include "karat/matching/problem.hpp"

namespace karat::matching {

class Dual {
  public:
    // With no multipliers each match is split evenly.
    void build(const Problem &problem, Value scale, const std::vector<Value> *multipliers = nullptr) {
        problem_ = &problem, scale_ = scale;
        neighbourhoods_.build(problem);
        if (problem.ordered) {
            alignment_.build(problem);
        } else {
            assignment_.build(problem);
        }
        const Id slots = problem.slots(), candidates = problem.candidates();
        if (multipliers) {
            multipliers_ = *multipliers;
        } else {
            multipliers_.resize(slots);
            for (Id s = 0; s < slots; ++s) {
                const Value whole = problem.slot_weight[s] * scale;
                multipliers_[s] = s < problem.slot_mate[s] ? whole / 2 : whole - whole / 2;
            }
        }
        velocity_.assign(slots, 0);
        selected_.assign(slots, 0);
        moving_.clear();
        strain_.assign(problem.rows, 0);
        profit_.resize(candidates);
        dirty_.assign(candidates, 1);
        dirty_row_.assign(problem.rows, 0);
        dirty_list_.resize(candidates);
        for (Id c = 0; c < candidates; ++c) dirty_list_[c] = c;
    }

    // The bound at the present multipliers, scaled.
    Value bound(Budget &budget) {
        refresh(budget);
        return problem_->ordered ? alignment_.solve(profit_, budget)
                                 : assignment_.solve(profit_, changed_rows_, budget);
    }

    // What each candidate earns at the present multipliers, scaled.
    const std::vector<Value> &refresh(Budget &budget) {
        changed_rows_.clear();
        Value work = 0;
        for (const Id c : dirty_list_) {
            dirty_[c] = 0;
            profit_[c] = problem_->reward[c] * scale_ + neighbourhoods_.value(c, multipliers_.data());
            work += 1 + neighbourhoods_.cost(c);
            if (!dirty_row_[problem_->row_of[c]]) {
                dirty_row_[problem_->row_of[c]] = 1;
                changed_rows_.push_back(problem_->row_of[c]);
            }
        }
        dirty_list_.clear();
        for (const Id i : changed_rows_) dirty_row_[i] = 0;
        budget.spend(work);
        return profit_;
    }

    // What each column costs at the last bound, in problems without order.
    const std::vector<Value> &column_prices() const { return assignment_.column_prices(); }

    // The candidate the outer problem chose for a row, or -1.
    Id chosen(Id row) const { return problem_->ordered ? alignment_.chosen(row) : assignment_.chosen(row); }

    // No mapping with this candidate is worth more (scaled).
    Value through(Id c) { return problem_->ordered ? alignment_.through(c) : assignment_.through(c); }

    const std::vector<Value> &multipliers() const { return multipliers_; }

    // How much the chosen candidate of a row disagreed with its neighbours at the last step.
    Value strain(Id row) const { return strain_[row]; }

    // Moves the multipliers against the deflected subgradient by factor * gap
    // (Polyak's rule). Velocities are integers and each move is one product, so
    // that the path is the same on every machine. False when both halves agree
    // everywhere: the chosen candidates then earn exactly the bound.
    bool step(double factor, Value gap, Budget &budget) {
        Value work = select();
        std::fill(strain_.begin(), strain_.end(), 0);
        for (const Id s : moving_) velocity_[s] = velocity_[s] * momentum / 10;
        bool agreed = true;
        for (const Id s : selection_) {
            const Id mate = problem_->slot_mate[s];
            if (selected_[mate] & chosen_here) continue;
            agreed = false;
            strain_[problem_->row_of[problem_->slot_other[mate]]] += problem_->slot_weight[s];
            const Id first = std::min(s, mate);
            if (!listed(first)) moving_.push_back(first), selected_[first] |= in_motion;
            velocity_[first] += s == first ? unit_velocity : -unit_velocity;
        }
        for (const Id s : selection_) selected_[s] &= in_motion;
        if (agreed) return false;
        double norm = 0;
        for (const Id s : moving_) norm += static_cast<double>(velocity_[s]) * static_cast<double>(velocity_[s]);
        const double pace = factor * static_cast<double>(gap) * static_cast<double>(unit_velocity) / norm;
        std::size_t kept = 0;
        for (const Id s : moving_) {
            if (velocity_[s] == 0) {
                selected_[s] &= static_cast<char>(~in_motion);
                continue;
            }
            moving_[kept++] = s;
            move(s, pace * static_cast<double>(velocity_[s]));
        }
        work += static_cast<Value>(moving_.size());
        moving_.resize(kept);
        budget.spend(work);
        return true;
    }

  private:
    // See docs/matching.md, sections 3 and 10; momentum in tenths.
    static constexpr Value unit_velocity = 1024, momentum = 7;
    static constexpr char chosen_here = 1, in_motion = 2;

    bool listed(Id slot) const { return selected_[slot] & in_motion; }

    Value select() {
        Value work = problem_->rows;
        selection_.clear();
        for (Id i = 0; i < problem_->rows; ++i) {
            const Id c = chosen(i);
            if (c < 0) continue;
            work += neighbourhoods_.cost(c);
            neighbourhoods_.select(c, multipliers_.data(), [&](Id s) {
                selected_[s] |= chosen_here;
                selection_.push_back(s);
            });
        }
        return work;
    }

    void move(Id s, double by) {
        const Id mate = problem_->slot_mate[s];
        const Value whole = problem_->slot_weight[s] * scale_;
        const auto limit = static_cast<double>(whole);
        const Value rounded = std::llround(std::max(-limit, std::min(limit, by)));
        const Value to = std::max<Value>(0, std::min(whole, multipliers_[s] - rounded));
        if (to == multipliers_[s]) return;
        multipliers_[s] = to;
        multipliers_[mate] = whole - to;
        soil(problem_->slot_other[mate]);
        soil(problem_->slot_other[s]);
    }

    void soil(Id c) {
        if (dirty_[c]) return;
        dirty_[c] = 1;
        dirty_list_.push_back(c);
    }

    const Problem *problem_ = nullptr;
    Value scale_ = 1;
    Neighbourhoods neighbourhoods_;
    Assignment assignment_;
    Alignment alignment_;
    std::vector<Value> multipliers_, profit_, velocity_, strain_;
    std::vector<char> selected_, dirty_, dirty_row_;
    std::vector<Id> moving_, selection_, dirty_list_, changed_rows_;
};

}  // namespace karat::matching
