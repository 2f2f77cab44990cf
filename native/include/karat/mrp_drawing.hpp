// Two MRP graphs that are compared and laid over each other, in JSON. What of them is compared is for metrics to say.
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
        order_.clear();
        for (const Node &node : graph.nodes) order_.push_back(&node);
        std::sort(order_.begin(), order_.end(), [](const Node *a, const Node *b) { return a->id < b->id; });
        if (!graph.tokens.empty()) return !has_text && add_tokens(graph.tokens);
        characters_.read(graph.input.value);
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
            add(form.empty() ? std::string_view("_") : form, node);
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

    // The words as they are known, with their nodes.
    bool add_tokens(const std::vector<std::string> &forms) {
        auto next = order_.begin();
        for (const std::string &form : forms) {
            while (next != order_.end() && (*next)->id < static_cast<std::int64_t>(words.size())) ++next;
            const bool is_node = next != order_.end() && (*next)->id == static_cast<std::int64_t>(words.size());
            add(form, is_node ? *next : nullptr);
        }
        return true;
    }

    // A form that is too long to draw is cut.
    void add(std::string_view form, const Node *node = nullptr) {
        std::size_t count = 0, cut = 0;
        for (std::size_t at = 0; at < form.size() && count <= longest; ++count) {
            if (count == longest - 1) cut = at;
            at += character_size(form.data() + at, form.data() + form.size());
        }
        words.emplace_back();
        words.back().form = count <= longest ? std::string(form) : std::string(form.substr(0, cut)) + "\xE2\x80\xA6";
        if (!node) return;
        for (const std::string_view tag : {"pos", "frame"}) add_below(node->properties, tag);
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

// Base class: reads pairs, and draws what `fill_sheet` says.
class Comparison {
  public:
    PairReader reader;
    bool can_be_drawn = false;

    virtual ~Comparison() = default;

    // False: one of the graphs is not plain. What is not to be drawn need not be `spelt`. Lines that were made of
    // graphs, and not read from a file, are taken as they are.
    bool read(std::string_view gold, std::string_view system, bool spelt, bool from_file) {
        reader.gold.has_tokens = reader.system.has_tokens = !from_file;
        if (!reader.parse(gold, system, from_file)) return false;
        if (!from_file && !(is_as_read(reader.gold) && is_as_read(reader.system))) return false;
        can_be_drawn = spelt;
        if (spelt) {
            spell(reader.gold, gold_spelling_), spell(reader.system, system_spelling_);
            row_.clear();
            can_be_drawn = !is_bilexical() || row_.read(reader.gold);
        }
        if (!make()) return false;
        if (spelt) characters_.read(text().value);
        return true;
    }

    // Normalises graphs that have been parsed. False: one of them is not plain.
    bool make() {
        if (!reader.make()) return false;
        marks_.read(text().value);
        return true;
    }

    // False: the mapping is not one of these graphs, or the metric cannot compare them.
    virtual bool compare(Mapping mapping) = 0;

    // Appends what the metric says of the pair.
    virtual void write_explanation(std::string &out) const = 0;

    // Appends the sentence and gold's content, the system's content, and both graphs laid over each
    // other; bilexical graphs are contents by themselves where that can be.
    void write_overlay(overlay::Faults &faults, std::string &golds, std::string &systems, std::string &overlays) {
        sheet_.clear();
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

  protected:
    // The nodes and parts of both graphs.
    virtual void fill_sheet() = 0;

    // Whether bilexical graphs are drawn over their words.
    virtual bool draws_words() const { return true; }

    // Where each node of the sheet stands in the row of words, or -1.
    virtual void find_words(std::vector<std::int64_t> &) const {}

    // Whether nodes are words, so that edges can be drawn as arcs over them.
    bool is_bilexical() const {
        const Graph &gold = reader.gold;
        return draws_words() && gold.has_flavor && gold.flavor == 0 &&
               std::all_of(gold.nodes.begin(), gold.nodes.end(),
                           [](const Node &node) { return node.id >= 0 && node.id <= 10'000; });
    }

    void add_part(Look look, Mark mark, Id first, Id second, std::string_view text, std::int32_t edge = -1) {
        const overlay::Spelling &spelling = mark == Mark::surplus ? system_spelling_ : gold_spelling_;
        sheet_.parts.push_back({look, mark, first, second, edge, spelling(text)});
    }

    static void append_optional(const Text &text, std::string &out) {
        if (text.present) append_json(text.value, out);
        else out.append("null");
    }

    static void append_label(KeyReader &key, std::string &out) {
        std::string_view label;
        if (key.optional(label)) append_json(label, out);
        else out.append("null");
    }

    // Appends a list of the tuples that `is_wanted`, each by `write`, with commas between.
    template <class IsWanted, class Write>
    static bool write_list(const matching::DistinctTuples &tuples, std::string &out, IsWanted is_wanted, Write write) {
        bool is_first = true;
        for (std::size_t i = 0; i < tuples.all.size(); ++i) {
            if (!is_wanted(tuples.all[i], tuples.matched[i])) continue;
            if (!is_first) out.push_back(',');
            is_first = false;
            write(tuples.all[i]);
        }
        return !is_first;
    }

    // Appends the members of an object: by kind, what is missing and surplus; nothing empty.
    template <class Write>
    static void write_kinds(const std::string_view *kinds, Id count, const matching::Difference &found, bool is_first,
                            std::string &out, Write write) {
        for (Id kind = 0; kind < count; ++kind) {
            const std::size_t before = out.size();
            out.append(is_first ? "\"" : ",\"").append(kinds[kind]).append("\":{");
            bool any = false;
            for (const bool missing : {true, false}) {
                const std::size_t here = out.size();
                out.append(any ? "," : "").append(missing ? "\"missing\":[" : "\"surplus\":[");
                const bool some = write_list(
                    missing ? found.gold : found.system, out,
                    [&](const matching::Tuple &tuple, bool matched) { return !matched && tuple.kind == kind; },
                    [&](const matching::Tuple &tuple) { write(tuple, missing); });
                if (some) out.push_back(']');
                else out.resize(here);
                any = any || some;
            }
            if (any) out.push_back('}');
            else out.resize(before);
            is_first = is_first && !any;
        }
    }

    // Appends the characters that an anchor covers, or its spans where the text is not known.
    void write_places(KeyReader key, std::string &out) const {
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

    // The words of gold's text that an anchor covers, else its numbers.
    void write_anchor(KeyReader key, std::string &out) {
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

    // The spans of a node in order, as they are once they are normalised; sorts its anchors.
    const std::vector<Span> &normal_spans(Node &node, bool has_text) {
        join_spans(node.anchors, has_text ? &marks_ : nullptr, spans_);
        for (Span &span : spans_) {
            if (!has_text) break;
            const Span found = marks_.stripped(span);
            span = found.begin < found.end ? found : marks_.without_blanks(span);
        }
        return spans_;
    }

    // Appends the words that a node stands for, where the text is known.
    void words_of(Node &node, bool has_text, std::string &out) {
        if (has_text) characters_.append_covered(normal_spans(node, true), out);
    }

    // The same on the sheet.
    void add_words(Node &node, overlay::Sheet::Node &shown) {
        words_of(node, reader.gold.input.present, shown.words);
        if (!shown.words.empty()) shown.begin = spans_.front().begin;
    }

    Marks marks_;
    Characters characters_;
    overlay::Sheet sheet_;

  private:
    const Text &text() const { return reader.gold.input.present ? reader.gold.input : reader.system.input; }

    // Graphs from elsewhere may have what reading a file puts right.
    static bool is_as_read(const Graph &graph) {
        for (std::size_t i = 1; i < graph.tops.size(); ++i) {
            const auto here = graph.tops.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::find(graph.tops.begin(), here, *here) != here) return false;
        }
        return std::none_of(graph.edges.begin(), graph.edges.end(),
                            [](const Edge &edge) { return edge.label.present && edge.label.value.empty(); });
    }

    // False: some nodes cannot stand there, or edges have more than labels.
    bool can_stand_over_words() {
        if (sheet_.has_notes()) return false;
        stands_.clear();
        find_words(stands_);
        const auto stands = [&](std::int32_t node) {
            const std::int64_t place = stands_[static_cast<std::size_t>(node)];
            return place >= 0 && place < static_cast<std::int64_t>(row_.words.size());
        };
        return std::all_of(sheet_.parts.begin(), sheet_.parts.end(), [&](const overlay::Part &part) {
            return stands(part.first) && (part.second < 0 || stands(part.second));
        });
    }

    static void write_span(const Span &span, std::string_view between, std::string &out) {
        out.push_back('[');
        append_number(span.begin, out);
        out.append(between);
        append_number(span.end, out);
        out.push_back(']');
    }

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

    overlay::Spelling gold_spelling_, system_spelling_;
    WordRow row_;
    std::vector<std::int64_t> stands_;
    std::vector<Span> spans_;
    std::string lower_;
};

// Base class for metrics that compare tuples under a mapping of nodes.
class MappedComparison : public Comparison {
  protected:
    // False: the mapping is not one of these graphs.
    bool take(Mapping mapping, const TupleLists &gold, const TupleLists &system) {
        if (!matching::is_mapping(mapping, gold.nodes, system.nodes)) return false;
        mapping_ = mapping;
        found_.compare(gold, system, mapping);
        return true;
    }

    void write_correspondences(std::string &out) const {
        out.append("\"correspondences\":[");
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
    }

    // Gold's nodes, and those that only the system has.
    void add_nodes() {
        for (std::size_t i = 0; i < mapping_.size; ++i) {
            sheet_.nodes.push_back({mapping_[i] < 0 ? Mark::missing : Mark::none, {}});
            Node &node = reader.gold.nodes[i];
            if (!node.label.present) add_words(node, sheet_.nodes.back());
        }
        place_.clear();
        for (const Id partner : found_.partner) {
            place_.push_back(partner < 0 ? static_cast<Id>(sheet_.nodes.size()) : partner);
            if (partner < 0) sheet_.nodes.push_back({Mark::surplus, {}});
        }
    }

    // A tuple of the system on the nodes of the sheet.
    matching::Tuple placed(matching::Tuple tuple) const {
        tuple.source = place_[static_cast<std::size_t>(tuple.source)];
        if (tuple.target >= 0) tuple.target = place_[static_cast<std::size_t>(tuple.target)];
        return tuple;
    }

    // Nodes stand where their own side calls them.
    void find_words(std::vector<std::int64_t> &stands) const override {
        for (const Node &node : reader.gold.nodes) stands.push_back(node.id);
        for (std::size_t i = 0; i < found_.partner.size(); ++i) {
            if (found_.partner[i] < 0) stands.push_back(reader.system.nodes[i].id);
        }
    }

    Mapping mapping_;
    matching::Difference found_;

  private:
    std::vector<Id> place_;
};

}  // namespace karat::mrp
