// What two graphs in PENMAN notation share and what one has alone, as lists of names: the paths of SemBLEU, the
// triples of SEMA. Only what is plain, as karat.graphs reads it; see penman_triples.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/penman_triples.hpp"
#include "karat/shown.hpp"

namespace karat::penman {

// Names that belong together, as one string: what separates them sorts before all that is plain.
constexpr char between_names = '\x01';

// What both have, what is missing and what is surplus; what both have may have points.
struct NameLists {
    std::string name;
    std::vector<std::string> matched, missing, surplus;
    std::vector<int> points;

    void write(std::string &out) const {
        append_json(name, out);
        out.append(":{\"matched\":");
        write_list(matched, points, out);
        out.append(",\"missing\":");
        write_list(missing, {}, out);
        out.append(",\"surplus\":");
        write_list(surplus, {}, out);
        out.push_back('}');
    }

    // What is said of one side alone, in words.
    void write_notes(std::string &scratch, std::string &out) const {
        const auto write_side = [&](std::string_view side, const std::vector<std::string> &entries) {
            for (const std::string &entry : entries) {
                scratch.assign(side).append(" ").append(name).append(": ").append(entry);
                std::replace(scratch.begin(), scratch.end(), between_names, ' ');
                separate(out, '[');
                append_json(scratch, out);
            }
        };
        write_side("missing", missing);
        write_side("surplus", surplus);
    }

  private:
    static void write_list(const std::vector<std::string> &entries, const std::vector<int> &points, std::string &out) {
        out.push_back('[');
        for (std::size_t i = 0; i < entries.size(); ++i) {
            separate(out, '[');
            out.push_back('[');
            std::string_view rest = entries[i];
            while (true) {
                const std::size_t end = rest.find(between_names);
                append_json(rest.substr(0, end), out);
                if (end == std::string_view::npos) break;
                out.push_back(',');
                rest.remove_prefix(end + 1);
            }
            if (!points.empty()) {
                out.push_back(',');
                append_number(points[i], out);
            }
            out.push_back(']');
        }
        out.push_back(']');
    }
};

class ListComparison {
  public:
    virtual ~ListComparison() = default;

    std::vector<NameLists> lists;

    // False: a text is not plain.
    virtual bool compare(std::string_view gold, std::string_view system) = 0;
};

// -- SemBLEU --------------------------------------------------------------------

class PathComparison : public ListComparison {
  public:
    explicit PathComparison(std::size_t orders) {
        for (std::size_t i = 1; i <= orders; ++i) lists.push_back({"paths of " + std::to_string(i), {}, {}, {}, {}});
    }

    bool compare(std::string_view gold, std::string_view system) override {
        if (!find_paths(gold, gold_) || !find_paths(system, system_)) return false;
        for (std::size_t i = 0; i < lists.size(); ++i) share(gold_[i], system_[i], lists[i]);
        return true;
    }

  private:
    using Paths = std::vector<std::vector<std::string>>;  // those of one node, of two, and so on

    struct DirectedEdge {
        std::int32_t target;
        std::string role;
    };

    struct Path {
        std::int32_t node;
        std::vector<std::int32_t> edges;
        std::string names;
    };

    // Sorted lists of what both have, and of what one has alone.
    static void share(std::vector<std::string> &gold, std::vector<std::string> &system, NameLists &into) {
        std::sort(gold.begin(), gold.end());
        std::sort(system.begin(), system.end());
        into.matched.clear(), into.missing.clear(), into.surplus.clear();
        auto g = gold.begin(), s = system.begin();
        while (g != gold.end() || s != system.end()) {
            const int order = g == gold.end() ? 1 : s == system.end() ? -1 : g->compare(*s);
            if (order < 0) into.missing.push_back(std::move(*g++));
            else if (order > 0) into.surplus.push_back(std::move(*s++));
            else into.matched.push_back(std::move(*g++)), ++s;
        }
    }

    static constexpr std::size_t most_paths = 1000000;  // the metric refuses graphs with more

    bool find_paths(std::string_view text, Paths &found) {
        if (!reader_.parse(text)) return false;
        read_graph();
        found.assign(lists.size(), {});
        std::vector<Path> paths, longer;
        for (const std::int32_t node : reached()) paths.push_back({node, {}, labels_[static_cast<std::size_t>(node)]});
        for (std::size_t order = 0; order < lists.size(); ++order) {
            longer.clear();
            for (const Path &path : paths) {
                if (order + 1 < lists.size()) extend(path, longer);
                if (longer.size() > most_paths) return false;
                found[order].push_back(path.names);
            }
            paths.swap(longer);
        }
        return true;
    }

    void extend(const Path &path, std::vector<Path> &longer) const {
        for (const std::int32_t number : leaving_[static_cast<std::size_t>(path.node)]) {
            if (std::find(path.edges.begin(), path.edges.end(), number) != path.edges.end()) continue;
            const DirectedEdge &edge = edges_[static_cast<std::size_t>(number)];
            Path next = path;
            next.node = edge.target;
            next.edges.push_back(number);
            next.names.append(1, between_names).append(":").append(edge.role).append(1, between_names);
            next.names.append(labels_[static_cast<std::size_t>(edge.target)]);
            longer.push_back(std::move(next));
        }
    }

    // A constant is a node each time.
    void read_graph() {
        labels_.clear(), edges_.clear();
        for (const Node &node : reader_.nodes()) add_lower(labels_.emplace_back(), node.concept_name);
        for (const Role &role : reader_.roles()) {
            if (role.target < 0) add_lower(labels_.emplace_back(), role.value);
        }
        leaving_.assign(labels_.size(), {});
        std::size_t next = reader_.nodes().size();
        for (const Role &role : reader_.roles()) {
            std::int32_t source = role.source;
            std::int32_t target = role.target < 0 ? static_cast<std::int32_t>(next++) : role.target;
            std::string name(role.name);
            if (name.size() >= 3 && name.compare(name.size() - 3, 3, "-of") == 0) {
                for (std::size_t at = name.find("-of"); at != std::string::npos; at = name.find("-of", at)) {
                    name.erase(at, 3);
                }
                std::swap(source, target);
            }
            leaving_[static_cast<std::size_t>(source)].push_back(static_cast<std::int32_t>(edges_.size()));
            edges_.push_back({target, std::move(name)});
        }
    }

    // What roots lead to, or the first node where all have an edge that leads to them.
    std::vector<std::int32_t> reached() const {
        std::vector<char> entered(labels_.size(), 0), seen(labels_.size(), 0);
        for (const DirectedEdge &edge : edges_) entered[static_cast<std::size_t>(edge.target)] = 1;
        std::vector<std::int32_t> waiting, result;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            if (!entered[i]) waiting.push_back(static_cast<std::int32_t>(i));
        }
        if (waiting.empty() && !labels_.empty()) waiting.push_back(0);
        for (const std::int32_t node : waiting) seen[static_cast<std::size_t>(node)] = 1;
        while (!waiting.empty()) {
            const std::int32_t node = waiting.back();
            waiting.pop_back();
            for (const std::int32_t edge : leaving_[static_cast<std::size_t>(node)]) {
                const std::int32_t target = edges_[static_cast<std::size_t>(edge)].target;
                if (seen[static_cast<std::size_t>(target)]) continue;
                seen[static_cast<std::size_t>(target)] = 1;
                waiting.push_back(target);
            }
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
            if (seen[i]) result.push_back(static_cast<std::int32_t>(i));
        }
        return result;
    }

    PlainReader reader_;
    std::vector<std::string> labels_;
    std::vector<DirectedEdge> edges_;
    std::vector<std::vector<std::int32_t>> leaving_;  // the numbers of edges that leave each node
    Paths gold_, system_;
};

// -- SEMA -----------------------------------------------------------------------

class ConceptTripleComparison : public ListComparison {
  public:
    // In the authors' tool the root counts again with its first relation.
    explicit ConceptTripleComparison(bool root_counts_twice) : root_counts_twice_(root_counts_twice) {
        for (const char *name : {"root", "relations", "attributes"}) lists.push_back({name, {}, {}, {}, {}});
    }

    bool compare(std::string_view gold, std::string_view system) override {
        if (!read(gold, gold_) || !read(system, system_)) return false;
        for (NameLists &each : lists) each.matched.clear(), each.missing.clear(), each.surplus.clear(), each.points.clear();
        find_common();
        std::vector<std::string> theirs, ours;
        if (!gold_.concepts.empty()) theirs.push_back(gold_.concepts[0]);
        if (!system_.concepts.empty()) ours.push_back(system_.concepts[0]);
        find_alone(theirs, ours, lists[0]);
        find_alone(told(gold_, gold_.relations), told(system_, system_.relations), lists[1]);
        find_alone(told(gold_, gold_.attributes), told(system_, system_.attributes), lists[2]);
        return true;
    }

  private:
    struct Triple {
        std::string role;
        std::int32_t source, target;  // the target of a relation
        std::string value;            // of an attribute
    };

    struct Graph {
        std::vector<std::string> concepts;
        std::vector<Triple> relations, attributes;
    };

    static std::string joined(std::string_view one, std::string_view two, std::string_view three) {
        std::string result(one);
        return result.append(1, between_names).append(two).append(1, between_names).append(three);
    }

    static std::string told(const Graph &graph, const Triple &triple) {
        const std::string &value = triple.target < 0 ? triple.value : graph.concepts[static_cast<std::size_t>(triple.target)];
        return joined(graph.concepts[static_cast<std::size_t>(triple.source)], triple.role, value);
    }

    static std::vector<std::string> told(const Graph &graph, const std::vector<Triple> &triples) {
        std::vector<std::string> result;
        for (const Triple &each : triples) result.push_back(told(graph, each));
        return result;
    }

    static std::string key(const Triple &triple) {
        return joined(triple.role, std::to_string(triple.source), triple.target < 0 ? triple.value : std::to_string(triple.target));
    }

    static void find_alone(const std::vector<std::string> &gold, const std::vector<std::string> &system, NameLists &into) {
        const std::unordered_set<std::string, HashOfName> theirs(gold.begin(), gold.end()), ours(system.begin(), system.end());
        for (const std::string &each : gold) {
            if (ours.count(each) == 0) into.missing.push_back(each);
        }
        for (const std::string &each : system) {
            if (theirs.count(each) == 0) into.surplus.push_back(each);
        }
    }

    void add(std::size_t list, std::string what, int points) {
        lists[list].matched.push_back(std::move(what));
        lists[list].points.push_back(points);
    }

    void find_common() {
        std::vector<char> counted(system_.concepts.size(), 0);
        if (!gold_.concepts.empty() && !system_.concepts.empty() && gold_.concepts[0] == system_.concepts[0]) {
            add(0, system_.concepts[0], 1);
            if (!root_counts_twice_) counted[0] = 1;
        }
        std::unordered_set<std::string, HashOfName> known, seen, ends;
        for (const Triple &each : gold_.relations) known.insert(told(gold_, each));
        for (const Triple &each : system_.relations) {
            std::string what = told(system_, each);
            if (!seen.insert(key(each)).second || known.count(what) == 0) continue;
            char &of_source = counted[static_cast<std::size_t>(each.source)];
            char &of_target = counted[static_cast<std::size_t>(each.target)];
            std::string both = std::to_string(each.source) + ' ' + std::to_string(each.target);
            int points = !of_target ? 2 : ends.count(both) == 0;
            of_target = 1;
            ends.insert(std::move(both));
            if (!of_source) ++points, of_source = 1;
            add(1, std::move(what), points);
        }
        known.clear(), seen.clear();
        for (const Triple &each : system_.attributes) known.insert(told(system_, each));
        for (const Triple &each : gold_.attributes) {
            std::string what = told(gold_, each);
            if (seen.insert(key(each)).second && known.count(what) != 0) add(2, std::move(what), 1);
        }
    }

    // -- as Smatch reads: where that differs from what is meant, the text counts as not plain ----

    static bool has_marks(std::string_view word) { return word.empty() || word.find_first_of("(:/)\"") != word.npos; }

    static bool is_inverted(std::string_view role) {
        return role.size() >= 3 && role.substr(role.size() - 3) == "-of" && role != "prep-on-behalf-of" &&
               role != "prep-out-of" && role != "consist-of";
    }

    // A closing quote becomes an underscore. False: a line ends in between, or nothing is there.
    static bool unquoted(std::string_view text, std::string &result) {
        result.assign(text).push_back('_');
        return text.find('\n') == text.npos;
    }

    bool read(std::string_view text, Graph &graph) {
        graph.concepts.clear(), graph.relations.clear(), graph.attributes.clear();
        if (text.find_first_of("#\t\v\f\r") != text.npos || !reader_.parse(text)) return false;
        std::string name;
        for (const Node &node : reader_.nodes()) {
            if (has_marks(node.variable)) return false;
            if (node.concept_name.data()[-1] == '"') {
                if (!unquoted(node.concept_name, name)) return false;
                name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
            } else {
                if (has_marks(node.concept_name)) return false;
                name = node.concept_name;
            }
            graph.concepts.push_back(name);
        }
        return std::all_of(reader_.roles().begin(), reader_.roles().end(),
                           [&](const Role &role) { return add_role(role, graph); });
    }

    bool add_role(const Role &role, Graph &graph) {
        if (has_marks(role.name)) return false;
        const bool inverted = is_inverted(role.name), is_mod = role.name == "mod";
        const char *const end = role.name.data() + role.name.size();
        if (role.target >= 0 && has_marks(role.value)) return false;
        if (role.target >= 0) {
            // A variable after a line end would be read as part of the role, unless it is introduced there.
            if (std::find(end, role.value.data(), '(') == role.value.data() && has_line_end(end, role.value)) return false;
            Triple triple{std::string(role.name), role.source, role.target, {}};
            if (inverted) triple.role.resize(triple.role.size() - 3);
            if (is_mod && !inverted) triple.role = "domain";
            if (inverted || is_mod) std::swap(triple.source, triple.target);
            graph.relations.push_back(std::move(triple));
            return true;
        }
        std::string value;
        if (role.kind == Value::text) {
            if (!unquoted(role.value, value)) return false;
            value.erase(0, value.find_first_not_of(' '));
            value.resize(std::min(value.find(' '), value.size()));
            for (const Node &node : reader_.nodes()) {
                if (node.variable == value) return false;
            }
        } else {
            if (has_marks(role.value)) return false;
            value = role.value;
        }
        if (has_line_end(end, role.value)) return false;
        if (!inverted && !is_mod) graph.attributes.push_back({std::string(role.name), role.source, -1, std::move(value)});
        return true;
    }

    static bool has_line_end(const char *from, std::string_view value) {
        return std::find(from, value.data(), '\n') != value.data();
    }

    bool root_counts_twice_;
    PlainReader reader_;
    Graph gold_, system_;
};

}  // namespace karat::penman
