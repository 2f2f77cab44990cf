// A graph in PENMAN notation as its parts: variables, concepts, roles with their values.
//
// The whole notation in UTF-8: alignments, escapes, nodes without concept. What is wrong
// (brackets, a variable twice, a role without value), and blanks beyond ASCII, are left to
// the reader in Python, which says where and why; so this one may give up, and never guesses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/names.hpp"

namespace karat::penman {

enum class Value { variable, text, symbol };

struct PartsRole {
    std::int32_t source;
    std::string_view name, value;
    Value kind;
    bool nested;  // written where its variable is known already, or introduced
    bool escaped;
};

struct PartsNode {
    std::string_view variable, concept_name;
    bool has_concept, escaped;
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

class PartsReader {
  public:
    // False: the text is left to the full reader.
    bool parse(std::string_view text) {
        text_ = text;
        at_ = 0;
        variables_.clear(), nodes_.clear(), roles_.clear(), open_.clear();
        if (!next() || token_ != Token::open || !node()) return false;
        while (!open_.empty()) {
            // `token_` is what stands behind the last node, role or bracket.
            if (token_ == Token::close) {
                open_.pop_back();
                if (!next()) return false;
            } else if (token_ != Token::role || !role()) {
                return false;
            }
        }
        if (token_ != Token::end) return false;
        for (PartsRole &role : roles_) {
            if (role.kind == Value::symbol && variables_.find(role.value) >= 0) role.kind = Value::variable;
        }
        return true;
    }

    // What was parsed last, as long as its text lives.
    const std::vector<PartsNode> &nodes() const { return nodes_; }
    const std::vector<PartsRole> &roles() const { return roles_; }

  private:
    enum class Token { open, close, slash, string, role, symbol, end };

    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool is_control(char c) { return c >= '\x1c' && c <= '\x1f'; }  // blanks to Python as well
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    char peek(std::size_t at) const { return at < text_.size() ? text_[at] : ' '; }

    // Whether a blank beyond ASCII begins here.
    bool is_wide_blank(std::size_t at) const {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(peek(i)); };
        switch (byte(at)) {
            case 0xc2: return byte(at + 1) == 0x85 || byte(at + 1) == 0xa0;
            case 0xe1: return byte(at + 1) == 0x9a && byte(at + 2) == 0x80;
            case 0xe2:
                return (byte(at + 1) == 0x80 && (byte(at + 2) <= 0x8a || byte(at + 2) == 0xa8 || byte(at + 2) == 0xa9 ||
                                                 byte(at + 2) == 0xaf)) ||
                       (byte(at + 1) == 0x81 && byte(at + 2) == 0x9f);
            case 0xe3: return byte(at + 1) == 0x80 && byte(at + 2) == 0x80;
            default: return false;
        }
    }

    // Where an alignment that begins here with `~` ends; here, if none does.
    // `odd` is set where digits beyond ASCII might make one.
    std::size_t alignment_end(std::size_t at, bool &odd) const {
        const std::size_t begin = at++;
        while (true) {
            if (peek(at) >= 'a' && peek(at) <= 'z') at += peek(at + 1) == '.' ? 2 : 1;
            const std::size_t digits = at;
            while (is_digit(peek(at))) ++at;
            if (static_cast<unsigned char>(peek(at)) >= 0x80) odd = true;
            if (at == digits) return begin;
            if (peek(at) != ',') break;
            ++at;
        }
        const char after = peek(at);
        if (is_control(after)) odd = true;
        return is_blank(after) || after == '(' || after == ')' ? at : begin;
    }

    // The next token, without its alignment; false where the full reader is needed.
    bool next() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
        if (at_ == text_.size()) {
            token_ = Token::end;
            return true;
        }
        const char first = text_[at_];
        if (first == '(' || first == ')' || first == '/') {
            token_ = first == '(' ? Token::open : first == ')' ? Token::close : Token::slash;
            ++at_;
            return true;
        }
        if (first == '~') return false;
        bool odd = false;
        if (first == '"') {
            const std::size_t begin = ++at_;
            escaped_ = false;
            for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
                if (text_[at_] != '\\') continue;
                escaped_ = true;
                ++at_;
                if (peek(at_) == '\n') return false;
            }
            if (at_ >= text_.size()) return false;
            token_ = Token::string;
            word_ = text_.substr(begin, at_ - begin);
            ++at_;
            if (peek(at_) == '~') at_ = alignment_end(at_, odd);
            return !odd;
        }
        token_ = first == ':' ? Token::role : Token::symbol;
        escaped_ = false;
        const std::size_t begin = first == ':' ? at_ + 1 : at_;
        for (at_ = begin; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (is_blank(c) || c == '(' || c == ')') break;
            if (is_control(c) || (static_cast<unsigned char>(c) >= 0x80 && is_wide_blank(at_))) return false;
            if (c == '~') {
                const std::size_t end = alignment_end(at_, odd);
                if (odd) return false;
                if (end != at_) {
                    word_ = text_.substr(begin, at_ - begin);
                    at_ = end;
                    return true;
                }
            }
        }
        word_ = text_.substr(begin, at_ - begin);
        return true;
    }

    // From what stands behind a '(' to what stands behind the concept.
    bool node() {
        if (!next() || token_ != Token::symbol) return false;
        PartsNode node{word_, {}, false, false};
        const std::size_t slash = word_.find('/');
        bool has_slash = slash != std::string_view::npos;
        if (has_slash) {
            node.variable = word_.substr(0, slash);
            node.concept_name = word_.substr(slash + 1);
        }
        const auto number = static_cast<std::int32_t>(nodes_.size());
        if (variables_(node.variable) != number) return false;
        if (!next()) return false;
        if (!has_slash && token_ == Token::slash) {
            has_slash = true;
            if (!next()) return false;
        }
        if (has_slash && node.concept_name.empty()) {
            if (token_ != Token::symbol && token_ != Token::string) return false;
            node.concept_name = word_;
            node.escaped = token_ == Token::string && escaped_;
            if (!next()) return false;
        }
        node.has_concept = !node.concept_name.empty();
        nodes_.push_back(node);
        open_.push_back(number);
        return true;
    }

    // A role and its value; of a node, what comes before its roles.
    bool role() {
        PartsRole role{open_.back(), word_, {}, Value::variable, true, false};
        if (!next()) return false;
        if (token_ == Token::open) {
            const std::size_t at = roles_.size(), number = nodes_.size();
            roles_.push_back(role);
            if (!node()) return false;
            roles_[at].value = nodes_[number].variable;
            return true;
        }
        if (token_ != Token::string && token_ != Token::symbol) return false;
        role.value = word_;
        role.escaped = escaped_;
        if (token_ == Token::string) {
            role.kind = Value::text, role.nested = false;
        } else if (variables_.find(word_) < 0) {
            role.kind = Value::symbol, role.nested = false;
        }
        roles_.push_back(role);
        return next();
    }

    std::string_view text_, word_;
    std::size_t at_ = 0;
    Token token_ = Token::end;
    bool escaped_ = false;
    Names variables_;
    std::vector<PartsNode> nodes_;
    std::vector<PartsRole> roles_;
    std::vector<std::int32_t> open_;
};

}  // namespace karat::penman
