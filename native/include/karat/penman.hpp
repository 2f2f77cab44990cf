// AMR in PENMAN notation, straight to triples with numbers for names.
//
// Only what is plain: ASCII, no escapes in quotes, no alignments, no comments, all
// brackets closed. Anything else is left to the reader in Python, which also says
// what is wrong; so this one may give up at any time, and never guesses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "karat/matching/input.hpp"

namespace karat::penman {

using matching::Edge;
using matching::Feature;
using matching::Id;

enum Kind : Id { instance = 0, attribute = 1, relation = 2 };

// Numbers for strings, the same for equal ones.
class Names {
  public:
    Id operator()(std::string name) {
        return numbers_.try_emplace(std::move(name), static_cast<Id>(numbers_.size())).first->second;
    }
    void clear() { numbers_.clear(); }

  private:
    std::unordered_map<std::string, Id> numbers_;
};

struct Triples {
    Id nodes = 0;
    std::vector<Feature> features;
    std::vector<Edge> edges;
};

// Lower case, without underscores at the end.
inline std::string folded(std::string_view text) {
    while (!text.empty() && text.back() == '_') text.remove_suffix(1);
    std::string result(text);
    for (char &c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

class Reader {
  public:
    // False: the text is not plain, `triples` is of no use.
    bool read(std::string_view text, Names &names, bool top_is_concept, Triples &triples) {
        triples = Triples();
        if (!parse(text)) return false;
        if (!concepts_.empty()) collect(names, top_is_concept, triples);
        return true;
    }

    bool parse(std::string_view text) {
        text_ = text;
        at_ = 0;
        variables_.clear(), concepts_.clear(), roles_.clear(), open_.clear();
        if (!is_plain()) return false;
        skip_blanks();
        if (at_ == text_.size()) return true;
        if (!node()) return false;
        while (!open_.empty()) {
            skip_blanks();
            if (at_ == text_.size()) return false;
            if (text_[at_] == ')') {
                ++at_;
                open_.pop_back();
            } else if (text_[at_] != ':' || !role()) {
                return false;
            }
        }
        skip_blanks();
        return at_ == text_.size();
    }

    struct Role {
        Id source;
        std::string_view name, value;
        bool quoted;
        Id node;  // the node that is written in place of a value, or -1
    };

    // What was parsed last, as long as its text lives.
    const std::vector<std::string_view> &concepts() const { return concepts_; }
    const std::vector<Role> &roles() const { return roles_; }

    // The node that a role points to, or -1.
    Id target(const Role &role) const {
        if (role.node >= 0 || role.quoted) return role.node;
        const auto found = variables_.find(role.value);
        return found == variables_.end() ? -1 : found->second;
    }

  private:
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    // A line of blanks would end a graph in a file.
    bool is_plain() const {
        bool line_begins = true;
        for (const char c : text_) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x80 || (byte < 0x20 && !is_blank(c)) || c == '~' || c == '\\') return false;
            if (line_begins && (c == '#' || (c == '\n' && &c != text_.data()))) return false;
            line_begins = c == '\n' || (line_begins && is_blank(c));
        }
        return true;
    }

    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }

    // Up to a blank or a bracket.
    std::string_view word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '(' && text_[at_] != ')') ++at_;
        return text_.substr(begin, at_ - begin);
    }

    bool begins_symbol() const {
        return at_ < text_.size() && text_[at_] != '(' && text_[at_] != ')' && text_[at_] != '"' &&
               text_[at_] != ':' && text_[at_] != '/';
    }

    // A quoted string that ends where a word may end.
    bool string(std::string_view &value) {
        const std::size_t end = text_.find('"', at_ + 1);
        if (end == std::string_view::npos) return false;
        value = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return at_ == text_.size() || is_blank(text_[at_]) || text_[at_] == '(' || text_[at_] == ')';
    }

    bool node() {
        if (text_[at_] != '(') return false;
        ++at_;
        skip_blanks();
        if (!begins_symbol()) return false;
        const std::string_view variable = word();
        if (variable.find('/') != std::string_view::npos) return false;
        const Id number = static_cast<Id>(concepts_.size());
        if (!variables_.try_emplace(variable, number).second) return false;
        skip_blanks();
        if (at_ == text_.size() || text_[at_] != '/') return false;
        ++at_;
        skip_blanks();
        std::string_view concept_name;
        if (at_ < text_.size() && text_[at_] == '"') {
            if (!string(concept_name)) return false;
        } else if (begins_symbol()) {
            concept_name = word();
        } else {
            return false;
        }
        concepts_.push_back(concept_name);
        open_.push_back(number);
        return true;
    }

    bool role() {
        ++at_;
        Role role{open_.back(), word(), {}, false, -1};
        skip_blanks();
        if (at_ == text_.size()) return false;
        if (text_[at_] == '(') {
            role.node = static_cast<Id>(concepts_.size());
            roles_.push_back(role);
            return node();
        }
        if (text_[at_] == '"') {
            role.quoted = true;
            if (!string(role.value)) return false;
        } else if (begins_symbol()) {
            role.value = word();
        } else {
            return false;
        }
        roles_.push_back(role);
        return true;
    }

    static bool is_inverted(const std::string &role) {
        return role.size() >= 3 && role.compare(role.size() - 3, 3, "-of") == 0 && role != "prep-on-behalf-of" &&
               role != "prep-out-of" && role != "consist-of";
    }

    static std::string lower(std::string_view text) {
        std::string result(text);
        for (char &c : result) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        return result;
    }

    void collect(Names &names, bool top_is_concept, Triples &triples) const {
        triples.nodes = static_cast<Id>(concepts_.size());
        for (std::size_t i = 0; i < concepts_.size(); ++i) {
            triples.features.push_back({static_cast<Id>(i), instance, names("i" + folded(concepts_[i]))});
        }
        const std::string top = top_is_concept ? folded(concepts_[0]) : "top";
        triples.features.push_back({0, attribute, names(pair("top", top))});
        for (const Role &role : roles_) {
            Id target = this->target(role);
            if (target < 0) {
                triples.features.push_back(
                    {role.source, attribute, names(pair(folded(role.name), folded(role.value)))});
                continue;
            }
            std::string name = lower(role.name);
            Id source = role.source;
            if (is_inverted(name)) {
                name.resize(name.size() - 3);
                std::swap(source, target);
            } else if (name == "mod") {
                name = "domain";
                std::swap(source, target);
            }
            triples.edges.push_back({source, target, relation, names("r" + folded(name))});
        }
    }

    static std::string pair(const std::string &role, const std::string &value) { return "a" + role + '\0' + value; }

    std::string_view text_;
    std::size_t at_ = 0;
    std::unordered_map<std::string_view, Id> variables_;
    std::vector<std::string_view> concepts_;
    std::vector<Role> roles_;
    std::vector<Id> open_;
};

}  // namespace karat::penman
