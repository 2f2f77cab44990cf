// The matching problem proper: candidates (gold node, system node) with rewards,
// and slots, which join two candidates that earn more when both are chosen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "karat/matching/input.hpp"

namespace karat::matching {

// A pair of nodes as one number: gold node * number of system nodes + system node.
using Code = std::uint64_t;

// Which node lies below which, as one bit per pair of nodes of a side.
class Domination {
  public:
    void assign(const Pair &pair) {
        fill(gold_, gold_leaf_, pair.gold);
        fill(system_, system_leaf_, pair.system);
        gold_nodes_ = pair.gold.nodes, system_nodes_ = pair.system.nodes;
    }
    bool gold_below(Id upper, Id lower) const { return gold_[index(gold_nodes_, upper, lower)]; }
    bool system_below(Id upper, Id lower) const { return system_[index(system_nodes_, upper, lower)]; }
    // A leaf pairs with a leaf only.
    bool allows(Id i, Id j) const { return gold_leaf_[i] == system_leaf_[j]; }
    bool allows(Id i, Id j, Id k, Id l) const {
        return (!gold_[index(gold_nodes_, i, k)] || system_[index(system_nodes_, j, l)]) &&
               (!gold_[index(gold_nodes_, k, i)] || system_[index(system_nodes_, l, j)]);
    }

  private:
    static std::size_t index(Id nodes, Id upper, Id lower) {
        return static_cast<std::size_t>(upper) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(lower);
    }
    static void fill(std::vector<bool> &below, std::vector<bool> &leaf, const Side &side) {
        const auto n = static_cast<std::size_t>(side.nodes);
        below.assign(n * n, false);
        leaf.assign(n, true);
        for (const Below &b : side.below) {
            below[index(side.nodes, b.upper, b.lower)] = true;
            leaf[static_cast<std::size_t>(b.upper)] = false;
        }
    }

    Id gold_nodes_ = 0, system_nodes_ = 0;
    std::vector<bool> gold_, system_, gold_leaf_, system_leaf_;
};

// Candidates are sorted by row (gold node), then column (system node); the slots
// of a candidate by the candidate at the other end. Each possible edge match is
// two slots, one at either candidate, that know each other as mates.
struct Problem {
    Id rows = 0, cols = 0;
    bool ordered = false;
    const Domination *domination = nullptr;
    std::vector<Id> gold, system;           // node ids of rows and columns
    std::vector<Id> row_class, col_class;   // interchangeable nodes share a number; empty: not known
    std::vector<Id> row_begin;              // candidates of a row
    std::vector<Id> col_begin, col_list;    // candidates of a column
    std::vector<Id> row_of, col_of;
    std::vector<Value> reward;
    std::vector<Id> slot_begin, slot_other, slot_mate;
    std::vector<Value> slot_weight;

    Id candidates() const { return static_cast<Id>(row_of.size()); }
    Id slots() const { return static_cast<Id>(slot_other.size()); }
    bool constrained() const { return ordered || domination != nullptr; }

    // May both be chosen?
    bool compatible(Id c, Id d) const {
        if (row_of[c] == row_of[d] || col_of[c] == col_of[d]) return false;
        if (ordered && (row_of[c] < row_of[d]) != (col_of[c] < col_of[d])) return false;
        return !domination || domination->allows(gold[row_of[c]], system[col_of[c]], gold[row_of[d]],
                                                 system[col_of[d]]);
    }

    // What the two earn together beyond their rewards.
    Value pair_weight(Id c, Id d) const {
        if (slot_begin[c + 1] - slot_begin[c] > slot_begin[d + 1] - slot_begin[d]) std::swap(c, d);
        const auto first = slot_other.begin() + slot_begin[c], last = slot_other.begin() + slot_begin[c + 1];
        const auto at = std::lower_bound(first, last, d);
        return at != last && *at == d ? slot_weight[at - slot_other.begin()] : 0;
    }

    // The candidate of a row and a column, or -1.
    Id find(Id row, Id col) const {
        const auto first = col_of.begin() + row_begin[row], last = col_of.begin() + row_begin[row + 1];
        const auto at = std::lower_bound(first, last, col);
        return at != last && *at == col ? static_cast<Id>(at - col_of.begin()) : -1;
    }

    // The slot of a candidate towards another, which it must have.
    Id find_slot(Id c, Id d) const {
        const auto first = slot_other.begin() + slot_begin[c], last = slot_other.begin() + slot_begin[c + 1];
        return static_cast<Id>(std::lower_bound(first, last, d) - slot_other.begin());
    }

    // The mates of all slots, from their other ends.
    void link_mates() {
        slot_mate.resize(slot_other.size());
        for (Id c = 0; c < candidates(); ++c) {
            for (Id s = slot_begin[c]; s < slot_begin[c + 1]; ++s) slot_mate[s] = find_slot(slot_other[s], c);
        }
    }

    // Rows and columns from the sorted candidates.
    void index() {
        const Id count = candidates();
        row_begin.assign(rows + 1, 0);
        col_begin.assign(cols + 1, 0);
        for (Id c = 0; c < count; ++c) ++row_begin[row_of[c] + 1], ++col_begin[col_of[c] + 1];
        for (Id i = 0; i < rows; ++i) row_begin[i + 1] += row_begin[i];
        for (Id j = 0; j < cols; ++j) col_begin[j + 1] += col_begin[j];
        col_list.resize(count);
        for (Id c = 0; c < count; ++c) col_list[col_begin[col_of[c]]++] = c;
        for (Id j = cols; j > 0; --j) col_begin[j] = col_begin[j - 1];
        col_begin[0] = 0;
    }
};

// Counts elementary operations, so that results repeat on any machine. `tick` is
// called now and then and may throw to end a search from outside.
class Budget {
  public:
    using Tick = void (*)(void *);
    explicit Budget(Value limit, Tick tick = nullptr, void *context = nullptr)
        : left_(limit), next_tick_(limit - interval), tick_(tick), context_(context) {}

    // With a limit of its own, and the tick of another.
    Budget(Value limit, const Budget &other) : Budget(limit, other.tick_, other.context_) {}

    void spend(Value operations) {
        left_ -= operations;
        spent_ += operations;
        if (tick_ && left_ <= next_tick_) {
            next_tick_ = left_ - interval;
            tick_(context_);
        }
    }
    bool exhausted() const { return left_ <= 0; }
    Value left() const { return left_; }
    Value spent() const { return spent_; }

  private:
    static constexpr Value interval = 1 << 20;
    Value left_, next_tick_, spent_ = 0;
    Tick tick_;
    void *context_;
};

}  // namespace karat::matching
