// Smaller problems within a problem: what is left when candidates are ruled out
// or taken, independent components, and interchangeable nodes.
#pragma once

#include <algorithm>
#include <vector>

#include "karat/matching/problem.hpp"

namespace karat::matching {

struct Part {
    Problem problem;
    std::vector<Id> origin;          // candidates of the whole
    std::vector<Value> multipliers;  // one per slot
};

// The problem on the listed candidates (in order). With `taken` chosen already,
// what the others earn together with it becomes their own reward; the list must
// not hold candidates that `taken` excludes.
inline Part restrict_to(const Problem &whole, const std::vector<Value> &multipliers, const std::vector<Id> &list,
                        Id taken = -1) {
    Part part;
    Problem &p = part.problem;
    p.ordered = whole.ordered, p.domination = whole.domination;
    const auto count = static_cast<Id>(list.size());
    std::vector<Id> number(whole.candidates(), -1), column(whole.cols, -1);
    for (Id c = 0; c < count; ++c) number[list[c]] = c, column[whole.col_of[list[c]]] = 0;
    for (Id j = 0; j < whole.cols; ++j) {
        if (column[j] < 0) continue;
        column[j] = p.cols++;
        p.system.push_back(whole.system[j]);
        if (!whole.col_class.empty()) p.col_class.push_back(whole.col_class[j]);
    }
    p.row_of.resize(count), p.col_of.resize(count), p.reward.resize(count);
    p.slot_begin.assign(count + 1, 0);
    Id last_row = -1;
    for (Id c = 0; c < count; ++c) {
        const Id old = list[c], row = whole.row_of[old];
        if (row != last_row) {
            last_row = row;
            ++p.rows;
            p.gold.push_back(whole.gold[row]);
            if (!whole.row_class.empty()) p.row_class.push_back(whole.row_class[row]);
        }
        p.row_of[c] = p.rows - 1, p.col_of[c] = column[whole.col_of[old]];
        p.reward[c] = whole.reward[old];
        for (Id s = whole.slot_begin[old]; s < whole.slot_begin[old + 1]; ++s) {
            const Id other = whole.slot_other[s];
            if (other == taken) p.reward[c] += whole.slot_weight[s];
            if (number[other] < 0) continue;
            p.slot_other.push_back(number[other]);
            p.slot_weight.push_back(whole.slot_weight[s]);
            part.multipliers.push_back(multipliers[s]);
        }
        p.slot_begin[c + 1] = p.slots();
    }
    p.link_mates();
    p.index();
    part.origin = list;
    return part;
}

// Candidates that share no row, column or slot, even indirectly, do not
// influence each other: the lists of candidates of each component.
inline std::vector<std::vector<Id>> components(const Problem &problem) {
    std::vector<std::vector<Id>> lists;
    if (problem.constrained()) return lists;
    const Id count = problem.candidates();
    std::vector<Id> component(count, -1), stack;
    std::vector<char> row_done(problem.rows, 0), col_done(problem.cols, 0);
    for (Id start = 0; start < count; ++start) {
        if (component[start] >= 0) continue;
        const auto number = static_cast<Id>(lists.size());
        lists.emplace_back();
        const auto reach = [&](Id c) {
            if (component[c] < 0) component[c] = number, stack.push_back(c);
        };
        reach(start);
        while (!stack.empty()) {
            const Id c = stack.back(), row = problem.row_of[c], col = problem.col_of[c];
            stack.pop_back();
            lists.back().push_back(c);
            for (Id d = problem.row_begin[row]; d < problem.row_begin[row + 1] && !row_done[row]; ++d) reach(d);
            row_done[row] = 1;
            for (Id at = problem.col_begin[col]; at < problem.col_begin[col + 1] && !col_done[col]; ++at) {
                reach(problem.col_list[at]);
            }
            col_done[col] = 1;
            for (Id s = problem.slot_begin[c]; s < problem.slot_begin[c + 1]; ++s) reach(problem.slot_other[s]);
        }
        std::sort(lists.back().begin(), lists.back().end());
    }
    return lists;
}

// Classes of rows, and of columns, that can be exchanged without changing
// anything: same partners, same rewards, same slots.
class Twins {
  public:
    static void find(Problem &problem) {
        Twins twins(problem);
        twins.classify(problem.rows, problem.row_begin, nullptr, problem.col_of, problem.row_class);
        twins.classify(problem.cols, problem.col_begin, problem.col_list.data(), problem.row_of, problem.col_class);
    }

  private:
    explicit Twins(const Problem &problem) : problem_(problem) {}

    void classify(Id nodes, const std::vector<Id> &begin, const Id *list, const std::vector<Id> &partner,
                  std::vector<Id> &classes) {
        std::vector<std::pair<std::uint64_t, Id>> hashes;
        const auto candidate = [&](Id at) { return list ? list[at] : at; };
        for (Id node = 0; node < nodes; ++node) {
            std::uint64_t hash = 0;
            for (Id at = begin[node]; at < begin[node + 1]; ++at) {
                const Id c = candidate(at);
                hash = mix(hash, static_cast<std::uint64_t>(partner[c]));
                hash = mix(hash, static_cast<std::uint64_t>(problem_.reward[c]));
                for (Id s = problem_.slot_begin[c]; s < problem_.slot_begin[c + 1]; ++s) {
                    hash = mix(hash, static_cast<std::uint64_t>(problem_.slot_other[s]));
                }
            }
            hashes.push_back({hash, node});
        }
        const auto equal = [&](Id a, Id b) {
            if (begin[a + 1] - begin[a] != begin[b + 1] - begin[b]) return false;
            for (Id k = 0; k < begin[a + 1] - begin[a]; ++k) {
                const Id c = candidate(begin[a] + k), d = candidate(begin[b] + k);
                if (partner[c] != partner[d] || !alike(c, d)) return false;
            }
            return true;
        };
        std::sort(hashes.begin(), hashes.end());
        classes.resize(nodes);
        for (std::size_t at = 0; at < hashes.size(); ++at) {
            const Id node = hashes[at].second;
            classes[node] = node;
            for (std::size_t b = at; b-- > 0 && hashes[b].first == hashes[at].first;) {
                const Id leader = classes[hashes[b].second];
                if (leader == hashes[b].second && equal(leader, node)) {
                    classes[node] = leader;
                    break;
                }
            }
        }
    }

    bool alike(Id c, Id d) const {
        const Id first = problem_.slot_begin[c], last = problem_.slot_begin[c + 1], other = problem_.slot_begin[d];
        if (problem_.reward[c] != problem_.reward[d]) return false;
        if (last - first != problem_.slot_begin[d + 1] - other) return false;
        for (Id s = first; s < last; ++s) {
            const Id t = other + (s - first);
            if (problem_.slot_other[s] != problem_.slot_other[t] ||
                problem_.slot_weight[s] != problem_.slot_weight[t]) {
                return false;
            }
        }
        return true;
    }

    static std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
        return hash ^ (hash >> 29);
    }

    const Problem &problem_;
};

}  // namespace karat::matching
