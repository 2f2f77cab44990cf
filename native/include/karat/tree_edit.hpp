// Edit distance of ordered forests (Zhang & Shasha 1989), with the counts of an
// optimal script.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace karat {

struct EditCounts {
    std::int64_t distance = 0, inserted = 0, deleted = 0, renamed = 0, kept = 0;
};

// The nodes of a forest in postorder, numbered from 1, children in the order of
// their words.
class OrderedForest {
  public:
    void assign(const std::int32_t *heads, std::size_t size) {
        first_child_.assign(size + 1, 0);
        next_sibling_.assign(size + 1, 0);
        for (std::size_t word = size; word >= 1; --word) {
            std::int32_t &child = first_child_[heads[word - 1]];
            next_sibling_[word] = child;
            child = static_cast<std::int32_t>(word);
        }
        words_.assign(1, 0);
        leftmost_.assign(1, 1);
        stack_.clear();
        visit(0);
        while (!stack_.empty()) {
            auto &[word, child, leaf] = stack_.back();
            if (child) {
                const std::int32_t next = child;
                child = next_sibling_[child];
                visit(next);
                continue;
            }
            if (word) {
                words_.push_back(word);
                leftmost_.push_back(leaf);
            }
            stack_.pop_back();
        }
        // Of the nodes with the same leftmost leaf, the last one; the whole forest is not a node.
        keyroots_.clear();
        seen_.assign(size + 2, false);
        for (std::size_t i = size; i >= 1; --i) {
            if (!seen_[leftmost_[i]]) keyroots_.push_back(static_cast<std::int32_t>(i));
            seen_[leftmost_[i]] = true;
        }
        std::reverse(keyroots_.begin(), keyroots_.end());
    }

    std::size_t size() const { return words_.size() - 1; }
    std::int32_t word(std::size_t node) const { return words_[node]; }
    std::int32_t leftmost(std::size_t node) const { return leftmost_[node]; }
    const std::vector<std::int32_t> &keyroots() const { return keyroots_; }

  private:
    struct Frame {
        std::int32_t word, next_child, first_leaf;
    };

    void visit(std::int32_t word) {
        stack_.push_back({word, first_child_[word], static_cast<std::int32_t>(words_.size())});
    }

    std::vector<std::int32_t> first_child_, next_sibling_, words_, leftmost_, keyroots_;
    std::vector<Frame> stack_;
    std::vector<bool> seen_;
};

// `cost(v, w)` is that of matching word v of the first forest with word w of
// the second; inserting and deleting cost 1. One object per thread.
class TreeEdit {
  public:
    template <class Cost>
    EditCounts operator()(const std::int32_t *a, std::size_t a_size, const std::int32_t *b, std::size_t b_size,
                          Cost cost) {
        a_.assign(a, a_size);
        b_.assign(b, b_size);
        columns_ = b_size + 1;
        trees_.assign((a_size + 1) * columns_, 0);
        forests_.assign((a_size + 1) * columns_, 0);
        for (const std::int32_t i : a_.keyroots()) {
            for (const std::int32_t j : b_.keyroots()) fill(a_.leftmost(i), i, b_.leftmost(j), j, cost, true);
        }
        EditCounts counts;
        trace(cost, counts);
        counts.distance += counts.inserted + counts.deleted;
        return counts;
    }

  private:
    std::int32_t &tree(std::size_t i, std::size_t j) { return trees_[i * columns_ + j]; }
    // The distance of the forests before node i and before node j, from where they begin.
    std::int32_t &forest(std::size_t i, std::size_t j) { return forests_[i * columns_ + j]; }

    // Distances between the forests of nodes a_first..i and b_first..j for all i and j; where both
    // are whole trees, those are distances of trees, which are kept if asked for.
    template <class Cost>
    void fill(std::size_t a_first, std::size_t a_last, std::size_t b_first, std::size_t b_last, Cost cost,
              bool keep) {
        forest(a_first - 1, b_first - 1) = 0;
        for (std::size_t i = a_first; i <= a_last; ++i) forest(i, b_first - 1) = forest(i - 1, b_first - 1) + 1;
        for (std::size_t j = b_first; j <= b_last; ++j) forest(a_first - 1, j) = forest(a_first - 1, j - 1) + 1;
        for (std::size_t i = a_first; i <= a_last; ++i) {
            const std::size_t a_leaf = a_.leftmost(i);
            for (std::size_t j = b_first; j <= b_last; ++j) {
                const std::size_t b_leaf = b_.leftmost(j);
                const std::int32_t edited = std::min(forest(i - 1, j), forest(i, j - 1)) + 1;
                if (a_leaf == a_first && b_leaf == b_first) {
                    const std::int32_t matched = forest(i - 1, j - 1) + cost(a_.word(i), b_.word(j));
                    forest(i, j) = std::min(edited, matched);
                    if (keep) tree(i, j) = forest(i, j);
                } else {
                    forest(i, j) = std::min(edited, forest(a_leaf - 1, b_leaf - 1) + tree(i, j));
                }
            }
        }
    }

    // Walks back through an optimal script: a match if there is one, else a deletion, else an
    // insertion. Pairs of trees that match as wholes wait until the forest around them is done,
    // since both use the same table.
    template <class Cost>
    void trace(Cost cost, EditCounts &counts) {
        struct Part {
            std::size_t a_first, a_last, b_first, b_last;
        };
        std::vector<Part> waiting{{1, a_.size(), 1, b_.size()}};
        while (!waiting.empty()) {
            const Part part = waiting.back();
            waiting.pop_back();
            fill(part.a_first, part.a_last, part.b_first, part.b_last, cost, false);
            std::size_t i = part.a_last, j = part.b_last;
            while (i >= part.a_first || j >= part.b_first) {
                if (i >= part.a_first && j >= part.b_first) {
                    const std::size_t a_leaf = a_.leftmost(i), b_leaf = b_.leftmost(j);
                    if (a_leaf == part.a_first && b_leaf == part.b_first) {
                        const std::int32_t price = cost(a_.word(i), b_.word(j));
                        if (forest(i, j) == forest(i - 1, j - 1) + price) {
                            ++(price ? counts.renamed : counts.kept);
                            counts.distance += price;
                            --i, --j;
                            continue;
                        }
                    } else if (forest(i, j) == forest(a_leaf - 1, b_leaf - 1) + tree(i, j)) {
                        waiting.push_back({a_leaf, i, b_leaf, j});
                        i = a_leaf - 1, j = b_leaf - 1;
                        continue;
                    }
                }
                if (i >= part.a_first && forest(i, j) == forest(i - 1, j) + 1) {
                    ++counts.deleted;
                    --i;
                } else {
                    ++counts.inserted;
                    --j;
                }
            }
        }
    }

    OrderedForest a_, b_;
    std::size_t columns_ = 0;
    std::vector<std::int32_t> trees_, forests_;
};

}  // namespace karat
