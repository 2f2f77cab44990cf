// Pairs of graphs as Python gives them, for the kernels that match them.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "arrays.hpp"
#include "karat/matching/input.hpp"

namespace karat::bindings {

namespace matching = karat::matching;
using matching::Id;
using matching::Value;

// Ctrl-C: the thread that made the call looks for signals now and then, and all
// stop when it has seen one.
class Interruption {
  public:
    // Runs the work without the GIL; when it was interrupted, Python's error is raised.
    template <class Work>
    void guard(Work work) {
        try {
            nb::gil_scoped_release release;
            work();
        } catch (const Stop &) {
            throw nb::python_error();
        }
    }

    static void tick(void *self) { static_cast<Interruption *>(self)->look(); }

  private:
    struct Stop {};
    using Clock = std::chrono::steady_clock;

    void look() {
        if (std::this_thread::get_id() == caller_ && Clock::now() >= next_) {
            next_ = Clock::now() + std::chrono::milliseconds(50);
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) stop_ = true;
        }
        if (stop_) throw Stop();
    }

    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
    std::atomic<bool> stop_{false};
};

inline void check_offsets(const Vector<Value> &offsets, std::size_t pairs, std::size_t rows) {
    if (offsets.shape(0) != pairs + 1) throw nb::value_error("one more offset than there are pairs");
    if (offsets(0) != 0) throw nb::value_error("offsets must begin with 0");
    for (std::size_t i = 0; i < pairs; ++i) {
        if (offsets(i + 1) < offsets(i)) throw nb::value_error("offsets must not decrease");
    }
    if (static_cast<std::size_t>(offsets(pairs)) != rows) {
        throw nb::value_error("the last offset must be the number of rows");
    }
}

// Rows of a flat table that belong to each pair.
template <class Row>
class Table {
  public:
    Table(Matrix<Id> rows, Vector<Value> offsets) : rows_(std::move(rows)), offsets_(std::move(offsets)) {}

    void check(std::size_t pairs) const {
        if (rows_.shape(1) * sizeof(Id) != sizeof(Row)) {
            throw nb::value_error("a table has the wrong number of columns");
        }
        check_offsets(offsets_, pairs, rows_.shape(0));
    }

    matching::Span<Row> operator[](std::size_t i) const {
        return {reinterpret_cast<const Row *>(rows_.data()) + offsets_(i),
                static_cast<std::size_t>(offsets_(i + 1) - offsets_(i))};
    }

  private:
    Matrix<Id> rows_;
    Vector<Value> offsets_;
};

// The arrays of one call. They stay Python's, which may write to them, so every use checks them anew.
class Pairs {
  public:
    Pairs(Matrix<Id> nodes, Vector<Id> modes, Matrix<Id> gold_features, Vector<Value> gold_feature_offsets,
          Matrix<Id> system_features, Vector<Value> system_feature_offsets, Matrix<Id> gold_edges,
          Vector<Value> gold_edge_offsets, Matrix<Id> system_edges, Vector<Value> system_edge_offsets,
          Matrix<Id> gold_below, Vector<Value> gold_below_offsets, Matrix<Id> system_below,
          Vector<Value> system_below_offsets, Vector<Value> weights, Vector<Id> ranks)
        : nodes_(std::move(nodes)),
          modes_(std::move(modes)),
          gold_features_(std::move(gold_features), std::move(gold_feature_offsets)),
          system_features_(std::move(system_features), std::move(system_feature_offsets)),
          gold_edges_(std::move(gold_edges), std::move(gold_edge_offsets)),
          system_edges_(std::move(system_edges), std::move(system_edge_offsets)),
          gold_below_(std::move(gold_below), std::move(gold_below_offsets)),
          system_below_(std::move(system_below), std::move(system_below_offsets)),
          weights_(std::move(weights)),
          ranks_(std::move(ranks)) {
        check();
    }

    void check() const {
        if (nodes_.shape(1) != 2) throw nb::value_error("nodes must have two columns");
        if (modes_.shape(0) != count()) throw nb::value_error("one mode for each pair");
        gold_features_.check(count()), system_features_.check(count());
        gold_edges_.check(count()), system_edges_.check(count());
        gold_below_.check(count()), system_below_.check(count());
        matching::check_kinds(kinds());
        for (std::size_t i = 0; i < count(); ++i) {
            if (modes_(i) < 0 || modes_(i) > 2) throw nb::value_error("a mode is 0, 1 or 2");
            const matching::Pair pair = (*this)[i];
            matching::check_side(pair.gold, kinds());
            matching::check_side(pair.system, kinds());
        }
    }

    std::size_t count() const { return nodes_.shape(0); }
    matching::Kinds kinds() const {
        return {{weights_.data(), weights_.shape(0)}, {ranks_.data(), ranks_.shape(0)}};
    }

    // Where the gold nodes of each pair begin among those of all pairs.
    std::vector<std::size_t> gold_offsets() const {
        std::vector<std::size_t> first(count() + 1, 0);
        for (std::size_t i = 0; i < count(); ++i) first[i + 1] = first[i] + static_cast<std::size_t>(nodes_(i, 0));
        return first;
    }

    matching::Pair operator[](std::size_t i) const {
        return {{nodes_(i, 0), gold_features_[i], gold_edges_[i], gold_below_[i]},
                {nodes_(i, 1), system_features_[i], system_edges_[i], system_below_[i]},
                static_cast<matching::Mode>(modes_(i))};
    }

  private:
    Matrix<Id> nodes_;
    Vector<Id> modes_;
    Table<matching::Feature> gold_features_, system_features_;
    Table<matching::Edge> gold_edges_, system_edges_;
    Table<matching::Below> gold_below_, system_below_;
    Vector<Value> weights_;
    Vector<Id> ranks_;
};

}  // namespace karat::bindings
