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
#include "karat/statements.hpp"

namespace karat::penman {

// Base class: what tuples there are is for metrics to say.
class Comparison {
  public:
    virtual ~Comparison() = default;

    // False: a text is not plain, or the mapping is not one of these graphs. The texts must live as
    // long as they are compared.
    bool read(std::string_view gold, std::string_view system, matching::Span<Id> mapping) {
        begin();
        gold_.clear(), system_.clear();
        if (!read_side(gold, gold_, theirs_) || !read_side(system, system_, ours_)) return false;
        if (mapping.size > gold_.size()) mapping.size -= nodes_besides();
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
            append_json(gold_[i], out);
            out.push_back(',');
            append_json(system_[static_cast<std::size_t>(mapping_[i])], out);
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

  protected:
    // The names of the variables of a graph.
    using Variables = std::vector<std::string_view>;

    // Forgets the graphs before.
    virtual void begin() {}

    // False: the text is not plain.
    virtual bool read_side(std::string_view text, Variables &variables, Triples &triples) = 0;

    // Appends the three parts of a tuple as an explanation lists them, with commas between.
    virtual void write_tuple(const matching::Tuple &tuple, const Variables &variables, std::string &out) const = 0;

    // How a tuple looks, and its text.
    virtual overlay::Look describe(const matching::Tuple &tuple, std::string &text) const = 0;

    static void write_three(std::string_view first, std::string_view second, std::string_view third, std::string &out) {
        append_json(first, out);
        out.push_back(',');
        append_json(second, out);
        out.push_back(',');
        append_json(third, out);
    }

    // How many nodes mappings have at the end that are no variables.
    virtual std::size_t nodes_besides() const { return 0; }

    // Where tuples are known by what they say, a constant that reads like a variable would be taken for it.
    void know(const Variables &variables) {
        known_.clear();
        for (const std::string_view variable : variables) known_(variable);
    }

    bool is_variable(std::string_view constant) const { return known_.find(constant) >= 0; }

  private:
    void write_side(const matching::DistinctTuples &tuples, const Variables &variables, std::string &out) const {
        bool is_first = true;
        for (std::size_t i = 0; i < tuples.all.size(); ++i) {
            if (tuples.matched[i]) continue;
            out.append(is_first ? "[" : ",[");
            is_first = false;
            write_tuple(tuples.all[i], variables, out);
            out.push_back(']');
        }
    }

    void add_part(const matching::Tuple &tuple, overlay::Mark mark) {
        const overlay::Look look = describe(tuple, text_);
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

    Variables gold_, system_;
    Names known_;
    Triples theirs_, ours_;
    matching::Span<Id> mapping_;
    matching::Difference found_;
    overlay::Spelling gold_spelling_, system_spelling_;
    overlay::Sheet sheet_;
    std::vector<Id> place_;
    std::string text_, lower_;
};

// The triples of Smatch.
class TripleComparison : public Comparison {
  public:
    explicit TripleComparison(bool top_is_concept) : top_is_concept_(top_is_concept) {}

  protected:
    void begin() override { names_.clear(); }

    bool read_side(std::string_view text, Variables &variables, Triples &triples) override {
        if (!reader_.read(text, names_, top_is_concept_, triples)) return false;
        for (const Node &node : reader_.nodes()) variables.push_back(node.variable);
        know(variables);
        // Nor must a constant be taken for the concept of a variable.
        return std::none_of(triples.features.begin(), triples.features.end(), [&](const Feature &feature) {
            if (feature.kind != attribute) return false;
            const auto [role, value] = parts_of(names_[feature.value]);
            return role == "instance" || is_variable(value);
        });
    }

    void write_tuple(const matching::Tuple &tuple, const Variables &variables, std::string &out) const override {
        const std::string_view name = names_[tuple.value];
        std::string_view role = "instance", value = name.substr(1);
        if (tuple.kind == attribute) std::tie(role, value) = parts_of(name);
        if (tuple.kind == relation) role = value, value = variables[static_cast<std::size_t>(tuple.target)];
        write_three(role, variables[static_cast<std::size_t>(tuple.source)], value, out);
    }

    overlay::Look describe(const matching::Tuple &tuple, std::string &text) const override {
        using overlay::Look;
        const std::string_view name = names_[tuple.value];
        text = name.substr(1);
        if (tuple.kind != attribute) return tuple.kind == instance ? Look::label : Look::edge;
        const auto [role, value] = parts_of(name);
        text = role;
        if (role != "top" || value != "top") text.append(" ").append(value);
        return role == "top" ? Look::top : Look::property;
    }

  private:
    // Role and value of an attribute.
    static std::pair<std::string_view, std::string_view> parts_of(std::string_view name) {
        const std::size_t end = name.find('\0');
        return {name.substr(1, end - 1), name.substr(end + 1)};
    }

    bool top_is_concept_;
    TripleReader reader_;
    Names names_;
};

// The statements of smatch++, standardised as AMR is.
class StatementComparison : public Comparison {
  public:
    explicit StatementComparison(const std::vector<statements::Reification> &reifications)
        : standardizer_(statements::Style::amr, false, reifications, {}) {}

  protected:
    bool read_side(std::string_view text, Variables &variables, Triples &triples) override {
        if (!standardizer_.read(text, triples)) return false;
        standardizer_.add_variables(variables);
        know(variables);
        const Id nowhere = --triples.nodes;
        return std::none_of(triples.features.begin(), triples.features.end(), [&](const Feature &each) {
            const auto terms = standardizer_.terms(each.value);
            const bool is_free = each.kind == attribute && terms.role != "root";
            return each.node == nowhere || terms.constant.empty() || (is_free && is_variable(terms.constant));
        });
    }

    // Nothing is said of no variable in what is plain.
    std::size_t nodes_besides() const override { return 1; }

    void write_tuple(const matching::Tuple &tuple, const Variables &variables, std::string &out) const override {
        const auto terms = standardizer_.terms(tuple.value);
        const std::string_view source = variables[static_cast<std::size_t>(tuple.source)];
        if (tuple.kind == relation) {
            write_three(source, terms.role, variables[static_cast<std::size_t>(tuple.target)], out);
        } else if (terms.is_source) {
            write_three(terms.constant, terms.role, source, out);
        } else {
            write_three(source, terms.role, terms.constant, out);
        }
    }

    overlay::Look describe(const matching::Tuple &tuple, std::string &text) const override {
        const auto terms = standardizer_.terms(tuple.value);
        text = tuple.kind == instance ? terms.constant : terms.is_source ? terms.constant : terms.role;
        if (tuple.kind == attribute) text.append(" ").append(terms.is_source ? terms.role : terms.constant);
        if (tuple.kind == instance) return overlay::Look::label;
        return tuple.kind == relation ? overlay::Look::edge : overlay::Look::property;
    }

  private:
    statements::Standardizer standardizer_;
};

}  // namespace karat::penman
