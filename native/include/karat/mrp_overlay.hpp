// What two MRP graphs share under a mapping, in JSON: for lists of errors, and laid over each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/matching/difference.hpp"
#include "karat/mrp.hpp"
#include "karat/overlay.hpp"
#include "karat/strings.hpp"

namespace karat::mrp {

using Mapping = matching::Span<Id>;
using overlay::Look;
using overlay::Mark;

// The characters of a text by their numbers.
class Characters {
  public:
    void read(std::string_view text) {
        text_ = text;
        begin_.clear();
        for (std::size_t at = 0; at < text.size();) {
            begin_.push_back(at);
            at += character_size(text.data() + at, text.data() + text.size());
        }
        begin_.push_back(text.size());
    }

    std::string_view slice(std::int64_t begin, std::int64_t end) const {
        const auto size = static_cast<std::int64_t>(begin_.size()) - 1;
        begin = std::min(begin, size), end = std::min(end, size);
        if (begin >= end) return {};
        const std::size_t first = begin_[static_cast<std::size_t>(begin)];
        return text_.substr(first, begin_[static_cast<std::size_t>(end)] - first);
    }

    // What spans cover; … stands where there is more than blanks between.
    void append_covered(const std::vector<Span> &spans, std::string &out) const {
        std::int64_t last = -1;
        for (const Span &span : spans) {
            if (last >= 0 && is_blank(slice(last, span.begin))) {
                out.append(slice(last, span.begin)).append(slice(std::max(span.begin, last), span.end));
            } else {
                if (last >= 0) out.append(" \xE2\x80\xA6 ");
                out.append(slice(span.begin, span.end));
            }
            last = std::max(last, span.end);
        }
    }

  private:
    static bool is_blank(std::string_view text) {
        bool blank = true;
        decode(text, [&](std::uint32_t c) { blank = blank && is_space(c); });
        return blank;
    }

    std::string_view text_;
    std::vector<std::size_t> begin_;
};

class Comparison {
  public:
    PairReader reader;

    // False: one of the graphs is not plain.
    bool read(std::string_view gold, std::string_view system, bool spelt) {
        if (!reader.parse(gold, system)) return false;
        if (spelt) spell(reader.gold, gold_spelling_), spell(reader.system, system_spelling_);
        if (!reader.make()) return false;
        const Text &text = reader.gold.input.present ? reader.gold.input : reader.system.input;
        marks_.read(text.value);
        return true;
    }

    // False: the mapping is not one of these graphs.
    bool compare(Mapping mapping) {
        if (!matching::is_mapping(mapping, reader.gold_tuples.nodes, reader.system_tuples.nodes)) return false;
        mapping_ = mapping;
        found_.compare(reader.gold_tuples, reader.system_tuples, mapping);
        return true;
    }

    // Whether nodes are words, so that edges can be drawn as arcs over them.
    bool is_bilexical() const {
        const Graph &gold = reader.gold;
        return gold.has_flavor && gold.flavor == 0 &&
               std::all_of(gold.nodes.begin(), gold.nodes.end(),
                           [](const Node &node) { return node.id >= 0 && node.id <= 10'000; });
    }

    // Appends framework, correspondences, and by kind what is missing and surplus.
    void write_explanation(std::string &out) const {
        static constexpr std::string_view kinds[] = {"tops", "labels", "properties", "anchors", "edges", "attributes"};
        out.append("{\"framework\":");
        append_optional(reader.gold.framework, out);
        out.append(",\"correspondences\":[");
        bool is_first = true;
        for (std::size_t i = 0; i < mapping_.size; ++i) {
            if (mapping_[i] < 0) continue;
            out.append(is_first ? "[" : ",[");
            is_first = false;
            append_number(reader.gold.nodes[i].id, out);
            out.push_back(',');
            append_number(reader.system.nodes[static_cast<std::size_t>(mapping_[i])].id, out);
            out.push_back(']');
        }
        out.push_back(']');
        for (Id kind = tops; kind <= attributes; ++kind) {
            const std::size_t before = out.size();
            out.append(",\"").append(kinds[kind]).append("\":{");
            const bool missing = write_side("missing", found_.gold, reader.gold, kind, false, out);
            const bool surplus = write_side("surplus", found_.system, reader.system, kind, missing, out);
            if (missing || surplus) out.push_back('}');
            else out.resize(before);
        }
        out.push_back('}');
    }

    // Appends both graphs laid over each other.
    void write_overlay(overlay::Faults &faults, std::string &out) {
        fill_sheet();
        sheet_.write(true, faults, out);
    }

    // Appends the sentence, if there is one.
    void write_source(std::string &out) const { append_optional(reader.gold.input, out); }

  private:
    static void append_optional(const Text &text, std::string &out) {
        if (text.present) append_json(text.value, out);
        else out.append("null");
    }

    bool write_side(std::string_view side, const matching::DistinctTuples &tuples, const Graph &graph, Id kind,
                    bool is_second, std::string &out) const {
        bool is_first = true;
        for (std::size_t i = 0; i < tuples.all.size(); ++i) {
            if (tuples.matched[i] || tuples.all[i].kind != kind) continue;
            if (is_first) out.append(is_second ? ",\"" : "\"").append(side).append("\":[");
            else out.push_back(',');
            is_first = false;
            write_tuple(tuples.all[i], graph, out);
        }
        if (!is_first) out.push_back(']');
        return !is_first;
    }

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
                std::string_view label;
                out.push_back(',');
                if (key.optional(label)) append_json(label, out);
                else out.append("null");
            }
            while (!key.is_over()) {
                out.push_back(',');
                append_json(key.part(), out);
            }
        }
        out.push_back(']');
    }

    // The characters that an anchor covers, or its spans where the text is not known.
    void write_places(KeyReader &key, std::string &out) const {
        const bool has_text = key.has_text();
        bool is_first = true;
        const auto begin = [&] {
            if (!is_first) out.push_back(',');
            is_first = false;
        };
        out.push_back('[');
        while (!key.is_over()) {
            const Span span = key.span();
            if (!has_text) {
                begin();
                write_span(span, ",", out);
            }
            for (std::int64_t at = span.begin; has_text && at < span.end; ++at) {
                if (marks_.is_blank(at)) continue;
                begin();
                append_number(at, out);
            }
        }
        out.push_back(']');
    }

    static void write_span(const Span &span, std::string_view between, std::string &out) {
        out.push_back('[');
        append_number(span.begin, out);
        out.append(between);
        append_number(span.end, out);
        out.push_back(']');
    }

    // -- laid over each other -----------------------------------------------------------------

    void spell(const Graph &graph, overlay::Spelling &spelling) {
        spelling.clear();
        const auto add = [&](const std::string &word) {
            lower_ = word;
            reader.lower(lower_);
            spelling.add(word, lower_);
        };
        const auto add_pairs = [&](const Pairs &pairs) {
            for (const std::string &name : pairs.names) add(name);
            for (std::size_t i = 0; i < pairs.values.size(); ++i) {
                if (pairs.is_text[i]) add(pairs.values[i]);
            }
        };
        for (const Node &node : graph.nodes) add(node.label.value), add_pairs(node.properties);
        for (const Edge &edge : graph.edges) add(edge.label.value), add_pairs(edge.attributes);
    }

    void fill_sheet() {
        const bool has_text = reader.gold.input.present;
        if (has_text) characters_.read(reader.gold.input.value);
        sheet_.clear(), labels_.clear();
        for (std::size_t i = 0; i < mapping_.size; ++i) {
            sheet_.nodes.push_back({mapping_[i] < 0 ? Mark::missing : Mark::none, {}});
            Node &node = reader.gold.nodes[i];
            if (has_text && !node.label.present) words_of(node, sheet_.nodes.back().words);
        }
        place_.clear();
        for (const Id partner : found_.partner) {
            place_.push_back(partner < 0 ? static_cast<Id>(sheet_.nodes.size()) : partner);
            if (partner < 0) sheet_.nodes.push_back({Mark::surplus, {}});
        }
        const matching::DistinctTuples &gold = found_.gold, &system = found_.system;
        // Anchors are drawn only where they differ.
        for (const bool anchored : {false, true}) {
            for (std::size_t i = 0; i < gold.all.size(); ++i) {
                if ((gold.all[i].kind == anchors) != anchored || (anchored && gold.matched[i])) continue;
                add_part(gold.all[i], gold.matched[i] ? Mark::none : Mark::missing);
            }
        }
        for (Id kind = tops; kind <= attributes; ++kind) {
            for (std::size_t i = 0; i < system.all.size(); ++i) {
                if (system.all[i].kind != kind || system.matched[i]) continue;
                matching::Tuple tuple = system.all[i];
                tuple.source = place_[static_cast<std::size_t>(tuple.source)];
                if (tuple.target >= 0) tuple.target = place_[static_cast<std::size_t>(tuple.target)];
                add_part(tuple, Mark::surplus);
            }
        }
    }

    void add_part(const matching::Tuple &tuple, Mark mark) {
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
        const overlay::Spelling &spelling = mark == Mark::surplus ? system_spelling_ : gold_spelling_;
        sheet_.parts.push_back({looks[tuple.kind], mark, tuple.source, tuple.target, edge, spelling(text_)});
    }

    // The words of gold's text that an anchor covers, else its numbers.
    void write_anchor(KeyReader &key, std::string &out) {
        const bool has_text = key.has_text();
        spans_.clear();
        while (!key.is_over()) spans_.push_back(key.span());
        if (reader.gold.input.present && !spans_.empty()) {
            out.append("\xE2\x80\x9C");
            characters_.append_covered(spans_, out);
            out.append("\xE2\x80\x9D");
            return;
        }
        out.push_back('{');
        const auto separate = [&] {
            if (out.back() != '{') out.append("\xE2\x80\x89");
        };
        for (const Span &span : spans_) {
            if (!has_text) {
                separate();
                write_span(span, ", ", out);
            }
            for (std::int64_t at = span.begin; has_text && at < span.end; ++at) {
                if (marks_.is_blank(at)) continue;
                separate();
                append_number(at, out);
            }
        }
        out.push_back('}');
    }

    void words_of(Node &node, std::string &out) {
        join_spans(node.anchors, &marks_, spans_);
        for (Span &span : spans_) {
            const Span found = marks_.stripped(span);
            span = found.begin < found.end ? found : marks_.without_blanks(span);
        }
        characters_.append_covered(spans_, out);
    }

    Marks marks_;
    Characters characters_;
    Mapping mapping_;
    matching::Difference found_;
    overlay::Spelling gold_spelling_, system_spelling_;
    overlay::Sheet sheet_;
    Names labels_;
    std::vector<Id> place_;
    std::vector<Span> spans_;
    std::string lower_, text_;
};

}  // namespace karat::mrp
