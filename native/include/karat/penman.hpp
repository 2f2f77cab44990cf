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
#include <vector>

#include "karat/matching/input.hpp"
#include "karat/names.hpp"

namespace karat::penman {

using matching::Edge;
using matching::Feature;
using matching::Id;

enum Kind : Id { instance = 0, attribute = 1, relation = 2 };

struct Triples {
    Id nodes = 0;
    std::vector<Feature> features;
    std::vector<Edge> edges;

    void clear() { nodes = 0, features.clear(), edges.clear(); }
};

// Adds a text in lower case.
inline void add_lower(std::string &to, std::string_view text) {
    const std::size_t before = to.size();
    to.append(text);
    for (std::size_t i = before; i < to.size(); ++i) {
        if (to[i] >= 'A' && to[i] <= 'Z') to[i] = static_cast<char>(to[i] - 'A' + 'a');
    }
}

// The same without underscores at the end.
inline void add_folded(std::string &to, std::string_view text) {
    while (!text.empty() && text.back() == '_') text.remove_suffix(1);
    add_lower(to, text);
}

class Reader {
  public:
    // False: the text is not plain, `triples` is of no use.
    bool read(std::string_view text, Names &names, bool top_is_concept, Triples &triples) {
        triples.clear();
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
        return variables_.find(role.value);
    }

  private:
    // What a character is to the reader; the values are bits.
    enum : unsigned char { ordinary = 0, blank = 1, bracket = 2, line_end = 4, odd = 8 };

    static constexpr std::array<unsigned char, 256> kinds_of_characters() {
        std::array<unsigned char, 256> kinds{};
        for (std::size_t c = 0; c < 256; ++c) {
            if (c == ' ' || (c >= '\t' && c <= '\r')) kinds[c] = blank;
            else if (c < 0x20 || c >= 0x80 || c == '~' || c == '\\') kinds[c] = odd;
        }
        kinds['\n'] = blank | line_end;
        kinds['('] = kinds[')'] = bracket;
        return kinds;
    }

    static unsigned char kind(char c) {
        static constexpr std::array<unsigned char, 256> kinds = kinds_of_characters();
        return kinds[static_cast<unsigned char>(c)];
    }

    static bool is_blank(char c) { return kind(c) & blank; }

    // A comment is no part of a graph, and a line of blanks would end one in a file.
    bool is_plain() const {
        const char *const begin = text_.data(), *const end = begin + text_.size();
        const char *c = begin;
        while (true) {
            while (c != end && kind(*c) == blank) ++c;
            if (c != end && (*c == '#' || (*c == '\n' && c != begin))) return false;
            while (c != end && !(kind(*c) & (line_end | odd))) ++c;
            if (c == end) return true;
            if (kind(*c) & odd) return false;
            ++c;
        }
    }

    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }

    // Up to a blank or a bracket.
    std::string_view word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !(kind(text_[at_]) & (blank | bracket))) ++at_;
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
        return at_ == text_.size() || (kind(text_[at_]) & (blank | bracket));
    }

    bool node() {
        if (text_[at_] != '(') return false;
        ++at_;
        skip_blanks();
        if (!begins_symbol()) return false;
        const std::string_view variable = word();
        if (variable.find('/') != std::string_view::npos) return false;
        const Id number = static_cast<Id>(concepts_.size());
        if (variables_(variable) != number) return false;
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

    static bool is_inverted(std::string_view role) {
        return role.size() >= 3 && role.substr(role.size() - 3) == "-of" && role != "prep-on-behalf-of" &&
               role != "prep-out-of" && role != "consist-of";
    }

    void collect(Names &names, bool top_is_concept, Triples &triples) {
        triples.nodes = static_cast<Id>(concepts_.size());
        for (std::size_t i = 0; i < concepts_.size(); ++i) {
            name_ = 'i';
            add_folded(name_, concepts_[i]);
            triples.features.push_back({static_cast<Id>(i), instance, names(name_)});
        }
        triples.features.push_back(
            {0, attribute, names(constant("top", top_is_concept ? concepts_[0] : std::string_view("top")))});
        for (const Role &role : roles_) {
            Id target = this->target(role);
            if (target < 0) {
                triples.features.push_back({role.source, attribute, names(constant(role.name, role.value))});
                continue;
            }
            Id source = role.source;
            name_ = 'r';
            add_lower(name_, role.name);
            if (is_inverted(std::string_view(name_).substr(1))) {
                name_.resize(name_.size() - 3);
                std::swap(source, target);
            } else if (name_ == "rmod") {
                name_ = "rdomain";
                std::swap(source, target);
            }
            while (name_.size() > 1 && name_.back() == '_') name_.pop_back();
            triples.edges.push_back({source, target, relation, names(name_)});
        }
    }

    // The name of a role with a constant.
    std::string_view constant(std::string_view role, std::string_view value) {
        name_ = 'a';
        add_folded(name_, role);
        name_.push_back('\0');
        add_folded(name_, value);
        return name_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Names variables_;
    std::vector<std::string_view> concepts_;
    std::vector<Role> roles_;
    std::vector<Id> open_;
    std::string name_;  // made here, so that its memory is used again
};

}  // namespace karat::penman
