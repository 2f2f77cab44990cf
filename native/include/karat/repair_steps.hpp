// Steps from the tuples of a system's graph to those of gold, under a mapping of nodes.
//
// As karat.graphs.repair.steps, which says what steps are, finds them, in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "karat/matching/difference.hpp"

namespace karat::repair {

using matching::Difference;
using matching::DistinctTuples;
using matching::Id;
using matching::Tuple;
using Numbers = std::vector<std::uint32_t>;

enum class Part : std::uint8_t { node, top, label, property, anchor, edge, attribute };
enum class Action : std::uint8_t { add, remove, relabel, reattach };

// What a tuple stands for in its graph.
struct Element {
    Part part;
    Id at;     // the place of the node, or of the edge
    Id place;  // which property of the node it is
    Id name;   // of properties and attributes, a number for what stays when they are relabelled
};

// What all tuples of a graph stand for, in the order in which they were given.
class Elements {
  public:
    std::vector<Element> given;

    void match(const DistinctTuples &tuples) {
        constexpr std::uint32_t none = -1;
        first_.assign(tuples.all.size(), none);
        edges_.clear();
        for (std::uint32_t i = 0; i < given.size(); ++i) {
            const std::uint32_t tuple = tuples.place(i);
            if (first_[tuple] == none) first_[tuple] = i;
            if (given[i].part != Part::edge) continue;
            const auto at = static_cast<std::size_t>(given[i].at);
            edges_.resize(std::max(edges_.size(), at + 1));
            edges_[at] = tuple;
        }
    }

    // The first part of the graph that a tuple stands for.
    const Element &of(std::uint32_t tuple) const { return given[first_[tuple]]; }

    // The tuple of an edge.
    std::uint32_t edge(Id at) const { return edges_[static_cast<std::size_t>(at)]; }

  private:
    Numbers first_, edges_;
};

// The tuples of gold that are added, and of the system that are removed; the first ones name the step.
struct Step {
    Part part;
    Action action;
    Numbers missing, surplus;
    std::vector<Id> nodes;  // of gold that are added, or of the system that are deleted
};

// Pairs as many as possible, those that prefer each other first: by paths of exchanges, breadth first.
class Assignment {
  public:
    using Choices = std::vector<Numbers>;
    static constexpr std::uint32_t none = -1;

    Numbers partner;  // of each on the left, or none

    void find(const Choices &preferred, const Choices &others, std::size_t right) {
        partner.assign(preferred.size(), none);
        holder_.assign(right, none);
        came_from_.resize(right);
        seen_.assign(right, 0);
        round_ = 0;
        for (const bool both : {false, true}) {
            for (std::uint32_t i = 0; i < preferred.size(); ++i) {
                if (partner[i] == none) augment(i, preferred, both ? &others : nullptr);
            }
        }
    }

  private:
    void augment(std::uint32_t start, const Choices &preferred, const Choices *others) {
        ++round_;
        waiting_.assign(1, start);
        for (std::size_t at = 0; at < waiting_.size(); ++at) {
            const std::uint32_t i = waiting_[at];
            if (reaches_free(i, preferred[i]) || (others && reaches_free(i, (*others)[i]))) return;
        }
    }

    bool reaches_free(std::uint32_t i, const Numbers &choices) {
        for (const std::uint32_t j : choices) {
            if (seen_[j] == round_) continue;
            seen_[j] = round_;
            came_from_[j] = i;
            if (holder_[j] != none) {
                waiting_.push_back(holder_[j]);
                continue;
            }
            for (std::uint32_t at = j; at != none;) {
                const std::uint32_t one = came_from_[at], before = partner[one];
                partner[one] = at, holder_[at] = one;
                at = before;
            }
            return true;
        }
        return false;
    }

    Numbers holder_, came_from_, waiting_;
    std::vector<std::uint64_t> seen_;
    std::uint64_t round_ = 0;
};

class StepFinder {
  public:
    std::vector<Step> steps;

    // `found` compares both sides under the mapping; the elements have been matched with its tuples.
    void find(const Difference &found, const Elements &gold, const Elements &system, matching::Span<Id> mapping) {
        steps.clear();
        hanging_.clear();
        alone_.clear();
        for (std::size_t i = 0; i < mapping.size; ++i) {
            if (mapping[i] < 0) alone_.push_back(static_cast<Id>(i));
        }
        part_off(found.gold, mapping.size, true);
        bundle(found.gold, gold, missing_);
        alone_.clear();
        for (std::size_t i = 0; i < found.partner.size(); ++i) {
            if (found.partner[i] < 0) alone_.push_back(static_cast<Id>(i));
        }
        part_off(found.system, found.partner.size(), false);
        bundle(found.system, system, surplus_);
        join(found, gold, system, mapping);
        std::move(hanging_.begin(), hanging_.end(), std::back_inserter(steps));
    }

  private:
    using Key = std::array<std::int64_t, 5>;

    // A tuple with those that cannot be without it: the attributes of an edge.
    struct Bundle {
        Part part;
        Numbers tuples;
    };

    struct Keys {
        std::array<Key, 2> all;
        std::size_t size = 0;

        void add(const Key &key) { all[size++] = key; }
    };

    static std::size_t index(Id number) { return static_cast<std::size_t>(number); }

    // Steps for nodes without partner, those joined by an edge together; `rest_` is what hangs on none of them.
    void part_off(const DistinctTuples &tuples, std::size_t nodes, bool missing) {
        rest_.clear();
        is_alone_.assign(nodes, 0);
        for (const Id node : alone_) is_alone_[index(node)] = 1;
        leader_.resize(nodes);
        std::iota(leader_.begin(), leader_.end(), 0);
        hung_.clear();
        for (std::uint32_t i = 0; i < tuples.all.size(); ++i) {
            if (tuples.matched[i]) continue;
            const Id source = tuples.all[i].source, target = tuples.all[i].target;
            const bool first = is_alone_[index(source)], second = target >= 0 && is_alone_[index(target)];
            if (!first && !second) {
                rest_.push_back(i);
                continue;
            }
            if (first && second) leader_[index(leader(target))] = leader(source);
            hung_.push_back({first ? source : target, i});
        }
        group_.assign(nodes, -1);
        for (const Id node : alone_) {
            Id &group = group_[index(leader(node))];
            if (group < 0) {
                group = static_cast<Id>(hanging_.size());
                hanging_.push_back({Part::node, missing ? Action::add : Action::remove, {}, {}, {}});
            }
            hanging_[index(group)].nodes.push_back(node);
        }
        for (const auto &[node, tuple] : hung_) {
            Step &step = hanging_[index(group_[index(leader(node))])];
            (missing ? step.missing : step.surplus).push_back(tuple);
        }
    }

    Id leader(Id node) {
        while (leader_[index(node)] != node) node = leader_[index(node)] = leader_[index(leader_[index(node)])];
        return node;
    }

    void bundle(const DistinctTuples &tuples, const Elements &elements, std::vector<Bundle> &bundles) {
        constexpr std::uint32_t none = -1;
        bundles.clear();
        bundle_of_.assign(tuples.all.size(), none);
        for (const std::uint32_t i : rest_) {
            const Part part = elements.of(i).part;
            if (part == Part::attribute) continue;
            bundle_of_[i] = static_cast<std::uint32_t>(bundles.size());
            bundles.push_back({part, {i}});
        }
        for (const std::uint32_t i : rest_) {
            if (elements.of(i).part != Part::attribute) continue;
            const std::uint32_t own = bundle_of_[elements.edge(elements.of(i).at)];
            if (own == none) bundles.push_back({Part::attribute, {i}});
            else bundles[own].tuples.push_back(i);
        }
    }

    // A missing and a surplus bundle make one step where they differ in one respect.
    void join(const Difference &found, const Elements &gold, const Elements &system, matching::Span<Id> mapping) {
        places_[0].clear(), places_[1].clear(), stays_[0].clear(), stays_[1].clear();
        for (const Bundle &each : missing_) {
            Tuple head = found.gold.all[each.tuples[0]];
            head.source = mapping[index(head.source)];
            if (head.target >= 0) head.target = mapping[index(head.target)];
            add_keys(each, head, gold, 0);
        }
        for (const Bundle &each : surplus_) add_keys(each, found.system.all[each.tuples[0]], system, 1);
        find_candidates(places_, relabels_);
        find_candidates(stays_, moves_);
        assignment_.find(relabels_, moves_, surplus_.size());
        taken_.assign(surplus_.size(), 0);
        for (std::size_t i = 0; i < missing_.size(); ++i) {
            Bundle &each = missing_[i];
            const std::uint32_t j = assignment_.partner[i];
            if (j == Assignment::none) {
                steps.push_back({each.part, Action::add, std::move(each.tuples), {}, {}});
                continue;
            }
            taken_[j] = 1;
            const bool relabel = std::find(relabels_[i].begin(), relabels_[i].end(), j) != relabels_[i].end();
            steps.push_back({each.part, relabel ? Action::relabel : Action::reattach, std::move(each.tuples),
                             std::move(surplus_[j].tuples), {}});
        }
        for (std::size_t j = 0; j < surplus_.size(); ++j) {
            if (!taken_[j]) steps.push_back({surplus_[j].part, Action::remove, {}, std::move(surplus_[j].tuples), {}});
        }
    }

    // Where a relabelled one would be, and what stays the same of one that is moved.
    void add_keys(const Bundle &bundle, const Tuple &head, const Elements &elements, std::size_t side) {
        enum Stays : std::int64_t { top, source, target };
        Keys place, stays;
        if (bundle.part == Part::top) stays.add({top, 0, 0, 0, 0});
        else place.add({static_cast<int>(bundle.part), head.source, head.target, elements.of(bundle.tuples[0]).name, 0});
        if (bundle.part == Part::edge) {
            stays.add({source, head.source, head.kind, head.value, 0});
            stays.add({target, head.target, head.kind, head.value, 0});
        }
        places_[side].push_back(place), stays_[side].push_back(stays);
    }

    // For each item on the left those on the right that share a key with it, in the order of its keys.
    void find_candidates(const std::array<std::vector<Keys>, 2> &sides, std::vector<Numbers> &found) {
        const auto &[left, right] = sides;
        sorted_.clear();
        for (std::uint32_t j = 0; j < right.size(); ++j) {
            for (std::size_t k = 0; k < right[j].size; ++k) sorted_.push_back({right[j].all[k], j});
        }
        std::sort(sorted_.begin(), sorted_.end());
        found.resize(left.size());
        last_.assign(right.size(), Assignment::none);
        for (std::uint32_t i = 0; i < left.size(); ++i) {
            found[i].clear();
            for (std::size_t k = 0; k < left[i].size; ++k) {
                const Key &key = left[i].all[k];
                auto each = std::lower_bound(sorted_.begin(), sorted_.end(), std::make_pair(key, std::uint32_t{0}));
                for (; each != sorted_.end() && each->first == key; ++each) {
                    if (last_[each->second] == i) continue;
                    last_[each->second] = i;
                    found[i].push_back(each->second);
                }
            }
        }
    }

    std::vector<Id> alone_, leader_, group_;
    std::vector<std::uint8_t> is_alone_, taken_;
    std::vector<std::pair<Id, std::uint32_t>> hung_;
    std::vector<Step> hanging_;
    Numbers rest_, bundle_of_, last_;
    std::vector<Bundle> missing_, surplus_;
    std::array<std::vector<Keys>, 2> places_, stays_;
    std::vector<std::pair<Key, std::uint32_t>> sorted_;
    std::vector<Numbers> relabels_, moves_;
    Assignment assignment_;
};

}  // namespace karat::repair
