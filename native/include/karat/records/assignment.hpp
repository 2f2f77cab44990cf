// The best one-to-one pairing of the elements of two lists, where some may stay alone.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "karat/records/values.hpp"

namespace karat::records {

// What an alignment is worth: matched weight, then weight that options excuse, then records that
// are wholly equal. Compared in this order and added part by part, which keeps the order.
struct Worth {
    std::int64_t matched = 0, excused = 0, equal = 0;

    Worth operator+(const Worth &o) const { return {matched + o.matched, excused + o.excused, equal + o.equal}; }
    Worth operator-(const Worth &o) const { return {matched - o.matched, excused - o.excused, equal - o.equal}; }
    Worth operator-() const { return {-matched, -excused, -equal}; }
    bool operator==(const Worth &o) const { return matched == o.matched && excused == o.excused && equal == o.equal; }
    bool operator<(const Worth &o) const {
        if (matched != o.matched) return matched < o.matched;
        if (excused != o.excused) return excused < o.excused;
        return equal < o.equal;
    }
    bool is_zero() const { return matched == 0 && excused == 0 && equal == 0; }
};

// What each pair of elements is worth, filled row by row. Long lists of records share few values: then a
// table keeps each value once, and its number for each pair, which takes a sixth of the memory.
class WorthTable {
  public:
    WorthTable(Id rows, Id columns) : rows_(static_cast<std::size_t>(rows)), columns_(static_cast<std::size_t>(columns)) {
        counted_ = rows_ * columns_ >= kLarge;
        if (counted_) numbers_.reserve(rows_ * columns_);
        else cells_.reserve(rows_ * columns_);
    }

    Id rows() const { return static_cast<Id>(rows_); }
    Id columns() const { return static_cast<Id>(columns_); }

    const Worth &operator()(Id i, Id j) const {
        const std::size_t cell = static_cast<std::size_t>(i) * columns_ + static_cast<std::size_t>(j);
        return counted_ ? cells_[numbers_[cell]] : cells_[cell];
    }

    void push(const Worth &worth) {
        if (!counted_) {
            cells_.push_back(worth);
            return;
        }
        if (numbers_.empty() || !(cells_[last_] == worth)) {
            const auto [at, is_new] = known_.try_emplace(worth, static_cast<std::uint32_t>(cells_.size()));
            if (is_new) cells_.push_back(worth);
            last_ = at->second;
        }
        numbers_.push_back(last_);
        if (cells_.size() > rows_ * columns_ / 16) spell_out();
    }

    WorthTable turned() const {
        WorthTable other(columns(), rows());
        for (Id j = 0; j < columns(); ++j) {
            for (Id i = 0; i < rows(); ++i) other.push((*this)(i, j));
        }
        return other;
    }

  private:
    static constexpr std::size_t kLarge = 1 << 16;

    struct Hash {
        std::size_t operator()(const Worth &worth) const {
            std::uint64_t mixed = 0;
            for (const std::int64_t part : {worth.matched, worth.excused, worth.equal}) {
                mixed = (mixed ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
                mixed ^= mixed >> 29;
            }
            return static_cast<std::size_t>(mixed);
        }
    };

    // So many values differ that numbers for them would save nothing.
    void spell_out() {
        std::vector<Worth> cells;
        cells.reserve(rows_ * columns_);
        for (const std::uint32_t number : numbers_) cells.push_back(cells_[number]);
        cells_ = std::move(cells);
        counted_ = false;
        numbers_ = {};
        known_ = {};
    }

    std::size_t rows_, columns_;
    bool counted_;
    std::vector<Worth> cells_;  // of all pairs, or each value once
    std::vector<std::uint32_t> numbers_;
    std::unordered_map<Worth, std::uint32_t, Hash> known_;
    std::uint32_t last_ = 0;
};

// Shortest augmenting paths on a dense table; pairs that are worth nothing are never made. Prices
// prove the optimum: row(i) + column(j) >= worth(i, j), tight where paired, 0 where alone.
class Pairing {
  public:
    // So many cells may be looked at; a table that takes more is a length_error.
    explicit Pairing(const WorthTable &table, std::uint64_t most_steps = ~std::uint64_t{0})
        : table_(table), steps_left_(most_steps), rows_(table.rows()), columns_(table.columns()), row_price_(static_cast<std::size_t>(rows_)),
          column_price_(static_cast<std::size_t>(columns_)), partner_(static_cast<std::size_t>(rows_), -1),
          owner_(static_cast<std::size_t>(columns_), -1) {
        for (Id i = 0; i < rows_; ++i) insert(i);
    }

    Worth total() const {
        Worth sum;
        for (Id i = 0; i < rows_; ++i) {
            if (partner(i) >= 0) sum = sum + at(i, partner(i));
        }
        return sum;
    }

    Id partner(Id row) const { return partner_[static_cast<std::size_t>(row)]; }

    // Of all best pairings the one in which rows, in the given order, take the first column, in
    // the given order, that they can have, and a partner before none.
    void settle(const std::vector<Id> &row_order, const std::vector<Id> &column_order) {
        fixed_row_.assign(partner_.size(), false);
        fixed_column_.assign(owner_.size(), false);
        for (const Id i : row_order) {
            for (const Id j : column_order) {
                if (fixed_column_[static_cast<std::size_t>(j)] || !is_tight(i, j)) continue;
                if (partner(i) == j || exchange(i, j)) {
                    fixed_column_[static_cast<std::size_t>(j)] = true;
                    break;
                }
            }
            fixed_row_[static_cast<std::size_t>(i)] = true;
        }
    }

  private:
    const Worth &at(Id i, Id j) const { return table_(i, j); }

    Worth slack(Id i, Id j) const {
        return row_price_[static_cast<std::size_t>(i)] + column_price_[static_cast<std::size_t>(j)] - at(i, j);
    }

    bool is_tight(Id i, Id j) const { return !at(i, j).is_zero() && slack(i, j).is_zero(); }

    // A new row gets its share: from a free column, or from a row that can do without.
    void insert(Id start) {
        const auto columns = static_cast<std::size_t>(columns_);
        Worth &price = row_price_[static_cast<std::size_t>(start)];
        for (Id j = 0; j < columns_; ++j) {
            const Worth left = at(start, j) - column_price_[static_cast<std::size_t>(j)];
            if (price < left) price = left;
        }
        distance_.assign(columns, {});
        reached_by_.assign(columns, -1);
        done_.assign(columns, false);
        tree_.clear();
        Id row = start, loser = -1, last = -1;
        Worth far, best_alone;
        bool has_alone = false;
        for (;;) {
            if (steps_left_ < columns) throw std::length_error("the best pairing takes too many steps");
            steps_left_ -= columns;
            tree_.emplace_back(row, far);
            const Worth alone = far + row_price_[static_cast<std::size_t>(row)];
            if (!has_alone || alone < best_alone) best_alone = alone, loser = row, has_alone = true;
            Id next = -1;
            for (Id j = 0; j < columns_; ++j) {
                const auto c = static_cast<std::size_t>(j);
                if (done_[c]) continue;
                if (!at(row, j).is_zero()) {
                    const Worth through = far + slack(row, j);
                    if (reached_by_[c] < 0 || through < distance_[c]) distance_[c] = through, reached_by_[c] = row;
                }
                if (reached_by_[c] >= 0 && (next < 0 || distance_[c] < distance_[static_cast<std::size_t>(next)])) next = j;
            }
            if (next < 0 || best_alone < distance_[static_cast<std::size_t>(next)]) {
                far = best_alone;
                break;
            }
            const auto c = static_cast<std::size_t>(next);
            far = distance_[c];
            done_[c] = true;
            if (owner_[c] < 0) {
                last = next;
                break;
            }
            row = owner_[c];
        }
        for (const auto &[reached, then] : tree_) {
            Worth &own = row_price_[static_cast<std::size_t>(reached)];
            own = own - (far - then);
        }
        for (std::size_t c = 0; c < columns; ++c) {
            if (done_[c] && distance_[c] < far) column_price_[c] = column_price_[c] + (far - distance_[c]);
        }
        Id free = last;
        if (last < 0) {  // a row is left alone, and gives its column away
            free = partner_[static_cast<std::size_t>(loser)];
            partner_[static_cast<std::size_t>(loser)] = -1;
            if (free >= 0) owner_[static_cast<std::size_t>(free)] = -1;
        }
        while (free >= 0) {
            const Id taker = reached_by_[static_cast<std::size_t>(free)];
            const Id before = partner_[static_cast<std::size_t>(taker)];
            partner_[static_cast<std::size_t>(taker)] = free;
            owner_[static_cast<std::size_t>(free)] = taker;
            free = before;
        }
    }

    // Gives column j to row i if a best pairing has both and all that is fixed: i's old column must
    // be reached from j's old owner along tight pairs. `outside` stands for being alone: rows and
    // columns that cost nothing may go there, and those that are there may come back.
    bool exchange(Id i, Id j) {
        const Id wanted = partner(i), displaced = owner_[static_cast<std::size_t>(j)];
        const Id outside = rows_;
        from_.assign(static_cast<std::size_t>(rows_) + 1, unseen);
        taken_.assign(static_cast<std::size_t>(rows_) + 1, -1);
        std::vector<Id> queue;
        const auto see = [&](Id node, Id from, Id column) {
            if (from_[static_cast<std::size_t>(node)] != unseen) return;
            from_[static_cast<std::size_t>(node)] = from;
            taken_[static_cast<std::size_t>(node)] = column;
            queue.push_back(node);
        };
        from_[static_cast<std::size_t>(i)] = blocked;
        see(displaced >= 0 ? displaced : outside, root, -1);
        Id end = unseen, end_column = -1;
        for (std::size_t head = 0; head < queue.size() && end == unseen; ++head) {
            const Id node = queue[head];
            if (node == outside) {
                if (wanted < 0 || column_price_[static_cast<std::size_t>(wanted)].is_zero()) {
                    end = outside;
                    break;
                }
                for (Id x = 0; x < rows_; ++x) {
                    if (fixed_row_[static_cast<std::size_t>(x)]) continue;
                    const Id own = partner(x);
                    if (own < 0) {
                        see(x, outside, -1);
                    } else if (own != j && column_price_[static_cast<std::size_t>(own)].is_zero()) {
                        see(x, outside, own);
                    }
                }
                continue;
            }
            if (row_price_[static_cast<std::size_t>(node)].is_zero()) see(outside, node, -1);
            for (Id c = 0; c < columns_; ++c) {
                if (c == j || fixed_column_[static_cast<std::size_t>(c)] || !is_tight(node, c)) continue;
                if (c == wanted) {
                    end = node, end_column = c;
                    break;
                }
                const Id next = owner_[static_cast<std::size_t>(c)];
                see(next >= 0 ? next : outside, node, c);
            }
        }
        if (end == unseen) return false;
        // Back from the end: each row on the way gets the column that its successor had.
        std::vector<std::pair<Id, Id>> gains;  // row, column or -1
        if (end != outside) gains.emplace_back(end, end_column);
        for (Id node = end; from_[static_cast<std::size_t>(node)] != root;) {
            const Id before = from_[static_cast<std::size_t>(node)];
            if (before != outside) gains.emplace_back(before, taken_[static_cast<std::size_t>(node)]);
            node = before;
        }
        gains.emplace_back(i, j);
        if (wanted >= 0) owner_[static_cast<std::size_t>(wanted)] = -1;
        for (const auto &[row, column] : gains) {
            const Id old = partner_[static_cast<std::size_t>(row)];
            if (old >= 0 && owner_[static_cast<std::size_t>(old)] == row) owner_[static_cast<std::size_t>(old)] = -1;
        }
        for (const auto &[row, column] : gains) {
            partner_[static_cast<std::size_t>(row)] = column;
            if (column >= 0) owner_[static_cast<std::size_t>(column)] = row;
        }
        return true;
    }

    static constexpr Id unseen = -3, root = -2, blocked = -4;

    const WorthTable &table_;
    std::uint64_t steps_left_;
    Id rows_, columns_;
    std::vector<Worth> row_price_, column_price_;
    std::vector<Id> partner_, owner_;
    std::vector<Worth> distance_;
    std::vector<Id> reached_by_, from_, taken_;
    std::vector<char> done_, fixed_row_, fixed_column_;
    std::vector<std::pair<Id, Worth>> tree_;
};

}  // namespace karat::records
