// Graphs in PENMAN notation: variables, concepts, and roles with their values.
//
// The whole notation, in UTF-8: alignments (`~e.4`, left out), escapes, nodes without concept,
// the words that roles of Chinese AMR tell in brackets. What is wrong is told with its place.
// Parsing keeps its own stack, so depth costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/names.hpp"

namespace karat::penman {

enum class Value { variable, text, symbol };

struct Role {
    std::int32_t source;
    std::string_view name, value;
    Value kind;
    bool nested;  // its value is a variable that is introduced here or was before
    bool escaped;
    std::int32_t target;  // the node that a variable stands for, or -1
};

struct Node {
    std::string_view variable, concept_name;
    bool has_concept, escaped;
};

enum class Problem {
    none,
    surplus,        // brackets closed that were not open; no error unless strict
    unclosed,       // brackets open at the end; likewise
    no_graph,       // no '(' to begin with
    no_variable,
    twice,          // a variable introduced again
    no_concept,
    unexpected,     // neither a role nor ')'
    no_value,
    after_the_end,
};

// The content of a string in quotes: what follows a backslash stands for itself.
inline std::string unescaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        result.push_back(text[i]);
    }
    return result;
}

class Reader {
  public:
    // False: `problem` tells what is wrong. The text must live as long as what was read of it.
    bool parse(std::string_view text, bool chinese = false, bool strict = true) {
        text_ = text;
        at_ = begin_ = 0;
        chinese_ = chinese;
        problem_ = Problem::none;
        variables_.clear(), nodes_.clear(), roles_.clear(), open_.clear();
        next();
        if (token_ != Token::open) return fail(Problem::no_graph);
        if (!node()) return false;
        while (token_ != Token::end) {
            // `token_` is what stands behind the last node, role or bracket.
            if (open_.empty()) {
                if (token_ != Token::close || strict) return fail(Problem::after_the_end);
                problem_ = Problem::surplus;
                next();
            } else if (token_ == Token::close) {
                open_.pop_back();
                next();
            } else if (token_ != Token::role) {
                return fail(Problem::unexpected);
            } else if (!role()) {
                return false;
            }
        }
        if (!open_.empty()) {
            begin_ = open_.back().place, end_ = begin_ + 1;
            if (strict) return fail(Problem::unclosed);
            problem_ = Problem::unclosed;
        }
        for (Role &role : roles_) {  // what is introduced only after it is mentioned
            if (role.kind != Value::symbol) continue;
            role.target = variables_.find(role.value);
            if (role.target >= 0) role.kind = Value::variable;
        }
        return true;
    }

    const std::vector<Node> &nodes() const { return nodes_; }
    const std::vector<Role> &roles() const { return roles_; }

    // What is wrong, where in the text, and what stands there (of a role, its name).
    Problem problem() const { return problem_; }
    std::size_t place() const { return begin_; }
    std::string_view found() const { return text_.substr(found_begin_, end_ - found_begin_); }

  private:
    enum class Token { open, close, slash, string, role, symbol, other, end };
    struct Open {
        std::int32_t node;
        std::size_t place;
    };

    // -- characters -------------------------------------------------------------

    // What a byte is inside a word; `special` needs a closer look.
    enum : unsigned char { ordinary = 0, blank = 1, bracket = 2, special = 4 };

    static constexpr std::array<unsigned char, 256> kinds_of_bytes() {
        std::array<unsigned char, 256> kinds{};
        for (std::size_t c = 0; c < 256; ++c) {
            if (c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f)) kinds[c] = blank;
            if (c == '~' || c == 0xc2 || c == 0xe1 || c == 0xe2 || c == 0xe3) kinds[c] = special;
        }
        kinds['('] = kinds[')'] = bracket;
        return kinds;
    }

    unsigned char kind(std::size_t at) const {
        static constexpr std::array<unsigned char, 256> kinds = kinds_of_bytes();
        return kinds[static_cast<unsigned char>(text_[at])];
    }

    char peek(std::size_t at) const { return at < text_.size() ? text_[at] : ' '; }

    // The size of the blank that stands here, or 0; the end of the text counts as one of size 1.
    std::size_t blank_size(std::size_t at) const {
        if (at >= text_.size() || (kind(at) & blank)) return 1;
        if (!(kind(at) & special)) return 0;
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(peek(i)); };
        const unsigned char second = byte(at + 1), third = byte(at + 2);
        switch (byte(at)) {
            case 0xc2: return second == 0x85 || second == 0xa0 ? 2 : 0;
            case 0xe1: return second == 0x9a && third == 0x80 ? 3 : 0;
            case 0xe2:
                if (second == 0x81) return third == 0x9f ? 3 : 0;
                return second == 0x80 && ((third >= 0x80 && third <= 0x8a) || third == 0xa8 || third == 0xa9 ||
                                          third == 0xaf)
                           ? 3
                           : 0;
            case 0xe3: return second == 0x80 && third == 0x80 ? 3 : 0;
            default: return 0;
        }
    }

    // Where an alignment that begins here with `~` ends; here, if none does.
    std::size_t alignment_end(std::size_t at) const {
        const std::size_t begin = at;
        if (peek(at) != '~') return begin;
        do {
            ++at;
            if (peek(at) >= 'a' && peek(at) <= 'z') at += peek(at + 1) == '.' ? 2 : 1;
            const std::size_t digits = at;
            while (peek(at) >= '0' && peek(at) <= '9') ++at;
            if (at == digits) return begin;
        } while (peek(at) == ',');
        return blank_size(at) > 0 || (kind(at) & bracket) ? at : begin;
    }

    // -- tokens -----------------------------------------------------------------

    // The next token: `word_` is its text, without quotes, colon and alignment.
    void next() {
        while (at_ < text_.size() && kind(at_) != ordinary) {
            const std::size_t size = kind(at_) == blank ? 1 : blank_size(at_);
            if (size == 0) break;
            at_ += size;
        }
        begin_ = end_ = at_;
        if (at_ == text_.size()) {
            token_ = Token::end;
            return;
        }
        escaped_ = false;
        switch (text_[at_]) {
            case '(': return mark(Token::open);
            case ')': return mark(Token::close);
            case '/': return mark(Token::slash);
            case '~': return mark(Token::other);
            case '"': return string();
            case ':': return word(Token::role, at_ + 1);
            default: return word(Token::symbol, at_);
        }
    }

    void mark(Token token) {
        token_ = token;
        end_ = ++at_;
    }

    // A string is what stands between quotes; a quote that is never closed is none.
    void string() {
        std::size_t at = begin_ + 1;
        for (; at < text_.size() && text_[at] != '"'; ++at) {
            if (text_[at] != '\\') continue;
            escaped_ = true;
            if (peek(++at) == '\n') return mark(Token::other);
        }
        if (at >= text_.size()) return mark(Token::other);
        token_ = Token::string;
        word_ = text_.substr(begin_ + 1, at - begin_ - 1);
        end_ = at + 1;
        at_ = alignment_end(end_);
    }

    void word(Token token, std::size_t begin) {
        token_ = token;
        std::size_t at = begin;
        for (; at < text_.size(); ++at) {
            const unsigned char here = kind(at);
            if (here == ordinary) continue;
            if (here != special || blank_size(at) > 0 || alignment_end(at) != at) break;
        }
        word_ = text_.substr(begin, at - begin);
        if (chinese_ && token == Token::role && peek(at) == '(') {
            const std::size_t close = text_.find_first_of("()", at + 1);
            if (close != std::string_view::npos && text_[close] == ')') at = close + 1;
        }
        end_ = at;
        at_ = alignment_end(at);
    }

    // -- nodes and roles --------------------------------------------------------

    bool fail(Problem problem) {
        problem_ = problem;
        found_begin_ = begin_;
        return false;
    }

    // From a '(' to what stands behind the concept.
    bool node() {
        const std::size_t place = begin_;
        next();
        if (token_ != Token::symbol) return fail(Problem::no_variable);
        Node node{word_, {}, false, false};
        const std::size_t slash = word_.find('/');
        bool has_slash = slash != std::string_view::npos;
        if (has_slash) {
            node.variable = word_.substr(0, slash);
            node.concept_name = word_.substr(slash + 1);
        }
        const auto number = static_cast<std::int32_t>(nodes_.size());
        if (variables_(node.variable) != number) {
            end_ = begin_ + node.variable.size();
            return fail(Problem::twice);
        }
        next();
        if (!has_slash && token_ == Token::slash) {
            has_slash = true;
            next();
        }
        if (has_slash && node.concept_name.empty()) {
            if (token_ != Token::symbol && token_ != Token::string) return fail(Problem::no_concept);
            node.concept_name = word_;
            node.escaped = escaped_;
            next();
        }
        node.has_concept = !node.concept_name.empty();
        nodes_.push_back(node);
        open_.push_back({number, place});
        return true;
    }

    // A role and its value; of a node, what comes before its roles.
    bool role() {
        const std::size_t place = begin_;
        Role role{open_.back().node, word_, {}, Value::variable, true, false, -1};
        next();
        if (token_ == Token::open) {
            const std::size_t at = roles_.size(), number = nodes_.size();
            roles_.push_back(role);
            if (!node()) return false;
            roles_[at].value = nodes_[number].variable;
            roles_[at].target = static_cast<std::int32_t>(number);
            return true;
        }
        if (token_ != Token::string && token_ != Token::symbol) {
            problem_ = Problem::no_value;
            begin_ = place, found_begin_ = place + 1, end_ = found_begin_ + role.name.size();
            return false;
        }
        role.value = word_;
        role.escaped = escaped_;
        if (token_ == Token::string) {
            role.kind = Value::text, role.nested = false;
        } else if ((role.target = variables_.find(word_)) < 0) {
            role.kind = Value::symbol, role.nested = false;
            const std::size_t slash = chinese_ ? word_.find('/') : std::string_view::npos;
            if (slash != std::string_view::npos) {  // a word and what it stands for
                role.kind = Value::text;
                role.value = word_.substr(slash + 1);
            }
        }
        roles_.push_back(role);
        next();
        return true;
    }

    std::string_view text_, word_;
    std::size_t at_ = 0, begin_ = 0, end_ = 0;  // where to go on; where the last token begins and ends
    std::size_t found_begin_ = 0;
    bool chinese_ = false, escaped_ = false;
    Token token_ = Token::end;
    Problem problem_ = Problem::none;
    Names variables_;
    std::vector<Node> nodes_;
    std::vector<Role> roles_;
    std::vector<Open> open_;
};

}  // namespace karat::penman
