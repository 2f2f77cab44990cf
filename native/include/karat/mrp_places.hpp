// What MRP graphs share where nodes are known by what they are anchored to, as edm, ucca-mrp and sdp count it.
//
// Nodes of both graphs that are known by the same are one, so that no mapping is needed: tuples are on numbers of
// places, which both sides have in common.
#pragma once

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "karat/mrp_drawing.hpp"

namespace karat::mrp {

class PlacedComparison : public Comparison {
  public:
    std::vector<Id> gold_places, system_places;  // of each node

    bool compare(Mapping) override {
        if (!is_anchored(reader.gold) || !is_anchored(reader.system)) return false;
        places_.clear();
        if (!place(reader.gold, reader.gold_tuples, theirs_)) return false;
        gold_places.swap(place_of_);
        if (!place(reader.system, reader.system_tuples, ours_)) return false;
        system_places.swap(place_of_);
        theirs_.nodes = ours_.nodes = static_cast<Id>(places_.size());
        same_.resize(places_.size());
        std::iota(same_.begin(), same_.end(), 0);
        found_.compare(theirs_, ours_, {same_.data(), same_.size()});
        return true;
    }

    // Both sides on places.
    const matching::Difference &difference() const { return found_; }

    // How many kinds of tuples are counted.
    virtual std::size_t kinds() const = 0;

    // The kind that a tuple on nodes is counted in, or one of these: what is repaired but not counted, or neither.
    static constexpr Id uncounted = -1, left_out = -2;
    virtual Id kind_of(const matching::Feature &) const { return left_out; }
    virtual Id kind_of(const matching::Edge &, const Edge &) const { return left_out; }

    // Adds for each kind how many tuples gold and system have, and both.
    void count(std::int64_t *counts) const {
        const auto add = [&](const matching::DistinctTuples &tuples, std::size_t column, bool common) {
            for (std::size_t i = 0; i < tuples.all.size(); ++i) {
                std::int64_t *const row = counts + 3 * static_cast<std::size_t>(tuples.all[i].kind);
                ++row[column];
                if (common && tuples.matched[i]) ++row[2];
            }
        };
        add(found_.gold, 0, true);
        add(found_.system, 1, false);
    }

  protected:
    // The tuples of a graph on places, and in `place_of_` the place of each node. False: the metric cannot tell them.
    virtual bool place(Graph &graph, const TupleLists &tuples, TupleLists &placed) = 0;

    static bool has_anchors(const Graph &graph) {
        return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node &node) { return !node.anchors.empty(); });
    }

    // Without anchors nodes cannot be told apart, which is an error.
    virtual bool is_anchored(const Graph &graph) const { return graph.nodes.empty() || has_anchors(graph); }

    // The node of the sheet for a place: the next one where it has none yet.
    Id node_at(Id place) {
        Id &node = nodes_[static_cast<std::size_t>(place)];
        if (node < 0) {
            node = static_cast<Id>(sheet_.nodes.size());
            sheet_.nodes.push_back({Mark::none, {}});
            shown_.push_back(place);
        }
        return node;
    }

    void begin_sheet() {
        nodes_.assign(places_.size(), -1);
        shown_.clear();
    }

    // Places need not be those of single words.
    bool draws_words() const override { return false; }

    static void add_span(const Span &span, std::string &key) {
        key.append(reinterpret_cast<const char *>(&span), sizeof span);
    }

    // Appends the characters of a place, blanks between words left out.
    void append_characters(std::string_view place, overlay::Sheet::Node &shown) const {
        KeyReader key(place);
        if (!key.has_text()) return;
        std::string &out = shown.words;
        bool is_first = true;
        while (!key.is_over()) {
            const Span span = key.span();
            for (std::int64_t at = span.begin; at < span.end;) {
                std::int64_t end = at;
                while (end < span.end && !marks_.is_blank(end)) ++end;
                if (end > at) {
                    if (is_first) shown.begin = at;
                    else out.append(" \xE2\x80\xA6 ");
                    is_first = false;
                    out.append(characters_.slice(at, end));
                }
                at = std::max(end, at + 1);
            }
        }
    }

    Names places_;  // what nodes are known by, of both sides
    std::vector<Id> place_of_;
    matching::Difference found_;
    std::vector<Id> shown_;  // the place of each node of the sheet

  private:
    TupleLists theirs_, ours_;
    std::vector<Id> same_, nodes_;
};

// Names, arguments, tops, properties and, where they are a kind of their own, constants.
class EdmComparison : public PlacedComparison {
  public:
    explicit EdmComparison(bool constants_apart) : constants_apart_(constants_apart) {}

    std::size_t kinds() const override { return constants_apart_ ? 5 : 4; }

    Id kind_of(const matching::Feature &feature) const override {
        if (feature.kind == mrp::anchors) return left_out;
        if (feature.kind == mrp::tops) return item_tops;
        if (feature.kind == mrp::labels) return item_names;
        KeyReader key(reader.names[feature.value]);
        return constants_apart_ && key.part() == "carg" ? constants : item_properties;
    }

    Id kind_of(const matching::Edge &edge, const Edge &) const override {
        return edge.kind == mrp::edges ? arguments : left_out;
    }

    void write_explanation(std::string &out) const override {
        static constexpr std::string_view names_of_kinds[] = {"names", "arguments", "tops", "properties", "constants"};
        out.push_back('{');
        write_kinds(names_of_kinds, constants + 1, found_, true, out,
                    [&](const matching::Tuple &tuple, bool) { write_item(tuple, out); });
        out.push_back('}');
    }

  protected:
    bool place(Graph &graph, const TupleLists &tuples, TupleLists &placed) override {
        if (reader.gold.input.present != reader.system.input.present) return false;
        placed.clear();
        key_.assign({static_cast<char>(anchors), graph.input.present ? 't' : 's'});
        place_of_.assign(graph.nodes.size(), places_(key_));
        for (const matching::Feature &each : tuples.features) {
            if (each.kind == anchors) place_of_[index(each.node)] = places_(reader.names[each.value]);
        }
        for (const matching::Feature &each : tuples.features) {
            if (each.kind == anchors) continue;
            placed.features.push_back({place_of_[index(each.node)], kind_of(each), each.value});
        }
        for (const matching::Edge &each : tuples.edges) {
            if (each.kind != mrp::edges) continue;
            placed.edges.push_back({place_of_[index(each.source)], place_of_[index(each.target)], arguments, each.value});
        }
        return true;
    }

    void fill_sheet() override {
        begin_sheet();
        add_side(found_.gold, false);
        for (std::size_t i = 0; i < sheet_.nodes.size(); ++i) append_characters(places_[shown_[i]], sheet_.nodes[i]);
        add_side(found_.system, true);
    }

  private:
    enum Item : Id { item_names, arguments, item_tops, item_properties, constants };

    static std::size_t index(Id number) { return static_cast<std::size_t>(number); }

    void write_item(const matching::Tuple &tuple, std::string &out) const {
        if (tuple.kind != item_tops) out.push_back('[');
        write_places(KeyReader(places_[tuple.source]), out);
        if (tuple.kind == item_tops) return;
        KeyReader key(reader.names[tuple.value]);
        if (tuple.kind == arguments) {
            out.push_back(',');
            write_places(KeyReader(places_[tuple.target]), out);
            out.push_back(',');
            append_label(key, out);
        }
        while (!key.is_over()) {
            out.push_back(',');
            append_json(key.part(), out);
        }
        out.push_back(']');
    }

    void add_side(const matching::DistinctTuples &tuples, bool surplus) {
        static constexpr Look looks[] = {Look::label, Look::edge, Look::top, Look::property, Look::property};
        for (Id kind = item_names; kind <= constants; ++kind) {
            for (std::size_t i = 0; i < tuples.all.size(); ++i) {
                const matching::Tuple &tuple = tuples.all[i];
                if (tuple.kind != kind || (surplus && tuples.matched[i])) continue;
                KeyReader key(reader.names[tuple.value]);
                text_ = "top";
                if (kind == arguments) {
                    std::string_view label;
                    key.optional(label);
                    text_ = label;
                } else if (kind != item_tops) {
                    text_ = key.part();
                    if (kind != item_names) text_.append(" ").append(key.part());
                }
                const Id first = node_at(tuple.source), second = tuple.target < 0 ? -1 : node_at(tuple.target);
                const Mark mark = surplus ? Mark::surplus : tuples.matched[i] ? Mark::none : Mark::missing;
                add_part(looks[kind], mark, first, second, text_);
            }
        }
    }

    bool constants_apart_;
    std::string key_, text_;
};

// Primary and remote edges; nodes are known by what all below them over primary edges is anchored to.
class YieldComparison : public PlacedComparison {
  public:
    explicit YieldComparison(bool counts_unlabeled) : counts_unlabeled_(counts_unlabeled) {}

    std::size_t kinds() const override { return counts_unlabeled_ ? 4 : 2; }

    // Anchors and properties of nodes are repaired, since yields depend on them.
    Id kind_of(const matching::Feature &feature) const override {
        return feature.kind == anchors || feature.kind == properties ? uncounted : left_out;
    }

    Id kind_of(const matching::Edge &edge, const Edge &written) const override {
        if (edge.kind != mrp::edges) return left_out;
        return is_remote(written) ? remote : primary;
    }

    void write_explanation(std::string &out) const override {
        static constexpr std::string_view parts[] = {"{\"primary\":{", "},\"remote\":{"};
        for (Id part = primary; part <= remote; ++part) {
            out.append(parts[part]);
            for (const bool missing : {true, false}) {
                out.append(missing ? "\"missing\":[" : ",\"surplus\":[");
                write_list(
                    missing ? found_.gold : found_.system, out,
                    [&](const matching::Tuple &tuple, bool matched) { return !matched && tuple.kind == part; },
                    [&](const matching::Tuple &tuple) {
                        out.push_back('[');
                        write_places(KeyReader(places_[tuple.source]), out);
                        out.push_back(',');
                        write_places(KeyReader(places_[tuple.target]), out);
                        out.push_back(',');
                        KeyReader key(reader.names[tuple.value]);
                        append_label(key, out);
                        out.push_back(']');
                    });
                out.push_back(']');
            }
        }
        out.append("}}");
    }

  protected:
    bool place(Graph &graph, const TupleLists &tuples, TupleLists &placed) override {
        placed.clear();
        find_edges(graph, tuples);
        find_yields(graph);
        for (const matching::Edge &each : edges_) {
            const Id source = place_of_[index(each.source)], target = place_of_[index(each.target)];
            placed.edges.push_back({source, target, each.kind, each.value});
            if (counts_unlabeled_) placed.edges.push_back({source, target, each.kind + 2, 0});
        }
        return true;
    }

    void fill_sheet() override {
        begin_sheet();
        add_side(found_.gold, false);
        // In place of labels, which nodes do not have.
        if (reader.gold.input.present) {
            for (std::size_t i = 0; i < sheet_.nodes.size(); ++i) {
                append_characters(places_[shown_[i]], sheet_.nodes[i]);
            }
        }
        add_side(found_.system, true);
    }

  private:
    enum Part : Id { primary, remote };

    static std::size_t index(Id number) { return static_cast<std::size_t>(number); }

    static bool is_remote(const Edge &edge) {
        for (std::size_t i = 0; i < edge.attributes.size(); ++i) {
            if (edge.attributes.names[i] == "remote" && edge.attributes.values[i] != "false") return true;
        }
        return false;
    }

    // The edges as they are compared, and where primary ones lead to from each node.
    void find_edges(const Graph &graph, const TupleLists &tuples) {
        edges_.clear();
        children_.resize(std::max(children_.size(), graph.nodes.size()));
        for (auto &each : children_) each.clear();
        std::size_t at = 0;
        for (const matching::Edge &each : tuples.edges) {
            if (each.kind != mrp::edges) continue;
            const Id part = is_remote(graph.edges[at++]) ? remote : primary;
            edges_.push_back({each.source, each.target, part, each.value});
            if (part == primary) children_[index(each.source)].push_back(each.target);
        }
    }

    void find_yields(Graph &graph) {
        const bool has_text = graph.input.present;
        own_.resize(std::max(own_.size(), graph.nodes.size()));
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            own_[i].clear();
            for (const Span &span : normal_spans(graph.nodes[i], has_text)) {
                const Span found = has_text ? marks_.stripped(span) : span;
                if (!has_text || found.begin < found.end) own_[i].push_back(found);
            }
        }
        place_of_.assign(graph.nodes.size(), -1);
        parents_.clear();
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            if (place_of_[i] >= 0) continue;
            gathered_ = own_[i];
            seen_.assign(graph.nodes.size(), false);
            waiting_ = children_[i];
            while (!waiting_.empty()) {
                const std::size_t lower = index(waiting_.back());
                waiting_.pop_back();
                if (seen_[lower]) continue;
                seen_[lower] = true;
                gathered_.insert(gathered_.end(), own_[lower].begin(), own_[lower].end());
                waiting_.insert(waiting_.end(), children_[lower].begin(), children_[lower].end());
            }
            place_of_[i] = place_of_spans(has_text);
            if (seen_[i]) share_place(i);
        }
    }

    // All nodes from which a node can be reached that itself leads to them have its yield: those of its cycles.
    void share_place(std::size_t node) {
        if (parents_.empty()) {
            parents_.resize(place_of_.size());
            for (const matching::Edge &each : edges_) {
                if (each.kind == primary) parents_[index(each.target)].push_back(each.source);
            }
        }
        waiting_ = parents_[node];
        while (!waiting_.empty()) {
            const std::size_t upper = index(waiting_.back());
            waiting_.pop_back();
            if (!seen_[upper] || place_of_[upper] >= 0) continue;
            place_of_[upper] = place_of_[node];
            waiting_.insert(waiting_.end(), parents_[upper].begin(), parents_[upper].end());
        }
    }

    // The place of all that was gathered: characters, in stretches that only blanks interrupt, or spans as they are.
    Id place_of_spans(bool has_text) {
        std::sort(gathered_.begin(), gathered_.end(), [](const Span &a, const Span &b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
        });
        key_.assign({static_cast<char>(anchors), has_text ? 't' : 's'});
        if (!has_text) {
            const auto end = std::unique(gathered_.begin(), gathered_.end(), [](const Span &a, const Span &b) {
                return a.begin == b.begin && a.end == b.end;
            });
            for (auto each = gathered_.begin(); each != end; ++each) add_span(*each, key_);
            return places_(key_);
        }
        Span stretch{-1, -1};
        const auto add = [&] {
            if (stretch.begin < stretch.end) add_span(stretch, key_);
        };
        std::int64_t done = 0;
        for (const Span &span : gathered_) {
            for (std::int64_t at = std::max(span.begin, done); at < span.end; ++at) {
                if (marks_.is_blank(at)) continue;
                if (stretch.end < 0 || !marks_.is_blank(stretch.end, at)) add(), stretch.begin = at;
                stretch.end = at + 1;
            }
            done = std::max(done, span.end);
        }
        add();
        return places_(key_);
    }

    void add_side(const matching::DistinctTuples &tuples, bool surplus) {
        for (Id part = primary; part <= remote; ++part) {
            for (std::size_t i = 0; i < tuples.all.size(); ++i) {
                const matching::Tuple &tuple = tuples.all[i];
                if (tuple.kind != part || (surplus && tuples.matched[i])) continue;
                std::string_view label;
                KeyReader(reader.names[tuple.value]).optional(label);
                text_ = label;
                if (part == remote) text_.append(" (remote)");
                const Id first = node_at(tuple.source), second = node_at(tuple.target);
                const Mark mark = surplus ? Mark::surplus : tuples.matched[i] ? Mark::none : Mark::missing;
                add_part(Look::edge, mark, first, second, text_);
            }
        }
    }

    bool counts_unlabeled_;
    std::vector<matching::Edge> edges_;
    std::vector<std::vector<Id>> children_, parents_;
    std::vector<std::vector<Span>> own_;
    std::vector<Span> gathered_;
    std::vector<bool> seen_;
    std::vector<Id> waiting_;
    std::string key_, text_;
};

// Edges and tops; nodes are known by their anchors, in bilexical graphs without any by their ids.
class DependencyComparison : public PlacedComparison {
  public:
    bool compare(Mapping mapping) override {
        by_id_ = !PlacedComparison::is_anchored(reader.gold) || !PlacedComparison::is_anchored(reader.system);
        if (by_id_ && !(reader.gold.has_flavor && reader.gold.flavor == 0)) return false;
        if (by_id_ && !reader.gold.tokens.empty() && !reader.system.tokens.empty() &&
            reader.gold.tokens.size() != reader.system.tokens.size()) {
            return false;
        }
        if (!PlacedComparison::compare(mapping)) return false;
        find_shown(gold_places, reader.gold, reader.gold_tuples, found_.gold, gold_shown_);
        find_shown(system_places, reader.system, reader.system_tuples, found_.system, system_shown_);
        return true;
    }

    std::size_t kinds() const override { return 2; }

    // Appends what is matched, missing and surplus, by the ids of nodes.
    void write_explanation(std::string &out) const override {
        const auto write = [&](const matching::DistinctTuples &tuples, const std::vector<Shown> &shown, bool matched) {
            bool is_first = true;
            each_item(tuples, [&](std::size_t i) {
                if (static_cast<bool>(tuples.matched[i]) != matched) return;
                out.append(is_first ? "[" : ",[");
                is_first = false;
                append_number(shown[i].source, out);
                out.push_back(',');
                append_number(shown[i].target, out);
                out.push_back(',');
                if (shown[i].has_label) append_json(label_of(tuples.all[i]), out);
                else out.append("null");
                out.push_back(']');
            });
        };
        out.append("{\"matched\":[");
        write(found_.gold, gold_shown_, true);
        out.append("],\"missing\":[");
        write(found_.gold, gold_shown_, false);
        out.append("],\"surplus\":[");
        write(found_.system, system_shown_, false);
        out.append("]}");
    }

  protected:
    bool is_anchored(const Graph &) const override { return true; }
    bool draws_words() const override { return true; }

    bool place(Graph &graph, const TupleLists &tuples, TupleLists &placed) override {
        place_of_.clear(), placed.clear();
        for (Node &node : graph.nodes) {
            if (node.id < 0) return false;
            key_.assign(1, by_id_ ? 'i' : 's');
            if (by_id_) key_.append(reinterpret_cast<const char *>(&node.id), sizeof node.id);
            else for (const Span &span : normal_spans(node, graph.input.present)) add_span(span, key_);
            place_of_.push_back(places_(key_));
        }
        for (const matching::Feature &each : tuples.features) {
            if (each.kind == mrp::tops) placed.features.push_back({place_of_[index(each.node)], top, 0});
        }
        for (const matching::Edge &each : tuples.edges) {
            if (each.kind == mrp::edges) {
                const Id source = place_of_[index(each.source)], target = place_of_[index(each.target)];
                placed.edges.push_back({source, target, edge, number_of(each.value)});
            }
        }
        return true;
    }

    void fill_sheet() override {
        begin_sheet();
        for (const Id place : gold_places) node_at(place);
        is_gold_.assign(places_.size(), false);
        for (const Id place : gold_places) is_gold_[index(place)] = true;
        each_item(found_.system, [&](std::size_t i) {
            const matching::Tuple &tuple = found_.system.all[i];
            if (found_.system.matched[i]) return;
            node_at(tuple.source);
            if (tuple.target >= 0) node_at(tuple.target);
        });
        add_labels(reader.gold, gold_places, true);
        add_labels(reader.system, system_places, false);
        add_side(found_.gold, false);
        add_side(found_.system, true);
    }

    // A place is that of the first node that has it, gold's first.
    void find_words(std::vector<std::int64_t> &stands) const override {
        std::vector<std::int64_t> ids(places_.size(), -1);
        const auto add = [&](const Graph &graph, const std::vector<Id> &nodes) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                std::int64_t &id = ids[index(nodes[i])];
                if (id < 0) id = graph.nodes[i].id;
            }
        };
        add(reader.gold, gold_places), add(reader.system, system_places);
        for (const Id place : shown_) stands.push_back(ids[index(place)]);
    }

  private:
    enum Item : Id { edge, top };
    static constexpr Id no_label = -1;
    struct Shown {
        std::int64_t source, target;
        bool has_label;
    };

    static std::size_t index(Id number) { return static_cast<std::size_t>(number); }

    // Edges without label have the same number as those whose label is empty.
    Id number_of(Id value) const {
        std::string_view label;
        KeyReader(reader.names[value]).optional(label);
        return label.empty() ? no_label : value;
    }

    std::string_view label_of(const matching::Tuple &tuple) const {
        std::string_view label;
        if (tuple.kind == edge && tuple.value != no_label) KeyReader(reader.names[tuple.value]).optional(label);
        return label;
    }

    // Edges come before tops.
    template <class Take>
    static void each_item(const matching::DistinctTuples &tuples, Take take) {
        for (const Id kind : {edge, top}) {
            for (std::size_t i = 0; i < tuples.all.size(); ++i) {
                if (tuples.all[i].kind == kind) take(i);
            }
        }
    }

    // The nodes of each item: of edges those of the first, of tops the last.
    void find_shown(const std::vector<Id> &nodes, const Graph &graph, const TupleLists &tuples,
                    const matching::DistinctTuples &items, std::vector<Shown> &shown) const {
        shown.assign(items.all.size(), {-2, -2, false});
        for (const matching::Feature &each : tuples.features) {
            if (each.kind != mrp::tops) continue;
            const std::int64_t found = items.find({nodes[index(each.node)], -1, top, 0});
            shown[static_cast<std::size_t>(found)] = {-1, graph.nodes[index(each.node)].id, false};
        }
        for (const matching::Edge &each : tuples.edges) {
            if (each.kind != mrp::edges) continue;
            const Id number = number_of(each.value);
            const std::int64_t found = items.find({nodes[index(each.source)], nodes[index(each.target)], edge, number});
            Shown &here = shown[static_cast<std::size_t>(found)];
            if (here.source != -2) continue;
            std::string_view label;
            const bool has_label = KeyReader(reader.names[each.value]).optional(label);
            here = {graph.nodes[index(each.source)].id, graph.nodes[index(each.target)].id, has_label};
        }
    }

    // Labels, which are not compared; of the system those of nodes that gold does not have.
    void add_labels(Graph &graph, const std::vector<Id> &nodes, bool gold) {
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            if (!gold && is_gold_[index(nodes[i])]) continue;
            Node &node = graph.nodes[i];
            text_ = node.label.value;
            if (text_.empty()) words_of(node, graph.input.present, text_);
            add_part(Look::label, Mark::none, node_at(nodes[i]), -1, text_);
        }
    }

    void add_side(const matching::DistinctTuples &tuples, bool surplus) {
        each_item(tuples, [&](std::size_t i) {
            const matching::Tuple &tuple = tuples.all[i];
            if (surplus && tuples.matched[i]) return;
            const Id first = node_at(tuple.source), second = tuple.target < 0 ? -1 : node_at(tuple.target);
            const Mark mark = surplus ? Mark::surplus : tuples.matched[i] ? Mark::none : Mark::missing;
            add_part(tuple.kind == top ? Look::top : Look::edge, mark, first, second,
                     tuple.kind == top ? std::string_view("top") : label_of(tuple));
        });
    }

    bool by_id_ = false;
    std::vector<Shown> gold_shown_, system_shown_;
    std::vector<bool> is_gold_;
    std::string key_, text_;
};

}  // namespace karat::mrp
