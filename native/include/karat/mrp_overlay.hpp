// What MRP graphs share under a mapping of nodes, as the metrics mrp and smatch count it.
#pragma once

#include <string>
#include <string_view>

#include "karat/mrp_drawing.hpp"

namespace karat::mrp {

// All tuples of both graphs.
class TupleComparison : public MappedComparison {
  public:
    bool compare(Mapping mapping) override { return take(mapping, reader.gold_tuples, reader.system_tuples); }

    // Appends framework, correspondences, and by kind what is missing and surplus.
    void write_explanation(std::string &out) const override {
        static constexpr std::string_view kinds[] = {"tops", "labels", "properties", "anchors", "edges", "attributes"};
        out.append("{\"framework\":");
        append_optional(reader.gold.framework, out);
        out.push_back(',');
        write_correspondences(out);
        write_kinds(kinds, attributes + 1, found_, false, out, [&](const matching::Tuple &tuple, bool missing) {
            write_tuple(tuple, missing ? reader.gold : reader.system, out);
        });
        out.push_back('}');
    }

  protected:
    void fill_sheet() override {
        labels_.clear();
        add_nodes();
        const matching::DistinctTuples &gold = found_.gold, &system = found_.system;
        // Anchors are drawn only where they differ.
        for (const bool anchored : {false, true}) {
            for (std::size_t i = 0; i < gold.all.size(); ++i) {
                if ((gold.all[i].kind == anchors) != anchored || (anchored && gold.matched[i])) continue;
                add_tuple(gold.all[i], gold.matched[i] ? Mark::none : Mark::missing);
            }
        }
        for (Id kind = tops; kind <= attributes; ++kind) {
            for (std::size_t i = 0; i < system.all.size(); ++i) {
                if (system.all[i].kind == kind && !system.matched[i]) add_tuple(placed(system.all[i]), Mark::surplus);
            }
        }
    }

  private:
    void write_tuple(const matching::Tuple &tuple, const Graph &graph, std::string &out) const {
        if (tuple.kind != tops) out.push_back('[');
        append_number(graph.nodes[static_cast<std::size_t>(tuple.source)].id, out);
        if (tuple.kind == tops) return;
        if (tuple.target >= 0) {
            out.push_back(',');
            append_number(graph.nodes[static_cast<std::size_t>(tuple.target)].id, out);
        }
        KeyReader key(reader.names[tuple.value]);
        if (tuple.kind == anchors) {
            out.push_back(',');
            write_places(key, out);
        } else {
            if (tuple.target >= 0) {
                out.push_back(',');
                append_label(key, out);
            }
            while (!key.is_over()) {
                out.push_back(',');
                append_json(key.part(), out);
            }
        }
        out.push_back(']');
    }

    void add_tuple(const matching::Tuple &tuple, Mark mark) {
        static constexpr Look looks[] = {Look::top,    Look::label, Look::property,
                                         Look::anchor, Look::edge,  Look::attribute};
        KeyReader key(reader.names[tuple.value]);
        text_.clear();
        std::int32_t edge = -1;
        if (tuple.kind == tops) {
            text_ = "top";
        } else if (tuple.kind == anchors) {
            write_anchor(key, text_);
        } else {
            std::string_view label;
            if (tuple.target >= 0 && key.optional(label)) edge = labels_(label);
            if (tuple.kind == edges) {
                text_ = label;
            } else {
                text_ = key.part();
                if (tuple.kind == properties) text_.append(" ").append(key.part());
                if (tuple.kind == attributes) {
                    const std::string_view value = key.part();
                    if (value != "true") text_.append("=").append(value);
                }
            }
        }
        add_part(looks[tuple.kind], mark, tuple.source, tuple.target, text_, edge);
    }

    Names labels_;
    std::string text_;
};

// Instances, attributes and relations. Names and values have no underscores at their ends.
class TripleComparison : public MappedComparison {
  public:
    explicit TripleComparison(bool top_is_concept) : top_is_concept_(top_is_concept) { reader.turns_amr(false); }

    bool compare(Mapping mapping) override {
        keys_.clear();
        convert(reader.gold, reader.gold_tuples, theirs_);
        convert(reader.system, reader.system_tuples, ours_);
        return take(mapping, theirs_, ours_);
    }

    // Appends correspondences, and what is missing and surplus.
    void write_explanation(std::string &out) const override {
        out.push_back('{');
        write_correspondences(out);
        for (const bool missing : {true, false}) {
            out.append(missing ? ",\"missing\":[" : ",\"surplus\":[");
            write_list(
                missing ? found_.gold : found_.system, out,
                [](const matching::Tuple &, bool matched) { return !matched; },
                [&](const matching::Tuple &tuple) { write_triple(tuple, missing ? reader.gold : reader.system, out); });
            out.push_back(']');
        }
        out.push_back('}');
    }

  protected:
    void fill_sheet() override {
        add_nodes();
        const matching::DistinctTuples &gold = found_.gold, &system = found_.system;
        for (std::size_t i = 0; i < gold.all.size(); ++i) {
            add_triple(gold.all[i], gold.matched[i] ? Mark::none : Mark::missing);
        }
        for (std::size_t i = 0; i < system.all.size(); ++i) {
            if (!system.matched[i]) add_triple(placed(system.all[i]), Mark::surplus);
        }
    }

  private:
    // Keys are those of mrp but for what they begin with: a concept, a pair of role and value, the label of an edge, an
    // anchor, or nothing.
    enum Triple : Id { instance, attribute, relation };
    enum Key : char { concept_key, pair_key, label_key, anchor_key, no_key };

    static std::string_view folded(std::string_view text) {
        while (!text.empty() && text.back() == '_') text.remove_suffix(1);
        return text;
    }

    void add(std::string_view part) {
        part = folded(part);
        const auto size = static_cast<std::uint64_t>(part.size());
        key_.append(reinterpret_cast<const char *>(&size), sizeof size);
        key_.append(part);
    }

    Id pair_of(std::string_view name, std::string_view value) {
        key_.assign(1, pair_key);
        add(name), add(value);
        return keys_(key_);
    }

    void convert(const Graph &graph, const TupleLists &tuples, TupleLists &triples) {
        triples.clear();
        triples.nodes = tuples.nodes;
        for (const matching::Feature &each : tuples.features) {
            const std::string_view name = reader.names[each.value];
            KeyReader key(name);
            if (each.kind == tops) {
                const Text &label = graph.nodes[static_cast<std::size_t>(each.node)].label;
                triples.features.push_back({each.node, attribute, pair_of("top", top_is_concept_ ? label.value : "top")});
            } else if (each.kind == labels) {
                key_.assign(1, concept_key);
                add(key.part());
                triples.features.push_back({each.node, instance, keys_(key_)});
            } else if (each.kind == properties) {
                const std::string_view role = key.part();
                triples.features.push_back({each.node, attribute, pair_of(role, key.part())});
            } else {
                key_.assign(1, anchor_key);
                key_.append(name.substr(1));
                triples.features.push_back({each.node, attribute, keys_(key_)});
            }
        }
        const bool amr = graph.framework.present && graph.framework.value == "amr";
        for (const matching::Edge &each : tuples.edges) {
            KeyReader key(reader.names[each.value]);
            std::string_view label;
            const bool has_label = key.optional(label);
            Id source = each.source, target = each.target, number;
            if (each.kind == attributes) {
                const std::string_view name = key.part();
                number = pair_of(name, key.part());
            } else {
                if (amr && has_label) direct(label, source, target);
                key_.assign(1, has_label ? label_key : no_key);
                if (has_label) add(label);
                number = keys_(key_);
            }
            triples.edges.push_back({source, target, relation, number});
        }
    }

    // The normal direction of a relation, as Smatch sees it.
    static void direct(std::string_view &label, Id &source, Id &target) {
        const bool is_inverted = label.size() >= 3 && label.substr(label.size() - 3) == "-of" &&
                                 label != "consist-of" && label != "prep-out-of" && label != "prep-on-behalf-of";
        if (!is_inverted && label != "mod") return;
        std::swap(source, target);
        label = is_inverted ? label.substr(0, label.size() - 3) : std::string_view("domain");
    }

    void write_triple(const matching::Tuple &tuple, const Graph &graph, std::string &out) const {
        const std::string_view name = keys_[tuple.value];
        KeyReader key(name);
        const auto node = [&](Id number) {
            out.push_back(',');
            append_number(graph.nodes[static_cast<std::size_t>(number)].id, out);
        };
        out.push_back('[');
        if (tuple.kind == relation) {
            if (name[0] == pair_key) {
                out.push_back('[');
                append_json(key.part(), out);
                out.push_back(',');
                append_json(key.part(), out);
                out.push_back(']');
            } else if (name[0] == label_key) {
                append_json(key.part(), out);
            } else {
                out.append("null");
            }
            node(tuple.source), node(tuple.target);
        } else {
            if (name[0] == anchor_key) out.append("\"anchors\"");
            else append_json(name[0] == concept_key ? "instance" : key.part(), out);
            node(tuple.source);
            out.push_back(',');
            if (name[0] == anchor_key) write_places(key, out);
            else append_json(key.part(), out);
        }
        out.push_back(']');
    }

    void add_triple(const matching::Tuple &tuple, Mark mark) {
        const std::string_view name = keys_[tuple.value];
        KeyReader key(name);
        text_.clear();
        Look look = tuple.kind == instance ? Look::label : tuple.kind == relation ? Look::edge : Look::property;
        if (name[0] == anchor_key) {
            look = Look::anchor;
            write_anchor(key, text_);
        } else if (name[0] != no_key) {
            text_ = key.part();
            if (look == Look::property && text_ == "top") look = Look::top;
            if (name[0] == pair_key) {
                const std::string_view value = key.part();
                if (look != Look::top || value != "top") text_.append(" ").append(value);
            }
        }
        add_part(look, mark, tuple.source, tuple.target, text_);
    }

    bool top_is_concept_;
    Names keys_;
    TupleLists theirs_, ours_;
    std::string key_, text_;
};

}  // namespace karat::mrp
