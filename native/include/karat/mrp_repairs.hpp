// The steps that repair MRP graphs, in words, and what is counted after some of them.
//
// Only for graphs that are plain; karat.graphs.repair does the same for all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/mrp_places.hpp"
#include "karat/repair_steps.hpp"

namespace karat::mrp {

using repair::Element;
using repair::Numbers;
using repair::Part;
using repair::Step;

class PairRepair {
  public:
    // Without a comparison nodes correspond by mappings, and all tuples count, as in the metric mrp.
    explicit PairRepair(std::unique_ptr<PlacedComparison> placed) : placed_(std::move(placed)) {}

    PairReader &reader() { return placed_ ? placed_->reader : reader_; }

    // Finds the steps. False: a graph is not plain, the mapping is not one, or the metric cannot compare the graphs.
    bool read(std::string_view theirs, std::string_view ours, Mapping mapping) {
        PairReader &pair = reader();
        if (!pair.parse(theirs, ours, false)) return false;
        gold_.written = pair.gold, system_.written = pair.system;
        if (placed_) {
            if (!placed_->make() || !placed_->compare({})) return false;
            find_partners();
            mapping = {mapping_.data(), mapping_.size()};
        } else if (!pair.make() || !matching::is_mapping(mapping, pair.gold_tuples.nodes, pair.system_tuples.nodes)) {
            return false;
        }
        names_.clear();
        collect(pair.gold, pair.gold_tuples, gold_);
        collect(pair.system, pair.system_tuples, system_);
        found_.compare(gold_.tuples, system_.tuples, mapping);
        gold_.elements.match(found_.gold), system_.elements.match(found_.system);
        finder_.find(found_, gold_.elements, system_.elements, mapping);
        count_steps();
        return true;
    }

    // How many kinds are counted after steps.
    std::size_t kinds() const { return placed_->kinds(); }

    const std::vector<Step> &steps() const { return finder_.steps; }

    // The kinds of what a step adds and takes away, as far as it is counted.
    const std::string &added(std::size_t step) const { return counted_[step].first; }
    const std::string &removed(std::size_t step) const { return counted_[step].second; }

    // Whether all that steps add or take away is counted, and read in the same way on both sides.
    bool is_counted_once() const { return is_counted_once_; }

    // Appends what a step takes away, or adds, in words.
    void tell(const Step &step, bool gold, std::string &out) {
        Side &side = gold ? gold_ : system_;
        const matching::DistinctTuples &tuples = gold ? found_.gold : found_.system;
        bool is_first = true;
        for (const std::uint32_t each : gold ? step.missing : step.surplus) {
            if (!is_first) out.append("; ");
            is_first = false;
            tell(side, side.elements.of(each), tuples.all[each], out);
        }
    }

    // Adds the counts after some steps, but not all. False: it takes the full reader to tell them.
    bool count_after(const Numbers &chosen, std::int64_t *counts) {
        if (gold_.written.input.present != system_.written.input.present) return false;
        apply(chosen);
        PairReader &pair = reader();
        pair.gold.Content::operator=(gold_.written), pair.system.Content::operator=(repaired_);
        if (!placed_->make() || !placed_->compare({})) return false;
        placed_->count(counts);
        return true;
    }

  private:
    struct Side {
        Content written;
        TupleLists tuples;
        repair::Elements elements;
        std::vector<std::pair<std::int64_t, std::size_t>> places;  // of nodes by their ids, in order

        const Node &node(std::int64_t id) {
            if (places.empty()) {
                for (std::size_t i = 0; i < written.nodes.size(); ++i) places.push_back({written.nodes[i].id, i});
                std::sort(places.begin(), places.end());
            }
            return written.nodes[std::lower_bound(places.begin(), places.end(), std::make_pair(id, std::size_t{0}))->second];
        }
    };

    static std::size_t index(Id number) { return static_cast<std::size_t>(number); }

    // The system's node for each of gold: one that is known by the same, those that look alike first.
    void find_partners() {
        const std::vector<Id> &theirs = placed_->gold_places, &ours = placed_->system_places;
        const Graph &gold = placed_->reader.gold, &system = placed_->reader.system;
        Id most = -1;
        for (const Id place : theirs) most = std::max(most, place);
        for (const Id place : ours) most = std::max(most, place);
        waiting_.resize(std::max(waiting_.size(), index(most + 1)));
        for (auto &each : waiting_) each.clear();
        for (std::size_t j = 0; j < ours.size(); ++j) waiting_[index(ours[j])].push_back(static_cast<Id>(j));
        mapping_.assign(theirs.size(), -1);
        for (const bool alike : {true, false}) {
            for (std::size_t i = 0; i < theirs.size(); ++i) {
                if (mapping_[i] >= 0) continue;
                std::vector<Id> &known = waiting_[index(theirs[i])];
                const auto found = std::find_if(known.begin(), known.end(), [&](Id j) {
                    const Node &one = gold.nodes[i], &other = system.nodes[index(j)];
                    return !alike || (one.label.value == other.label.value && one.anchors.empty() == other.anchors.empty());
                });
                if (found == known.end()) continue;
                mapping_[i] = *found;
                known.erase(found);
            }
        }
    }

    // The tuples of a graph that are repaired, and what they stand for.
    void collect(const Graph &graph, const TupleLists &tuples, Side &side) {
        side.places.clear();
        side.tuples.clear();
        side.tuples.nodes = tuples.nodes;
        side.elements.given.clear();
        Id property = 0, node = -1;
        for (const matching::Feature &each : tuples.features) {
            if (each.node != node || each.kind == tops) property = 0, node = each.node;
            Element element{Part::top, each.node, 0, -1};
            if (each.kind == labels) element.part = Part::label;
            if (each.kind == anchors) element.part = Part::anchor;
            if (each.kind == mrp::properties) {
                element = {Part::property, each.node, property++, names_(KeyReader(reader().names[each.value]).part())};
            }
            const Id kind = placed_ ? placed_->kind_of(each) : each.kind;
            if (kind == PlacedComparison::left_out) continue;
            side.tuples.features.push_back({each.node, kind, each.value});
            side.elements.given.push_back(element);
        }
        Id at = -1;
        for (const matching::Edge &each : tuples.edges) {
            if (each.kind == mrp::edges) ++at;
            const Id kind = placed_ ? placed_->kind_of(each, graph.edges[index(at)]) : each.kind;
            if (kind == PlacedComparison::left_out) continue;
            Element element{Part::edge, at, 0, -1};
            if (each.kind == attributes) element = {Part::attribute, at, 0, name_of_attribute(each.value)};
            side.tuples.edges.push_back({each.source, each.target, kind, each.value});
            side.elements.given.push_back(element);
        }
    }

    // A number for the label of an edge and the name of an attribute.
    Id name_of_attribute(Id value) {
        KeyReader key(reader().names[value]);
        std::string_view label;
        key_.assign(1, key.optional(label) ? '1' : '0');
        const auto size = static_cast<std::uint64_t>(label.size());
        key_.append(reinterpret_cast<const char *>(&size), sizeof size);
        key_.append(label).append(key.part());
        return names_(key_);
    }

    // What each step adds and takes away. Several nodes may be known by the same, so that two edges are one item, which
    // goes with the first step that is about it.
    void count_steps() {
        counted_.resize(std::max(counted_.size(), steps().size()));
        const bool theirs = count_side(true), ours = count_side(false);
        const Content &gold = gold_.written, &system = system_.written;
        is_counted_once_ = theirs && ours && gold.input.present == system.input.present &&
                           gold.framework.present == system.framework.present &&
                           gold.framework.value == system.framework.value;
    }

    // Whether all that the steps add, or take away, is an item of its own.
    bool count_side(bool gold) {
        const matching::DistinctTuples &tuples = gold ? found_.gold : found_.system;
        const matching::DistinctTuples *items = nullptr;
        if (placed_) items = gold ? &placed_->difference().gold : &placed_->difference().system;
        std::size_t left = 0, parts = 0;
        if (items) {
            is_done_ = items->matched;
            for (const std::uint8_t done : is_done_) left += !done;
        }
        for (std::size_t i = 0; i < steps().size(); ++i) {
            std::string &kinds = gold ? counted_[i].first : counted_[i].second;
            kinds.clear();
            for (const std::uint32_t each : gold ? steps()[i].missing : steps()[i].surplus) {
                const matching::Tuple &tuple = tuples.all[each];
                if (tuple.kind == PlacedComparison::uncounted) continue;
                ++parts;
                if (items && !is_due(tuple, *items, gold ? placed_->gold_places : placed_->system_places)) continue;
                kinds.push_back(static_cast<char>(tuple.kind));
            }
        }
        return !items || parts == left;
    }

    // Whether the item of a tuple is missing or surplus, and no earlier step was about it.
    bool is_due(matching::Tuple item, const matching::DistinctTuples &items, const std::vector<Id> &places) {
        item.source = places[index(item.source)];
        if (item.target >= 0) item.target = places[index(item.target)];
        const std::int64_t at = items.find(item);
        if (at < 0 || is_done_[static_cast<std::size_t>(at)]) return false;
        is_done_[static_cast<std::size_t>(at)] = 1;
        return true;
    }

    // -- words -----------------------------------------------------------------------------------------------------

    static void tell(const Node &node, std::string &out) {
        out.append(node.label.value).push_back('(');
        append_number(node.id, out);
        out.push_back(')');
    }

    // A value as Python writes it.
    static void tell_value(const Pairs &pairs, std::size_t place, std::string &out) {
        const std::string &value = pairs.values[place];
        if (pairs.is_text[place]) out.append(value);
        else out.append(value == "true" ? "True" : value == "false" ? "False" : value);
    }

    void tell(Side &side, const Element &element, const matching::Tuple &tuple, std::string &out) {
        if (element.part == Part::edge || element.part == Part::attribute) {
            const Edge &edge = side.written.edges[index(element.at)];
            tell(side.node(edge.source), out);
            out.append(" -").append(edge.label.value);
            if (element.part == Part::attribute) tell_attribute(edge, tuple.value, out);
            out.append("-> ");
            tell(side.node(edge.target), out);
            return;
        }
        const Node &node = side.written.nodes[index(element.at)];
        if (element.part == Part::top) out.append("top ");
        tell(node, out);
        if (element.part == Part::property) {
            out.append(" ").append(KeyReader(reader().names[tuple.value]).part()).append("=");
            tell_value(node.properties, index(element.place), out);
        } else if (element.part == Part::anchor) {
            out.append(" <");
            for (std::size_t i = 0; i < node.anchors.size(); ++i) {
                if (i) out.push_back(',');
                append_number(node.anchors[i].begin, out);
                out.push_back(':');
                append_number(node.anchors[i].end, out);
            }
            out.push_back('>');
        }
    }

    void tell_attribute(const Edge &edge, Id value, std::string &out) {
        KeyReader key(reader().names[value]);
        std::string_view label;
        key.optional(label);
        const std::string_view name = key.part();
        out.append(" ").append(name).append("=");
        const auto begin = edge.attributes.names.begin();
        const auto place = static_cast<std::size_t>(std::find(begin, edge.attributes.names.end(), name) - begin);
        if (place < edge.attributes.size()) tell_value(edge.attributes, place, out);
        else out.append("None");  // it is written in upper case
    }

    // -- repaired graphs -------------------------------------------------------------------------------------------

    // The system's graph after some steps, as it would be written; what is added is copied from gold.
    void apply(const Numbers &chosen) {
        repaired_ = system_.written;
        nodes_gone_.assign(repaired_.nodes.size(), 0);
        edges_gone_.assign(repaired_.edges.size(), 0);
        properties_gone_.clear();
        remove_parts(chosen);
        ids_.assign(gold_.written.nodes.size(), 0);
        is_added_.assign(ids_.size(), 0);
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (mapping_[i] >= 0) ids_[i] = system_.written.nodes[index(mapping_[i])].id;
        }
        std::int64_t free = 0;
        for (const Node &node : repaired_.nodes) free = std::max(free, node.id + 1);
        for (const std::uint32_t each : chosen) {
            const Step &step = steps()[each];
            for (const Id node : step.nodes) {
                if (step.action == repair::Action::remove) {
                    nodes_gone_[index(node)] = 1;
                } else {
                    repaired_.nodes.push_back(gold_.written.nodes[index(node)]);
                    nodes_gone_.push_back(0);
                    is_added_[index(node)] = 1;
                    ids_[index(node)] = repaired_.nodes.back().id = free++;
                }
            }
        }
        for (const std::uint32_t each : chosen) {
            for (const std::uint32_t tuple : steps()[each].missing) copy(gold_.elements.of(tuple));
        }
        clear_away();
    }

    void remove_parts(const Numbers &chosen) {
        is_done_.assign(found_.system.all.size(), 0);
        for (const std::uint32_t each : chosen) {
            for (const std::uint32_t tuple : steps()[each].surplus) is_done_[tuple] = 1;
        }
        const std::vector<Element> &given = system_.elements.given;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (!is_done_[found_.system.place(i)]) continue;
            if (given[i].part == Part::edge) {
                edges_gone_[index(given[i].at)] = 1;
                continue;
            }
            Node &node = repaired_.nodes[index(given[i].at)];
            if (given[i].part == Part::top) erase_top(node.id);
            if (given[i].part == Part::label) node.label.clear();
            if (given[i].part == Part::anchor) node.anchors.clear();
            if (given[i].part == Part::property) properties_gone_.push_back({given[i].at, given[i].place});
        }
    }

    void erase_top(std::int64_t id) {
        repaired_.tops.erase(std::remove(repaired_.tops.begin(), repaired_.tops.end(), id), repaired_.tops.end());
    }

    void copy(const Element &element) {
        const Content &gold = gold_.written;
        if (element.part == Part::edge) {
            repaired_.edges.push_back(gold.edges[index(element.at)]);
            Edge &edge = repaired_.edges.back();
            edge.source = ids_[place_of(edge.source)], edge.target = ids_[place_of(edge.target)];
            edges_gone_.push_back(0);
            return;
        }
        const std::size_t at = index(element.at);
        if (element.part == Part::top) {
            erase_top(ids_[at]);
            repaired_.tops.push_back(ids_[at]);
            return;
        }
        if (is_added_[at]) return;  // it came with its node
        Node &node = repaired_.nodes[index(mapping_[at])];
        if (element.part == Part::label) node.label = gold.nodes[at].label;
        if (element.part == Part::anchor) node.anchors = gold.nodes[at].anchors;
        if (element.part != Part::property) return;
        const Pairs &pairs = gold.nodes[at].properties;
        const std::size_t place = index(element.place), size = node.properties.size();
        node.properties.names.resize(size), node.properties.values.resize(size), node.properties.is_text.resize(size);
        node.properties.names.push_back(pairs.names[place]);
        node.properties.values.push_back(pairs.values[place]);
        node.properties.is_text.push_back(pairs.is_text[place]);
    }

    std::size_t place_of(std::int64_t id) {
        return static_cast<std::size_t>(&gold_.node(id) - gold_.written.nodes.data());
    }

    void clear_away() {
        std::sort(properties_gone_.rbegin(), properties_gone_.rend());
        for (const auto &[at, place] : properties_gone_) {
            Pairs &pairs = repaired_.nodes[index(at)].properties;
            pairs.names.erase(pairs.names.begin() + place);
            pairs.values.erase(pairs.values.begin() + place);
            pairs.is_text.erase(pairs.is_text.begin() + place);
        }
        gone_.clear();
        for (std::size_t i = 0; i < nodes_gone_.size(); ++i) {
            if (nodes_gone_[i]) gone_.push_back(repaired_.nodes[i].id);
        }
        std::sort(gone_.begin(), gone_.end());
        const auto is_gone = [&](std::int64_t id) { return std::binary_search(gone_.begin(), gone_.end(), id); };
        for (const std::int64_t id : gone_) erase_top(id);
        for (std::size_t i = 0; i < repaired_.edges.size(); ++i) {
            if (is_gone(repaired_.edges[i].source) || is_gone(repaired_.edges[i].target)) edges_gone_[i] = 1;
        }
        erase(repaired_.nodes, nodes_gone_);
        erase(repaired_.edges, edges_gone_);
    }

    template <class Item>
    static void erase(std::vector<Item> &items, const std::vector<std::uint8_t> &gone) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (gone[i]) continue;
            if (kept != i) items[kept] = std::move(items[i]);
            ++kept;
        }
        items.resize(kept);
    }

    std::unique_ptr<PlacedComparison> placed_;
    PairReader reader_;
    Side gold_, system_;
    std::vector<std::vector<Id>> waiting_;
    std::vector<Id> mapping_;
    Names names_;
    std::string key_;
    matching::Difference found_;
    repair::StepFinder finder_;
    std::vector<std::pair<std::string, std::string>> counted_;
    std::vector<std::uint8_t> is_done_, nodes_gone_, edges_gone_, is_added_;
    bool is_counted_once_ = false;
    Content repaired_;
    std::vector<std::int64_t> ids_, gone_;  // the system's ids for gold's nodes
    std::vector<std::pair<Id, Id>> properties_gone_;
};

}  // namespace karat::mrp
