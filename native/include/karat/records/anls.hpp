// ANLS* as anls_star 1.0.1 with munkres 1.1.4 computes it, to the last digit: the same order of
// scanning, and the same floating-point operations. Each pair of subtrees is computed once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "karat/edit_distance.hpp"
#include "karat/records/json.hpp"

namespace karat::records {

// The six steps of Munkres' algorithm on a square matrix. Which of several best assignments comes
// out depends on the order in which zeros are looked for, so that is part of the definition.
class Munkres {
  public:
    // Rows and columns of the pairs, row by row.
    std::vector<std::pair<std::size_t, std::size_t>> operator()(const std::vector<std::vector<double>> &costs) {
        const std::size_t rows = costs.size(), columns = costs[0].size();
        n_ = std::max(rows, columns);
        cost_.assign(n_ * n_, 0.0);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) cost_[i * n_ + j] = costs[i][j];
        }
        marked_.assign(n_ * n_, 0);
        clear_covers();
        subtract_minima();
        star_zeros();
        while (!all_covered()) {
            std::size_t row = 0, column = 0;
            for (;;) {
                if (!find_zero(row, column)) {
                    shift();
                    row = column = 0;
                    continue;
                }
                marked_[row * n_ + column] = 2;
                const std::size_t star = star_in_row(row);
                if (star == n_) break;
                column = star;
                row_covered_[row] = 1;
                column_covered_[column] = 0;
            }
            augment(row, column);
        }
        std::vector<std::pair<std::size_t, std::size_t>> result;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                if (marked_[i * n_ + j] == 1) result.emplace_back(i, j);
            }
        }
        return result;
    }

  private:
    void clear_covers() {
        row_covered_.assign(n_, 0);
        column_covered_.assign(n_, 0);
    }

    void subtract_minima() {
        for (std::size_t i = 0; i < n_; ++i) {
            double *const row = &cost_[i * n_];
            const double least = *std::min_element(row, row + n_);
            for (std::size_t j = 0; j < n_; ++j) row[j] -= least;
        }
    }

    void star_zeros() {
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                if (cost_[i * n_ + j] == 0 && !column_covered_[j] && !row_covered_[i]) {
                    marked_[i * n_ + j] = 1;
                    column_covered_[j] = row_covered_[i] = 1;
                    break;
                }
            }
        }
        clear_covers();
    }

    bool all_covered() {
        std::size_t count = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                if (marked_[i * n_ + j] == 1 && !column_covered_[j]) column_covered_[j] = 1, ++count;
            }
        }
        return count >= n_;
    }

    // From (row, column) on, row by row and around the end: the last zero of the first row that has one.
    bool find_zero(std::size_t &row, std::size_t &column) {
        const std::size_t first_row = row, first_column = column;
        for (std::size_t down = 0; down < n_; ++down) {
            const std::size_t i = (first_row + down) % n_;
            if (row_covered_[i]) continue;
            bool found = false;
            for (std::size_t right = 0; right < n_; ++right) {
                const std::size_t j = (first_column + right) % n_;
                if (cost_[i * n_ + j] == 0 && !column_covered_[j]) row = i, column = j, found = true;
            }
            if (found) return true;
        }
        return false;
    }

    std::size_t star_in_row(std::size_t row) const {
        for (std::size_t j = 0; j < n_; ++j) {
            if (marked_[row * n_ + j] == 1) return j;
        }
        return n_;
    }

    // Stars and primes change roles along the path that begins at an unstarred prime.
    void augment(std::size_t row, std::size_t column) {
        std::vector<std::pair<std::size_t, std::size_t>> path{{row, column}};
        for (;;) {
            std::size_t star = n_;
            for (std::size_t i = 0; i < n_ && star == n_; ++i) {
                if (marked_[i * n_ + path.back().second] == 1) star = i;
            }
            if (star == n_) break;
            path.emplace_back(star, path.back().second);
            std::size_t prime = 0;
            while (marked_[star * n_ + prime] != 2) ++prime;
            path.emplace_back(star, prime);
        }
        for (const auto &[i, j] : path) marked_[i * n_ + j] = marked_[i * n_ + j] == 1 ? 0 : 1;
        clear_covers();
        for (char &mark : marked_) {
            if (mark == 2) mark = 0;
        }
    }

    void shift() {
        double least = std::numeric_limits<double>::max();
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_ && !row_covered_[i]; ++j) {
                if (!column_covered_[j] && least > cost_[i * n_ + j]) least = cost_[i * n_ + j];
            }
        }
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                if (row_covered_[i]) cost_[i * n_ + j] += least;
                if (!column_covered_[j]) cost_[i * n_ + j] -= least;
            }
        }
    }

    std::size_t n_ = 0;
    std::vector<double> cost_;
    std::vector<char> marked_, row_covered_, column_covered_;
};

// Leaves as Python prints and compares them.
struct AnlsForms {
    std::vector<std::vector<std::int32_t>> string_text, number_text;  // characters, normalised
    std::vector<std::int32_t> number_class;                           // equal numbers have equal classes
    std::int32_t empty_string = -1;
};

class Anls {
  public:
    explicit Anls(const AnlsForms &forms) : forms_(forms), distance_(0x110000) {}

    // The score of a pair; false where the gold is none: a choice between nothing.
    bool operator()(const std::vector<Node> &gold, const std::vector<Node> &system, std::int32_t any_key, double &score) {
        trees_.assign(1, Tree{});
        trees_[nothing].type = Tree::none;
        any_key_ = any_key, broken_ = false;
        std::int32_t g = tree(gold, 0, true);
        const std::int32_t s = tree(system, 0, false);
        if (at(g).type == Tree::list && at(s).type == Tree::string) {
            const auto &children = at(g).children;
            if (std::all_of(children.begin(), children.end(), [&](auto c) { return at(c).type == Tree::string; })) {
                at(g).type = Tree::any;
                broken_ = broken_ || children.empty();
            }
        }
        if (broken_) return false;
        score = compare(g, s).mean();
        return true;
    }

  private:
    struct Tree {
        enum Type { none, string, number, no, yes, list, dict, any } type = none;
        std::int32_t text = -1;
        std::vector<std::int32_t> children, keys;
        std::unordered_map<std::int32_t, std::size_t> places;  // of keys
        std::int64_t length = 1;

        std::int32_t child(std::int32_t key) const {
            const auto found = places.find(key);
            return found == places.end() ? -1 : children[found->second];
        }

        bool is_leaf() const { return type >= string && type <= yes; }
    };

    struct Result {
        std::vector<double> scores;
        std::int64_t length = 0;
        bool equal = false;       // the chosen gold equals what the system has
        bool nothing = false;     // the chosen gold is null, "", [] or {}

        double mean() const {
            double sum = 0;
            for (const double each : scores) sum += each;
            return length > 0 ? sum / static_cast<double>(length) : 1.0;
        }
    };

    static constexpr std::int32_t nothing = 0;  // stands for an absent key

    Tree &at(std::int32_t i) { return trees_[static_cast<std::size_t>(i)]; }

    std::int32_t tree(const std::vector<Node> &nodes, std::size_t node, bool gold) {
        const Node &n = nodes[node];
        const auto index = static_cast<std::int32_t>(trees_.size());
        trees_.emplace_back();
        switch (n.kind) {
            case Kind::null: trees_.back().type = Tree::none; return index;
            case Kind::no: trees_.back().type = Tree::no; return index;
            case Kind::yes: trees_.back().type = Tree::yes; return index;
            case Kind::number: trees_.back().type = Tree::number, trees_.back().text = n.text; return index;
            case Kind::string: trees_.back().type = Tree::string, trees_.back().text = n.text; return index;
            default: break;
        }
        std::vector<std::int32_t> children, keys;
        const auto end = static_cast<std::size_t>(n.next);
        if (n.kind == Kind::object && gold && node + 1 < end && nodes[node + 1].key == any_key_ &&
            static_cast<std::size_t>(nodes[node + 1].next) == end && nodes[node + 1].kind == Kind::array) {
            const std::int32_t list = tree(nodes, node + 1, gold);
            children = at(list).children;
            broken_ = broken_ || children.empty();
            std::int64_t longest = 0;
            for (const std::int32_t child : children) longest = std::max(longest, at(child).length);
            Tree &own = at(index);
            own.type = Tree::any, own.children = std::move(children), own.length = longest;
            return index;
        }
        std::unordered_map<std::int32_t, std::size_t> places;
        for (std::size_t each = node + 1; each < end; each = static_cast<std::size_t>(nodes[each].next)) {
            const std::int32_t child = tree(nodes, each, gold);
            if (n.kind == Kind::object) {
                // A key that comes again keeps its first place and its last value.
                const auto [known, is_new] = places.try_emplace(nodes[each].key, keys.size());
                if (!is_new) {
                    children[known->second] = child;
                    continue;
                }
                keys.push_back(nodes[each].key);
            }
            children.push_back(child);
        }
        std::int64_t length = 0;
        for (const std::int32_t child : children) length += at(child).length;
        Tree &own = at(index);
        own.type = n.kind == Kind::object ? Tree::dict : Tree::list;
        own.children = std::move(children), own.keys = std::move(keys), own.length = length;
        own.places = std::move(places);
        return index;
    }

    const std::vector<std::int32_t> &characters(const Tree &leaf) const {
        static const std::vector<std::int32_t> yes{'t', 'r', 'u', 'e'}, no{'f', 'a', 'l', 's', 'e'};
        if (leaf.type == Tree::string) return forms_.string_text[static_cast<std::size_t>(leaf.text)];
        if (leaf.type == Tree::number) return forms_.number_text[static_cast<std::size_t>(leaf.text)];
        return leaf.type == Tree::yes ? yes : no;
    }

    // Python's equality: True is 1, 1 is 1.0.
    bool same(const Tree &a, const Tree &b) const {
        if ((a.type == Tree::string) != (b.type == Tree::string)) return false;
        if (a.type == Tree::string) return a.text == b.text;
        const auto value = [&](const Tree &leaf) {
            return leaf.type == Tree::number ? forms_.number_class[static_cast<std::size_t>(leaf.text)]
                   : leaf.type == Tree::yes  ? 1
                                             : 0;
        };
        return value(a) == value(b);
    }

    bool is_nothing(const Tree &t) const {
        if (t.type == Tree::none) return true;
        if (t.type == Tree::string) return t.text == forms_.empty_string;
        return (t.type == Tree::list || t.type == Tree::dict) && t.children.empty();
    }

    Result compare(std::int32_t gold, std::int32_t system) {
        const Tree &g = at(gold), &s = at(system);
        Result result;
        result.nothing = is_nothing(g);
        result.length = std::max(g.length, s.length);
        result.scores = {0.0};
        if (g.type == Tree::any) return choice(g, system);
        if (g.type == Tree::none) {
            if (is_nothing(s)) result.scores = {1.0}, result.equal = true;
            return result;
        }
        if (g.is_leaf() && s.is_leaf()) {
            result.scores = {alike(g, s)};
            result.equal = same(g, s);
            return result;
        }
        if (g.type != s.type || g.is_leaf()) return result;
        return g.type == Tree::list ? lists(gold, system) : dicts(gold, system);
    }

    double alike(const Tree &g, const Tree &s) {
        const auto &a = characters(g), &b = characters(s);
        const std::size_t longer = std::max(a.size(), b.size());
        if (longer == 0) return 1.0;
        const double apart = static_cast<double>(distance_({a.data(), a.size()}, {b.data(), b.size()}));
        const double result = 1 - apart / static_cast<double>(longer);
        return result < 0.5 ? 0.0 : result;
    }

    Result choice(const Tree &g, std::int32_t system) {
        const std::vector<std::int32_t> choices = g.children;
        Result most;
        double best = 0;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            Result each = compare(choices[i], system);
            const double mean = each.mean();
            if (i == 0 || mean > best || (mean == best && each.equal && !most.equal)) {
                best = mean;
                most = std::move(each);
            }
        }
        return most;
    }

    Result lists(std::int32_t gold, std::int32_t system) {
        const std::vector<std::int32_t> ours = at(gold).children, theirs = at(system).children;
        Result result;
        result.nothing = ours.empty();
        if (ours.empty() || theirs.empty()) {
            for (const std::int32_t each : ours) result.length += at(each).length;
            for (const std::int32_t each : theirs) result.length += at(each).length;
            result.equal = ours.empty() && theirs.empty();
            return result;
        }
        std::vector<std::vector<Result>> all(ours.size());
        std::vector<std::vector<double>> costs(ours.size());
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < ours.size(); ++i) {
            for (const std::int32_t each : theirs) {
                all[i].push_back(compare(ours[i], each));
                double mean = all[i].back().mean();
                if (all[i].back().equal) mean = std::nextafter(mean, std::numeric_limits<double>::infinity());
                costs[i].push_back(mean);
                most = std::max(most, mean);
            }
        }
        for (auto &row : costs) {
            for (double &cost : row) cost = most - cost;
        }
        std::vector<char> used_ours(ours.size(), 0), used_theirs(theirs.size(), 0);
        result.equal = ours.size() == theirs.size();
        for (const auto &[i, j] : Munkres()(costs)) {
            Result &pair = all[i][j];
            result.scores.insert(result.scores.end(), pair.scores.begin(), pair.scores.end());
            result.length += pair.length;
            result.equal = result.equal && pair.equal;
            used_ours[i] = used_theirs[j] = 1;
        }
        for (std::size_t i = 0; i < ours.size(); ++i) result.length += used_ours[i] ? 0 : at(ours[i]).length;
        for (std::size_t j = 0; j < theirs.size(); ++j) result.length += used_theirs[j] ? 0 : at(theirs[j]).length;
        return result;
    }

    Result dicts(std::int32_t gold, std::int32_t system) {
        const Tree &ours = at(gold), &theirs = at(system);
        Result result;
        result.nothing = true;  // until a key is chosen
        result.equal = true;
        for (std::size_t i = 0; i < ours.keys.size(); ++i) {
            const std::int32_t other = theirs.child(ours.keys[i]);
            Result each = compare(ours.children[i], other < 0 ? nothing : other);
            result.scores.insert(result.scores.end(), each.scores.begin(), each.scores.end());
            result.length += each.length;
            if (other < 0 && each.nothing) continue;  // no key is what fits best
            result.nothing = false;
            result.equal = result.equal && other >= 0 && each.equal;
        }
        for (std::size_t j = 0; j < theirs.keys.size(); ++j) {
            if (ours.child(theirs.keys[j]) >= 0) continue;
            const Tree &other = at(theirs.children[j]);
            result.equal = false;
            result.length += std::max<std::int64_t>(1, other.length);
            if (is_nothing(other)) continue;
            result.scores.push_back(0.0);
            result.nothing = false;
        }
        return result;
    }

    const AnlsForms &forms_;
    EditDistance distance_;
    std::vector<Tree> trees_;
    std::int32_t any_key_ = -1;
    bool broken_ = false;
};

}  // namespace karat::records
