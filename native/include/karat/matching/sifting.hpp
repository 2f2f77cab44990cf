// Large problems without their full size in memory: a core of candidates is
// bounded, the others are priced one by one from the graphs themselves, and those
// that cost too little join the core. See docs/matching.md, section 9.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "karat/matching/incidence.hpp"
#include "karat/matching/problem.hpp"

namespace karat::matching {

// Calls visit(gold half, system half, candidate) for each candidate of the
// problem that joins other ends of the halves. The shorter of two lists is walked.
template <class Visit>
void visit_links(const Problem &problem, const Half *g, const Half *g_end, const Half *s, const Half *s_end,
                 Visit visit) {
    for (; g != g_end; ++g) {
        const Id first = problem.row_begin[g->other], last = problem.row_begin[g->other + 1];
        if (s_end - s <= last - first) {
            for (const Half *at = s; at != s_end; ++at) {
                const Id d = problem.find(g->other, at->other);
                if (d >= 0) visit(g, at, d);
            }
        } else {
            for (Id d = first; d < last; ++d) {
                const Half *at = std::lower_bound(s, s_end, Half{g->key, problem.col_of[d]});
                if (at != s_end && at->other == problem.col_of[d]) visit(g, at, d);
            }
        }
    }
}

// The problem on the candidates given as sorted codes. Rows and columns are all nodes.
inline void build_on(const Incidence &incidence, const std::vector<Code> &codes, Problem &problem) {
    const auto cols = static_cast<Code>(incidence.system.nodes);
    problem = Problem();
    problem.rows = incidence.gold.nodes, problem.cols = incidence.system.nodes;
    for (Id i = 0; i < problem.rows; ++i) problem.gold.push_back(i);
    for (Id j = 0; j < problem.cols; ++j) problem.system.push_back(j);
    problem.row_of.reserve(codes.size()), problem.col_of.reserve(codes.size());
    for (const Code code : codes) {
        problem.row_of.push_back(static_cast<Id>(code / cols));
        problem.col_of.push_back(static_cast<Id>(code % cols));
    }
    problem.index();
    problem.slot_begin.assign(codes.size() + 1, 0);
    std::vector<std::pair<Id, Value>> links;
    for (Id c = 0; c < problem.candidates(); ++c) {
        const Id i = problem.row_of[c], j = problem.col_of[c];
        Value reward = 0;
        const Span<Id> ours = incidence.gold.features[i], theirs = incidence.system.features[j];
        for (const Id *g = ours.begin(), *s = theirs.begin(); g != ours.end() && s != theirs.end();) {
            if (*g < *s) {
                ++g;
            } else if (*s < *g) {
                ++s;
            } else {
                reward += incidence.feature_weight[*g];
                ++g, ++s;
            }
        }
        problem.reward.push_back(reward);
        links.clear();
        join_halves(incidence.gold.halves[i], incidence.system.halves[j],
                    [&](Id key, const Half *g, const Half *g_end, const Half *s, const Half *s_end) {
                        visit_links(problem, g, g_end, s, s_end, [&](const Half *, const Half *, Id d) {
                            links.push_back({d, incidence.half_weight[key]});
                        });
                    });
        std::sort(links.begin(), links.end());
        for (std::size_t at = 0; at < links.size(); ++at) {
            if (at > 0 && links[at].first == links[at - 1].first) {
                problem.slot_weight.back() += links[at].second;
            } else {
                problem.slot_other.push_back(links[at].first);
                problem.slot_weight.push_back(links[at].second);
            }
        }
        problem.slot_begin[c + 1] = static_cast<Id>(problem.slot_other.size());
    }
    problem.link_mates();
}

// What a dual of the core proves about all candidates. A possible edge match
// between a candidate of the core and another is earned wholly by the other;
// between two others each earns half.
class Sifting {
  public:
    void build(const Incidence &incidence, Value scale) {
        incidence_ = &incidence, scale_ = scale;
        std::vector<std::pair<Id, Id>> nodes;
        const Incidence::Side &side = incidence.system;
        for (Id j = 0; j < side.nodes; ++j) {
            for (const Id key : side.features[j]) nodes.push_back({key, j});
        }
        by_feature_.fill(static_cast<Id>(incidence.feature_weight.size()), nodes);
        std::vector<std::pair<Id, Count>> counts;
        for (Id j = 0; j < side.nodes; ++j) {
            for (const Half &half : side.halves[j]) {
                if (!counts.empty() && counts.back().first == half.key && counts.back().second.node == j) {
                    ++counts.back().second.count;
                } else {
                    counts.push_back({half.key, {j, 1}});
                }
            }
        }
        by_half_.fill(static_cast<Id>(incidence.half_weight.size()), counts);
        reward_.assign(static_cast<std::size_t>(side.nodes), 0);
        links_.assign(static_cast<std::size_t>(side.nodes), 0);
    }

    // The most promising candidates of each row, when each end of an edge earns half, and those of the mapping.
    std::vector<Code> first_core(const std::vector<Id> &mapping, Budget &budget) {
        std::vector<Code> codes;
        std::vector<std::pair<Value, Id>> best;
        for (Id i = 0; i < incidence_->gold.nodes; ++i) {
            best.clear();
            visit_row(i, budget, [&](Id j, Value reward, Value links) { best.push_back({-2 * reward - links, j}); });
            const auto kept = std::min<std::size_t>(best.size(), first_in_row);
            std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end());
            for (std::size_t at = 0; at < kept; ++at) codes.push_back(code(i, best[at].second));
        }
        add_mapping(mapping, codes);
        return codes;
    }

    void add_mapping(const std::vector<Id> &mapping, std::vector<Code> &codes) const {
        for (Id i = 0; i < incidence_->gold.nodes; ++i) {
            if (mapping[i] >= 0) codes.push_back(code(i, mapping[i]));
        }
        std::sort(codes.begin(), codes.end());
        codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    }

    // The bound on all mappings (scaled), and what kept it from being that of the core.
    struct Priced {
        Value bound = 0;
        std::vector<Value> row;       // price of each row
        std::vector<Code> violating;  // candidates that earn more than row and column cost, the worst of each row
    };

    // `profit`: of the core's candidates at the multipliers.
    Priced price(const Problem &core, const std::vector<Value> &profit, const std::vector<Value> &column,
                 Budget &budget) {
        Priced priced;
        for (const Value b : column) priced.bound += b;
        std::vector<std::pair<Value, Id>> worst;
        for (Id i = 0; i < incidence_->gold.nodes; ++i) {
            Value own = 0;
            for (Id c = core.row_begin[i]; c < core.row_begin[i + 1]; ++c) {
                own = std::max(own, profit[c] - column[core.col_of[c]]);
            }
            worst.clear();
            visit_row(i, budget, [&](Id j, Value reward, Value links) {
                if ((reward + links) * scale_ <= own + column[j] || core.find(i, j) >= 0) return;
                const Value excess = outside(core, i, j, reward, budget) - own - column[j];
                if (excess > 0) worst.push_back({-excess, j});
            });
            const auto kept = std::min<std::size_t>(worst.size(), more_in_row);
            std::partial_sort(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(kept), worst.end());
            for (std::size_t at = 0; at < kept; ++at) priced.violating.push_back(code(i, worst[at].second));
            if (kept > 0) own -= worst[0].first;
            priced.row.push_back(own);
            priced.bound += own;
        }
        return priced;
    }

    // All candidates that a mapping worth `need` (scaled) can hold, or none when they are more than `most`.
    bool survivors(const Problem &core, const std::vector<Value> &profit, const std::vector<Value> &column,
                   const Priced &priced, Value need, std::size_t most, std::vector<Code> &codes, Budget &budget) {
        codes.clear();
        for (Id i = 0; i < incidence_->gold.nodes; ++i) {
            const Value spare = priced.bound - need - priced.row[i];
            for (Id c = core.row_begin[i]; c < core.row_begin[i + 1]; ++c) {
                if (profit[c] - column[core.col_of[c]] + spare >= 0) codes.push_back(code(i, core.col_of[c]));
            }
            visit_row(i, budget, [&](Id j, Value reward, Value links) {
                if ((reward + links) * scale_ - column[j] + spare < 0 || core.find(i, j) >= 0) return;
                if (outside(core, i, j, reward, budget) - column[j] + spare >= 0) codes.push_back(code(i, j));
            });
            if (codes.size() > most) return false;
        }
        std::sort(codes.begin(), codes.end());
        return true;
    }

    // The multipliers of a problem on other candidates that keep what the core's prove.
    static std::vector<Value> carry(const Problem &core, const std::vector<Value> &multipliers, const Problem &other,
                                    Value scale) {
        std::vector<Value> carried(other.slot_other.size());
        std::vector<Id> old(other.row_of.size());
        for (Id c = 0; c < other.candidates(); ++c) old[c] = core.find(other.row_of[c], other.col_of[c]);
        for (Id c = 0; c < other.candidates(); ++c) {
            for (Id s = other.slot_begin[c]; s < other.slot_begin[c + 1]; ++s) {
                const Id d = other.slot_other[s];
                const Value whole = other.slot_weight[s] * scale;
                if (old[c] >= 0 && old[d] >= 0) {
                    carried[s] = multipliers[core.find_slot(old[c], old[d])];
                } else if (old[c] < 0 && old[d] < 0) {
                    carried[s] = c < d ? whole / 2 : whole - whole / 2;
                } else {
                    carried[s] = old[c] < 0 ? whole : 0;
                }
            }
        }
        return carried;
    }

    // Work of one pass over all candidates, about.
    Value pass() const { return 2 * incidence_->products + incidence_->gold.nodes; }

  private:
    // See docs/matching.md, section 10.
    static constexpr std::size_t first_in_row = 32, more_in_row = 16;

    struct Count {
        Id node, count;
    };

    Code code(Id i, Id j) const {
        return static_cast<Code>(i) * static_cast<Code>(incidence_->system.nodes) + static_cast<Code>(j);
    }

    // Calls visit(column, reward, most that its links can earn) for each candidate of a row.
    template <class Visit>
    void visit_row(Id i, Budget &budget, Visit visit) {
        const auto touch = [&](Id j) {
            if (reward_[j] == 0 && links_[j] == 0) touched_.push_back(j);
        };
        touched_.clear();
        Value work = 1;
        for (const Id key : incidence_->gold.features[i]) {
            const auto nodes = by_feature_[key];
            for (const Id j : nodes) touch(j), reward_[j] += incidence_->feature_weight[key];
            work += static_cast<Value>(nodes.size);
        }
        const Span<Half> halves = incidence_->gold.halves[i];
        for (const Half *half = halves.begin(); half != halves.end();) {
            const Half *end = half;
            while (end != halves.end() && end->key == half->key) ++end;
            const auto counts = by_half_[half->key];
            const Value weight = incidence_->half_weight[half->key];
            for (const Count &each : counts) {
                touch(each.node);
                links_[each.node] += weight * std::min<Value>(end - half, each.count);
            }
            work += static_cast<Value>(counts.size);
            half = end;
        }
        budget.spend(2 * work);
        for (const Id j : touched_) visit(j, reward_[j], links_[j]);
        for (const Id j : touched_) reward_[j] = links_[j] = 0;
    }

    // No less than what a candidate outside the core earns (scaled).
    Value outside(const Problem &core, Id i, Id j, Value reward, Budget &budget) {
        Value sum = reward * scale_, work = 1;
        join_halves(incidence_->gold.halves[i], incidence_->system.halves[j],
                    [&](Id key, const Half *g, const Half *g_end, const Half *s, const Half *s_end) {
                        const Value whole = incidence_->half_weight[key] * scale_, half = whole - whole / 2;
                        Value rows = 0, cols = 0;  // other ends in the core
                        const Half *last = nullptr;
                        seen_.assign(static_cast<std::size_t>(s_end - s), 0);
                        visit_links(core, g, g_end, s, s_end, [&](const Half *a, const Half *b, Id) {
                            if (a != last) ++rows, last = a;
                            char &seen = seen_[static_cast<std::size_t>(b - s)];
                            cols += !seen, seen = 1;
                        });
                        const Value pairs = std::min(g_end - g, s_end - s);
                        const Value wholes = std::min(pairs, std::min(rows, cols));
                        sum += wholes * whole + (pairs - wholes) * half;
                        work += (g_end - g) + (s_end - s);
                    });
        budget.spend(8 * work);
        return sum;
    }

    const Incidence *incidence_ = nullptr;
    Value scale_ = 1;
    Lists<Id> by_feature_;
    Lists<Count> by_half_;
    std::vector<Value> reward_, links_;  // of the columns of one row
    std::vector<Id> touched_;
    std::vector<char> seen_;
};

}  // namespace karat::matching
