// Graphs of the MRP interchange format as tuples with numbers for keys, normalised.
//
// Only what is plain: fields of the right types, nothing twice, nodes that are there, values that
// are strings, truth values or whole numbers. Anything else is left to karat.graphs.formats.mrp,
// which says what is wrong or puts it right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "karat/json.hpp"
#include "karat/matching/input.hpp"
#include "karat/names.hpp"
#include "karat/text_words.hpp"

namespace karat::mrp {

using matching::Id;
using matching::TupleLists;

enum Kind : Id { tops = 0, labels = 1, properties = 2, anchors = 3, edges = 4, attributes = 5 };

struct Text {
    std::string value;
    bool present = false;

    void clear() { value.clear(), present = false; }
};

struct Span {
    std::int64_t begin, end;
};

struct Pairs {
    std::vector<std::string> names, values;
    std::vector<bool> is_text;  // of each value

    std::size_t size() const { return std::min(names.size(), values.size()); }
};

struct Node {
    std::int64_t id = 0;
    Text label;
    Pairs properties;
    std::vector<Span> anchors;
};

struct Edge {
    std::int64_t source = 0, target = 0;
    Text label, normal;
    Pairs attributes;
};

// Strings in lower case. Those that are not ASCII are Python's business: it says what they are in
// lower case, once all of them have been asked for.
class Lower {
  public:
    std::unordered_map<std::string, std::string, HashOfName> known;
    std::vector<std::string> asked;

    void operator()(std::string &text) {
        bool ascii = true;
        for (char &c : text) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            ascii = ascii && static_cast<unsigned char>(c) < 0x80;
        }
        if (ascii) return;
        const auto [found, is_new] = known.emplace(text, text);
        if (is_new) asked.push_back(text);
        text = found->second;
    }
};

// The nodes and edges of a graph as they are written.
struct Content {
    std::int64_t flavor = 0;
    bool has_flavor = false;
    Text framework, language, source, input;
    std::vector<std::int64_t> tops;
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    // The forms of tokens, which lines have that were made of graphs; in files they say nothing.
    std::vector<std::string> tokens;
};

// Reads graphs; `read` is false where one is not plain.
class Graph : public Content {
  public:
    bool has_tokens = false;

    // `lenient`: what is put right with a notice is put right here, without one.
    bool read(std::string_view line, bool lenient = false) {
        JsonReader json(line);
        lenient_ = lenient;
        has_flavor = false;
        for (Text *text : {&framework, &language, &source, &input}) text->clear();
        tops.clear(), nodes.clear(), edges.clear(), tokens.clear(), ignored_anchors_.clear();
        Seen seen;
        const bool good = json.object([&](std::string_view name) { return read_field(json, name, seen); });
        if (good && lenient) drop_repeated_edges();
        return good && json.done() && seen.has(id) && !(has_flavor && flavor == -1);
    }

  private:
    // Which members an object has had so far: one that comes twice is not plain.
    enum Member { id, version, targets, label, properties, values, anchors, anchorings, edge_source, edge_target, normal,
                  edge_id, from, to, time, provenance, list_of_tops, list_of_nodes, list_of_edges, flavor_, framework_,
                  language_, source_, input_ };

    class Seen {
      public:
        bool add(Member member) {
            const std::uint32_t bit = std::uint32_t{1} << member;
            if (bits_ & bit) return false;
            bits_ |= bit;
            return true;
        }
        bool has(Member member) const { return bits_ >> member & 1; }

      private:
        std::uint32_t bits_ = 0;
    };

    bool read_field(JsonReader &json, std::string_view name, Seen &seen) {
        if (name == "id") return seen.add(id) && json.string(scratch_);
        if (name == "flavor") return seen.add(flavor_) && (json.null() || (has_flavor = json.integer(flavor)));
        if (name == "framework") return seen.add(framework_) && optional(json, framework);
        if (name == "language") return seen.add(language_) && optional(json, language);
        if (name == "source") return seen.add(source_) && optional(json, source);
        if (name == "input") return seen.add(input_) && optional(json, input);
        if (name == "time") return seen.add(time) && optional(json, ignored_);
        if (name == "provenance") return seen.add(provenance) && optional(json, ignored_);
        if (name == "version") return seen.add(version) && json.peek() != '"' && is_scalar(json) && json.skip();
        if (name == "targets") {
            return seen.add(targets) && (json.null() || json.array([&] { return json.string(scratch_); }));
        }
        if (name == "tops") {
            return seen.add(list_of_tops) && (json.null() || json.array([&] {
                tops.push_back(0);
                return json.integer(tops.back());
            }));
        }
        if (name == "nodes") {
            return seen.add(list_of_nodes) && (json.null() || json.array([&] { return read_node(json); }));
        }
        if (name == "edges") {
            return seen.add(list_of_edges) && (json.null() || json.array([&] { return read_edge(json); }));
        }
        if (has_tokens && name == "tokens") return json.array([&] { return read_token(json); });
        return json.skip();
    }

    bool read_node(JsonReader &json) {
        nodes.emplace_back();
        Node &node = nodes.back();
        Seen seen;
        return json.object([&](std::string_view name) {
            if (name == "id") return seen.add(id) && json.integer(node.id);
            if (name == "label") return seen.add(label) && optional(json, node.label);
            if (name == "properties") return seen.add(properties) && read_names(json, node.properties);
            if (name == "values") return seen.add(values) && read_values(json, node.properties);
            if (name == "anchors") return seen.add(anchors) && read_anchors(json, node.anchors);
            if (name == "anchorings") {
                return seen.add(anchorings) && json.array([&] { return read_anchors(json, ignored_anchors_); });
            }
            return json.skip();
        }) && seen.has(id);
    }

    bool read_edge(JsonReader &json) {
        edges.emplace_back();
        Edge &edge = edges.back();
        Seen seen;
        return json.object([&](std::string_view name) {
            std::int64_t number;
            if (name == "source") return seen.add(edge_source) && json.integer(edge.source);
            if (name == "target") return seen.add(edge_target) && json.integer(edge.target);
            if (name == "id") return seen.add(edge_id) && (json.null() || json.integer(number));
            if (name == "label") return seen.add(label) && optional(json, edge.label);
            if (name == "normal") return seen.add(normal) && optional(json, edge.normal);
            if (name == "attributes") return seen.add(properties) && read_names(json, edge.attributes);
            if (name == "values") return seen.add(values) && read_values(json, edge.attributes);
            if (name == "anchors") return seen.add(anchors) && read_anchors(json, ignored_anchors_);
            // As attributes were called once.
            if (name == "properties") return lenient_ && seen.add(properties) && read_names(json, edge.attributes);
            return json.skip();
        }) && seen.has(edge_source) && seen.has(edge_target);
    }

    bool read_token(JsonReader &json) {
        tokens.emplace_back();
        return json.object([&](std::string_view name) {
            return name == "form" ? json.string(tokens.back()) : json.skip();
        });
    }

    // Edges that have the same ends and label as an earlier one.
    void drop_repeated_edges() {
        known_edges_.clear();
        const auto is_known = [&](const Edge &edge) {
            scratch_.assign(reinterpret_cast<const char *>(&edge.source), sizeof edge.source);
            scratch_.append(reinterpret_cast<const char *>(&edge.target), sizeof edge.target);
            scratch_.append(edge.label.value);
            const std::size_t before = known_edges_.size();
            return static_cast<std::size_t>(known_edges_(scratch_)) < before;
        };
        std::size_t kept = 0;
        for (Edge &edge : edges) {
            if (is_known(edge)) continue;
            if (&edges[kept] != &edge) edges[kept] = std::move(edge);
            ++kept;
        }
        edges.resize(kept);
    }

    static bool read_names(JsonReader &json, Pairs &pairs) {
        return json.array([&] {
            pairs.names.emplace_back();
            return json.string(pairs.names.back());
        });
    }

    static bool read_values(JsonReader &json, Pairs &pairs) {
        return json.array([&] {
            pairs.values.emplace_back();
            std::string &value = pairs.values.back();
            std::string_view digits;
            pairs.is_text.push_back(json.peek() == '"');
            switch (json.peek()) {
                case '"': return json.string(value);
                case 't': value = "true"; return json.truth();
                case 'f': value = "false"; return json.falsehood();
                default:
                    if (!json.integer(digits)) return false;
                    value.assign(digits);
                    return true;
            }
        });
    }

    static bool read_anchors(JsonReader &json, std::vector<Span> &spans) {
        return json.array([&] {
            spans.push_back({0, 0});
            Seen seen;
            return json.object([&](std::string_view name) {
                if (name == "from") return seen.add(from) && json.integer(spans.back().begin);
                if (name == "to") return seen.add(to) && json.integer(spans.back().end);
                return json.skip();
            }) && seen.has(from) && seen.has(to) && spans.back().begin >= 0;
        });
    }

    static bool optional(JsonReader &json, Text &text) {
        if (json.peek() != '"') return json.null();
        text.present = true;
        return json.string(text.value);
    }

    static bool is_scalar(JsonReader &json) {
        const char first = json.peek();
        return first == 'n' || first == '-' || (first >= '0' && first <= '9');
    }

    bool lenient_ = false;
    std::string scratch_;
    Names known_edges_;
    Text ignored_;
    std::vector<Span> ignored_anchors_;
};

// The characters of an input that do not count in anchors: punctuation at the ends, and blanks.
class Marks {
  public:
    void read(std::string_view text) {
        marks_.clear();
        for (const char *at = text.data(), *const end = at + text.size(); at < end;) {
            const std::size_t length = character_size(at, end);
            marks_.push_back(mark_of({at, length}));
            at += length;
        }
        const std::size_t count = marks_.size();
        solid_.resize(count + 1), first_.resize(count + 1), last_.resize(count + 1);
        solid_[count] = first_[count] = size();
        for (std::size_t i = count; i-- > 0;) {
            solid_[i] = marks_[i] != blank ? static_cast<std::int64_t>(i) : solid_[i + 1];
            first_[i] = marks_[i] == plain ? static_cast<std::int64_t>(i) : first_[i + 1];
        }
        last_[0] = 0;
        for (std::size_t i = 0; i < count; ++i) {
            last_[i + 1] = marks_[i] == plain ? static_cast<std::int64_t>(i + 1) : last_[i];
        }
    }

    // Whether a character is a blank.
    bool is_blank(std::int64_t place) const { return marks_[static_cast<std::size_t>(place)] == blank; }

    // Whether there is nothing but blanks between two places.
    bool is_blank(std::int64_t begin, std::int64_t end) const {
        return begin >= size() || solid_[static_cast<std::size_t>(begin)] >= std::min(end, size());
    }

    // The same span within the text without blanks at its ends; as it is where nothing is left.
    Span without_blanks(Span span) const {
        Span found{span.begin, std::min(span.end, size())};
        while (found.begin < found.end && is_blank(found.begin)) ++found.begin;
        while (found.begin < found.end && is_blank(found.end - 1)) --found.end;
        return found.begin < found.end ? found : span;
    }

    // A span within the text, without punctuation and blanks at its ends; empty where nothing is left.
    Span stripped(Span span) const {
        const std::int64_t end = std::min(span.end, size());
        const std::int64_t begin = first_[static_cast<std::size_t>(std::min(span.begin, end))];
        return begin >= end ? Span{0, 0} : Span{begin, last_[static_cast<std::size_t>(end)]};
    }

  private:
    static constexpr char plain = 0, punctuation = 1, blank = 2;

    std::int64_t size() const { return static_cast<std::int64_t>(marks_.size()); }

    static char mark_of(std::string_view character) {
        static constexpr std::string_view blanks = " \t\n\f", ascii = ".?!;,:\"'()[]{}";
        if (character.size() == 1) {
            if (blanks.find(character[0]) != std::string_view::npos) return blank;
            return ascii.find(character[0]) != std::string_view::npos ? punctuation : plain;
        }
        // Quotation marks: U+2018, U+2019, U+201C, U+201D.
        if (character.size() != 3 || character.substr(0, 2) != "\xE2\x80") return plain;
        const auto last = static_cast<unsigned char>(character[2]);
        return last == 0x98 || last == 0x99 || last == 0x9C || last == 0x9D ? punctuation : plain;
    }

    std::vector<char> marks_;
    // From each place on, the next character that is no blank, and that counts at the ends; up to
    // each place, where the last one of these ends.
    std::vector<std::int64_t> solid_, first_, last_;
};

// Maximal stretches in order; those with nothing but blanks between them are one where the text is known.
inline void join_spans(std::vector<Span> &spans, const Marks *marks, std::vector<Span> &runs) {
    std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    runs.clear();
    for (const Span &span : spans) {
        if (span.end <= span.begin) continue;
        if (!runs.empty() && (span.begin <= runs.back().end || (marks && marks->is_blank(runs.back().end, span.begin)))) {
            runs.back().end = std::max(runs.back().end, span.end);
        } else {
            runs.push_back(span);
        }
    }
}

// Makes tuples of graphs; `names` numbers the keys of both sides of a pair.
class TupleMaker {
  public:
    bool turns_amr = true;  // else edges of AMR stay as they are written

    TupleMaker(Names &names, Lower &lower) : names_(names), lower_(lower) {}

    // False: the graph is not plain.
    bool make(Graph &graph, TupleLists &tuples) {
        tuples.clear();
        tuples.nodes = static_cast<Id>(graph.nodes.size());
        if (!number_nodes(graph) || !add_tops(graph, tuples)) return false;
        if (graph.input.present) marks_.read(graph.input.value);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            add_node(graph.nodes[i], static_cast<Id>(i), graph.input.present, tuples);
        }
        const bool amr = graph.framework.present && graph.framework.value == "amr";
        seen_.clear();
        for (Edge &edge : graph.edges) {
            if (!add_edge(edge, amr, tuples)) return false;
        }
        std::sort(seen_.begin(), seen_.end());
        return std::adjacent_find(seen_.begin(), seen_.end()) == seen_.end();
    }

  private:
    bool number_nodes(const Graph &graph) {
        places_.clear();
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            places_.push_back({graph.nodes[i].id, static_cast<Id>(i)});
        }
        std::sort(places_.begin(), places_.end());
        for (std::size_t i = 1; i < places_.size(); ++i) {
            if (places_[i].first == places_[i - 1].first) return false;
        }
        return true;
    }

    // The place of a node; -1 where there is none with this id.
    Id place_of(std::int64_t id) const {
        const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair<std::int64_t, Id>{id, -1});
        return found == places_.end() || found->first != id ? -1 : found->second;
    }

    bool add_tops(const Graph &graph, TupleLists &tuples) {
        for (std::size_t i = 0; i < graph.tops.size(); ++i) {
            const Id place = place_of(graph.tops[i]);
            if (place < 0) return false;
            const auto earlier = graph.tops.begin() + static_cast<std::ptrdiff_t>(i);
            if (i > most_tops) return false;
            if (std::find(graph.tops.begin(), earlier, graph.tops[i]) != earlier) continue;
            begin_key(tops);
            tuples.features.push_back({place, tops, key()});
        }
        return true;
    }

    void add_node(Node &node, Id place, bool has_text, TupleLists &tuples) {
        if (node.label.present) {
            lower_(node.label.value);
            begin_key(labels);
            add(node.label.value);
            tuples.features.push_back({place, labels, key()});
        }
        for (std::size_t i = 0; i < node.properties.size(); ++i) {
            lower_(node.properties.names[i]);
            lower_(node.properties.values[i]);
            begin_key(properties);
            add(node.properties.names[i]);
            add(node.properties.values[i]);
            tuples.features.push_back({place, properties, key()});
        }
        if (normal_anchors(node.anchors, has_text)) tuples.features.push_back({place, anchors, key()});
    }

    // Makes a key of maximal stretches in order, without punctuation and blanks at their ends;
    // false where there is none. Between two of them is a character that counts, so that they are
    // known by their ends; those of punctuation alone keep their node anchored and say nothing.
    bool normal_anchors(std::vector<Span> &spans, bool has_text) {
        join_spans(spans, has_text ? &marks_ : nullptr, runs_);
        if (runs_.empty()) return false;
        begin_key(anchors);
        key_ += has_text ? 't' : 's';
        for (const Span &run : runs_) {
            const Span found = has_text ? marks_.stripped(run) : run;
            if (has_text && found.begin == found.end) continue;
            key_.append(reinterpret_cast<const char *>(&found), sizeof found);
        }
        return true;
    }

    bool add_edge(Edge &edge, bool amr, TupleLists &tuples) {
        Id source = place_of(edge.source), target = place_of(edge.target);
        if (source < 0 || target < 0) return false;
        if (edge.label.value.empty()) edge.label.present = false;
        seen_.push_back({std::pair<Id, Id>(source, target), edge.label.value});
        if (!amr || turns_amr) turn(edge, amr, source, target);
        if (edge.label.present) lower_(edge.label.value);
        begin_key(edges);
        add(edge.label);
        tuples.edges.push_back({source, target, edges, key()});
        for (std::size_t i = 0; i < edge.attributes.size(); ++i) {
            std::string &name = edge.attributes.names[i], &value = edge.attributes.values[i];
            lower_(name);
            lower_(value);
            if (value == "false" && (name == "remote" || name == "effective" || name == "member")) continue;
            begin_key(attributes);
            add(edge.label);
            add(name);
            add(value);
            tuples.edges.push_back({source, target, attributes, key()});
        }
        return true;
    }

    // The edge in its normal direction; labels are taken for inverted only in AMR. What is left of `-of` is no label.
    static void turn(Edge &edge, bool amr, Id &source, Id &target) {
        bool is_inverted = edge.normal.present;
        std::string next = edge.normal.value;
        if (!is_inverted && amr && edge.label.present) is_inverted = uninverted(edge.label.value, next);
        while (is_inverted) {
            std::swap(source, target);
            edge.label.value = next;
            edge.label.present = !next.empty();
            is_inverted = amr && uninverted(edge.label.value, next);
        }
    }

    static bool uninverted(const std::string &label, std::string &result) {
        std::string known = label;
        for (char &c : known) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        const auto ends_with = [&](std::string_view end) {
            return known.size() >= end.size() && std::string_view(known).substr(known.size() - end.size()) == end;
        };
        if (known == "mod") {
            result = "domain";
            return true;
        }
        const bool twice = ends_with("-of-of");
        if (!twice && (!ends_with("-of") || known.rfind("prep-", 0) == 0)) return false;
        if (!twice && (known == "consist-of" || known == "subset-of")) return false;
        result = label.substr(0, label.size() - 3);
        return true;
    }

    // Keys are bytes that tell where each of their parts ends.
    void begin_key(Kind kind) { key_.assign(1, static_cast<char>(kind)); }

    void add(const std::string &part) {
        const auto size = static_cast<std::uint64_t>(part.size());
        key_.append(reinterpret_cast<const char *>(&size), sizeof size);
        key_ += part;
    }

    void add(const Text &text) {
        key_ += text.present ? '1' : '0';
        if (text.present) add(text.value);
    }

    Id key() { return names_(key_); }

    static constexpr std::size_t most_tops = 64;

    Names &names_;
    Lower &lower_;
    Marks marks_;
    std::vector<std::pair<std::int64_t, Id>> places_;
    std::vector<std::pair<std::pair<Id, Id>, std::string>> seen_;
    std::vector<Span> runs_;
    std::string key_;
};

// The parts of a key that TupleMaker made, one after the other.
class KeyReader {
  public:
    explicit KeyReader(std::string_view key) : rest_(key.substr(1)) {}

    std::string_view part() {
        const auto size = number<std::uint64_t>();
        return take(size);
    }

    // The label of an edge; false where it has none.
    bool optional(std::string_view &text) {
        if (take(1) == "0") return false;
        text = part();
        return true;
    }

    // Of an anchor: whether its spans are those of a text, and then the spans.
    bool has_text() { return take(1) == "t"; }
    bool is_over() const { return rest_.empty(); }
    Span span() { return number<Span>(); }

  private:
    std::string_view take(std::size_t size) {
        const std::string_view found = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return found;
    }

    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

    std::string_view rest_;
};

// Reads pairs of graphs, with one table of names for both sides of each.
class PairReader {
  public:
    Lower lower;
    Names names;
    Graph gold, system;
    TupleLists gold_tuples, system_tuples;

    void turns_amr(bool turns) { maker_.turns_amr = turns; }

    // False: one of them is not plain; then there are no tuples.
    bool read(std::string_view theirs, std::string_view ours, bool lenient) {
        return parse(theirs, ours, lenient) && make();
    }

    // The graphs as they are written; `make` normalises them.
    bool parse(std::string_view theirs, std::string_view ours, bool lenient) {
        gold_tuples.clear(), system_tuples.clear();
        return gold.read(theirs, lenient) && system.read(ours, lenient) && has_one_input();
    }

    bool make() {
        if (names.size() > most_names) names = Names();
        names.clear();
        const bool good = maker_.make(gold, gold_tuples) && maker_.make(system, system_tuples);
        if (!good) gold_tuples.clear(), system_tuples.clear();
        return good;
    }

  private:
    static constexpr std::size_t most_names = 4096;

    // Anchors are compared by their ends, which takes the same text on both sides.
    bool has_one_input() const {
        return !gold.input.present || !system.input.present || gold.input.value == system.input.value;
    }

    TupleMaker maker_{names, lower};
};

// How many words a text has.
inline std::int64_t count_words(std::string_view text) {
    std::int64_t count = 0;
    split_at_spaces(text, [&](std::string_view) { ++count; });
    return count;
}

// Whether correspondences with a gold graph keep the order of nodes.
inline bool is_ordered(const Graph &gold) {
    if (gold.has_flavor && gold.flavor == 0) return true;
    for (const char *name : {"dm", "psd", "pas", "ccd"}) {
        if (gold.framework.present && gold.framework.value == name) return true;
    }
    return false;
}

}  // namespace karat::mrp
