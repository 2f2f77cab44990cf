// What two AMR graphs in PENMAN notation share under a mapping, in JSON: for lists of errors, and laid
// over each other. Only what is plain, as in penman_triples.hpp.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/matching/difference.hpp"
#include "karat/overlay.hpp"
#include "karat/penman_triples.hpp"

namespace karat::penman {

class Comparison {
  public:
    // False: a text is not plain, or the mapping is not one of these graphs. The texts must live as
    // long as they are compared.
    bool read(std::string_view gold, std::string_view system, bool top_is_concept, matching::Span<Id> mapping) {
        names_.clear();
        if (!read_side(gold, top_is_concept, gold_, theirs_) || !read_side(system, top_is_concept, system_, ours_)) {
            return false;
        }
        if (!matching::is_mapping(mapping, theirs_.nodes, ours_.nodes)) return false;
        mapping_ = mapping;
        found_.compare(theirs_, ours_, mapping);
        return true;
    }

    // Appends correspondences, and what is missing and surplus.
    void write_explanation(std::string &out) const {
        out.append("{\"correspondences\":[");
        bool is_first = true;
        for (std::size_t i = 0; i < mapping_.size; ++i) {
            if (mapping_[i] < 0) continue;
            out.append(is_first ? "[" : ",[");
            is_first = false;
            append_json(gold_.variables[i], out);
            out.push_back(',');
            append_json(system_.variables[static_cast<std::size_t>(mapping_[i])], out);
            out.push_back(']');
        }
        out.append("],\"missing\":[");
        write_side(found_.gold, gold_, out);
        out.append("],\"surplus\":[");
        write_side(found_.system, system_, out);
        out.append("]}");
    }

    // Appends both graphs laid over each other.
    void write_overlay(std::string_view gold, std::string_view system, overlay::Faults &faults, std::string &out) {
        spell(gold, gold_spelling_), spell(system, system_spelling_);
        sheet_.clear();
        for (const Id node : mapping_) {
            sheet_.nodes.push_back({node < 0 ? overlay::Mark::missing : overlay::Mark::none, {}});
        }
        place_.clear();
        for (const Id partner : found_.partner) {
            place_.push_back(partner < 0 ? static_cast<Id>(sheet_.nodes.size()) : partner);
            if (partner < 0) sheet_.nodes.push_back({overlay::Mark::surplus, {}});
        }
        for (std::size_t i = 0; i < found_.gold.all.size(); ++i) {
            add_part(found_.gold.all[i], found_.gold.matched[i] ? overlay::Mark::none : overlay::Mark::missing);
        }
        for (std::size_t i = 0; i < found_.system.all.size(); ++i) {
            if (found_.system.matched[i]) continue;
            matching::Tuple tuple = found_.system.all[i];
            tuple.source = place_[static_cast<std::size_t>(tuple.source)];
            if (tuple.target >= 0) tuple.target = place_[static_cast<std::size_t>(tuple.target)];
            add_part(tuple, overlay::Mark::surplus);
        }
        sheet_.write(true, faults, out);
    }

  private:
    struct Side {
        std::vector<std::string_view> variables;
    };

    bool read_side(std::string_view text, bool top_is_concept, Side &side, Triples &triples) {
        if (!reader_.read(text, names_, top_is_concept, triples)) return false;
        side.variables.clear();
        for (const Node &node : reader_.nodes()) side.variables.push_back(node.variable);
        return is_told_apart(side, triples);
    }

    // Whether no constant reads like a variable, nor like the concept of one: where triples are known
    // by what they say, such a one would be taken for the other.
    bool is_told_apart(const Side &side, const Triples &triples) {
        variables_.clear();
        for (const std::string_view variable : side.variables) variables_(variable);
        return std::none_of(triples.features.begin(), triples.features.end(), [&](const Feature &feature) {
            if (feature.kind != attribute) return false;
            const auto [role, value] = parts_of(names_[feature.value]);
            return role == "instance" || variables_.find(value) >= 0;
        });
    }

    // Role and value of an attribute.
    static std::pair<std::string_view, std::string_view> parts_of(std::string_view name) {
        const std::size_t end = name.find('\0');
        return {name.substr(1, end - 1), name.substr(end + 1)};
    }

    void write_side(const matching::DistinctTuples &tuples, const Side &side, std::string &out) const {
        bool is_first = true;
        for (std::size_t i = 0; i < tuples.all.size(); ++i) {
            if (tuples.matched[i]) continue;
            const matching::Tuple &tuple = tuples.all[i];
            const std::string_view name = names_[tuple.value];
            std::string_view role = "instance", value = name.substr(1);
            if (tuple.kind == attribute) std::tie(role, value) = parts_of(name);
            if (tuple.kind == relation) {
                role = value, value = side.variables[static_cast<std::size_t>(tuple.target)];
            }
            out.append(is_first ? "[" : ",[");
            is_first = false;
            append_json(role, out);
            out.push_back(',');
            append_json(side.variables[static_cast<std::size_t>(tuple.source)], out);
            out.push_back(',');
            append_json(value, out);
            out.push_back(']');
        }
    }

    void add_part(const matching::Tuple &tuple, overlay::Mark mark) {
        using overlay::Look;
        const std::string_view name = names_[tuple.value];
        Look look = tuple.kind == instance ? Look::label : Look::edge;
        text_ = name.substr(1);
        if (tuple.kind == attribute) {
            const auto [role, value] = parts_of(name);
            look = role == "top" ? Look::top : Look::property;
            text_.assign(role).append(" ").append(value);
        }
        const overlay::Spelling &spelling = mark == overlay::Mark::surplus ? system_spelling_ : gold_spelling_;
        sheet_.parts.push_back({look, mark, tuple.source, tuple.target, tuple.value, spelling(text_)});
    }

    // The words of a text: what stands between quotes of a line, and what has no blanks, brackets,
    // slashes, colons, quotes and tildes in it.
    void spell(std::string_view text, overlay::Spelling &spelling) {
        static constexpr std::string_view ends = " \t\n\v\f\r()/:\"~";
        spelling.clear();
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            if (at > 0 && text[at - 1] == '"') {
                end = std::min(text.find_first_of("\"\n", at), text.size());
                if (end == text.size() || text[end] != '"') end = at;
            }
            if (end == at) end = std::min(text.find_first_of(ends, at), text.size());
            if (end > at) {
                lower_.clear();
                add_lower(lower_, text.substr(at, end - at));
                spelling.add(text.substr(at, end - at), lower_);
            }
            at = std::max(end, at + 1);
        }
    }

    TripleReader reader_;
    Names names_, variables_;
    Side gold_, system_;
    Triples theirs_, ours_;
    matching::Span<Id> mapping_;
    matching::Difference found_;
    overlay::Spelling gold_spelling_, system_spelling_;
    overlay::Sheet sheet_;
    std::vector<Id> place_;
    std::string text_, lower_;
};

}  // namespace karat::penman
