// What two MRP graphs share under a mapping, in JSON: for lists of errors, and laid over each other.
#pragma once

#include <algorithm>
#include <iterator>
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

// The words that the nodes of a bilexical graph stand for, and those between them.
class WordRow {
  public:
    std::vector<overlay::Word> words;

    void clear() { words.clear(); }

    // False: it takes the full reader to find them.
    bool read(const Graph &graph) {
        static constexpr std::string_view others[] = {"ud", "eud", "conllu"};  // whose words are nodes
        if (graph.framework.present && std::find(std::begin(others), std::end(others), graph.framework.value) != std::end(others)) {
            return false;
        }
        const bool has_text = graph.input.present;
        characters_.read(graph.input.value);
        order_.clear();
        for (const Node &node : graph.nodes) order_.push_back(&node);
        std::sort(order_.begin(), order_.end(), [](const Node *a, const Node *b) { return a->id < b->id; });
        std::int64_t cursor = 0;
        bool is_anchored = false;
        for (const Node *node : order_) {
            const auto at = static_cast<std::int64_t>(words.size());
            if (node->id < at) return false;
            const bool anchored = has_text && !node->anchors.empty();
            is_anchored = is_anchored || anchored;
            std::int64_t begin = cursor, end = cursor;
            if (anchored) {
                begin = node->anchors[0].begin, end = node->anchors[0].end;
                for (const Span &span : node->anchors) begin = std::min(begin, span.begin), end = std::max(end, span.end);
            }
            if (node->id > at && !split(characters_.slice(cursor, begin), static_cast<std::size_t>(node->id - at))) {
                return false;
            }
            std::string_view form = anchored ? characters_.slice(begin, end) : std::string_view();
            if (form.empty()) form = node->label.value;
            add(form.empty() ? std::string_view("_") : form);
            for (const std::string_view tag : {"pos", "frame"}) add_below(node->properties, tag);
            if (anchored) cursor = end;
        }
        if (is_anchored) {
            split_at_spaces(characters_.slice(cursor, static_cast<std::int64_t>(graph.input.value.size())),
                            [&](std::string_view word) { add(word); });
        }
        return true;
    }

  private:
    static constexpr std::size_t longest = 40;

    // A form that is too long to draw is cut.
    void add(std::string_view form) {
        std::size_t count = 0, cut = 0;
        for (std::size_t at = 0; at < form.size() && count <= longest; ++count) {
            if (count == longest - 1) cut = at;
            at += character_size(form.data() + at, form.data() + form.size());
        }
        words.emplace_back();
        words.back().form = count <= longest ? std::string(form) : std::string(form.substr(0, cut)) + "\xE2\x80\xA6";
    }

    void add_below(const Pairs &pairs, std::string_view tag) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (pairs.names[i] != tag) continue;
            const std::string &value = pairs.values[i];
            const bool truth = !pairs.is_text[i] && (value == "true" || value == "false");
            if (truth) words.back().below.push_back(value == "true" ? "True" : "False");
            else if (value != "_") words.back().below.push_back(value);
            return;
        }
    }

    // Words for a stretch of text in which so many are missing: split at blanks, else between words
    // and marks, else anywhere; what is too much goes with the last. False: it is not ASCII.
    bool split(std::string_view stretch, std::size_t count) {
        pieces_.clear();
        split_at_spaces(stretch, [&](std::string_view word) { pieces_.push_back(word); });
        if (pieces_.size() != count) {
            for (const char c : stretch) {
                if (static_cast<unsigned char>(c) >= 0x80) return false;
            }
            split_marks(stretch, true);
            if (pieces_.size() < count) split_marks(stretch, false);
            pieces_.resize(std::max(pieces_.size(), count), "_");
        }
        for (std::size_t i = 0; i + 1 < count; ++i) add(pieces_[i]);
        last_.clear();
        for (std::size_t i = count - 1; i < pieces_.size(); ++i) last_.append(pieces_[i]);
        add(last_);
        return true;
    }

    void split_marks(std::string_view stretch, bool whole_words) {
        const auto is_word = [](char c) {
            return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        pieces_.clear();
        for (std::size_t at = 0; at < stretch.size();) {
            std::size_t end = at + 1;
            if (whole_words && is_word(stretch[at])) {
                while (end < stretch.size() && is_word(stretch[end])) ++end;
            }
            if (!is_space(static_cast<unsigned char>(stretch[at]))) pieces_.push_back(stretch.substr(at, end - at));
            at = end;
        }
    }

    Characters characters_;
    std::vector<const Node *> order_;
    std::vector<std::string_view> pieces_;
    std::string last_;
};

class Comparison {
  public:
    PairReader reader;
    bool can_be_drawn = false;

    // False: one of the graphs is not plain. What is not to be drawn need not be `spelt`.
    bool read(std::string_view gold, std::string_view system, bool spelt) {
        if (!reader.parse(gold, system, true)) return false;
        can_be_drawn = spelt;
        if (spelt) {
            spell(reader.gold, gold_spelling_), spell(reader.system, system_spelling_);
            row_.clear();
            can_be_drawn = !is_bilexical() || row_.read(reader.gold);
        }
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

    // Appends the sentence and gold's content, the system's content, and both graphs laid over each
    // other; bilexical graphs are contents by themselves where that can be.
    void write_overlay(overlay::Faults &faults, std::string &golds, std::string &systems, std::string &overlays) {
        fill_sheet();
        const std::size_t before = overlays.size();
        sheet_.write(true, faults, overlays);
        append_optional(reader.gold.input, golds);
        if (!is_bilexical() || !can_stand_over_words()) {
            golds.append(",[]");
            systems.append("null");
            return;
        }
        overlays.resize(before);
        overlays.append("null");
        golds.append(",[");
        sheet_.write_arcs(Mark::missing, stands_, row_.words, golds);
        golds.push_back(']');
        sheet_.write_arcs(Mark::surplus, stands_, row_.words, systems);
    }

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

    // Where each node stands in the row of words is what it is called. False: some cannot stand
    // there, or edges have more than labels.
    bool can_stand_over_words() {
        if (sheet_.has_notes()) return false;
        stands_.clear();
        for (const Node &node : reader.gold.nodes) stands_.push_back(node.id);
        for (std::size_t i = 0; i < found_.partner.size(); ++i) {
            if (found_.partner[i] < 0) stands_.push_back(reader.system.nodes[i].id);
        }
        const auto stands = [&](std::int32_t node) {
            const std::int64_t place = stands_[static_cast<std::size_t>(node)];
            return place >= 0 && place < static_cast<std::int64_t>(row_.words.size());
        };
        return std::all_of(sheet_.parts.begin(), sheet_.parts.end(), [&](const overlay::Part &part) {
            return stands(part.first) && (part.second < 0 || stands(part.second));
        });
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
    WordRow row_;
    std::vector<std::int64_t> stands_;
    Names labels_;
    std::vector<Id> place_;
    std::vector<Span> spans_;
    std::string lower_, text_;
};

}  // namespace karat::mrp
