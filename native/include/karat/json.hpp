// A reader of JSON that builds nothing: what it passes over is checked as the grammar wants it.
//
// It is stricter than the grammar in a few things (depth, size of whole numbers, halves of
// surrogate pairs), for which there is a full reader to ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace karat {

class JsonReader {
  public:
    explicit JsonReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    // Each of these is false where something else comes; then reading is over.

    // Calls `take` with the name of each member, before its value; it has to read that.
    template <class Take>
    bool object(Take take) {
        if (!open('{')) return false;
        if (next_is('}')) return close();
        std::string name;
        while (true) {
            if (!string(name) || !next_is(':') || !take(std::string_view(name))) return false;
            if (next_is('}')) return close();
            if (!next_is(',')) return false;
        }
    }

    // Calls `take` before each element.
    template <class Take>
    bool array(Take take) {
        if (!open('[')) return false;
        if (next_is(']')) return close();
        while (true) {
            if (!take()) return false;
            if (next_is(']')) return close();
            if (!next_is(',')) return false;
        }
    }

    bool string(std::string &text) {
        text.clear();
        blanks();
        if (!take('"')) return false;
        while (at_ < end_) {
            const char *const begin = at_;
            while (at_ < end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
            text.append(begin, at_);
            if (at_ == end_) return false;
            const char c = *at_++;
            if (c == '"') return true;
            if (c != '\\' || !escape(text)) return false;
        }
        return false;
    }

    // A whole number of at most 18 digits, as it is written.
    bool integer(std::string_view &text) {
        blanks();
        const char *const begin = at_;
        take('-');
        const char *const first = at_;
        while (at_ < end_ && is_digit(*at_)) ++at_;
        const std::ptrdiff_t digits = at_ - first;
        if (digits == 0 || digits > 18 || (*first == '0' && (digits > 1 || first > begin))) return false;
        text = {begin, static_cast<std::size_t>(at_ - begin)};
        return at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E');
    }

    bool integer(std::int64_t &number) {
        std::string_view text;
        if (!integer(text)) return false;
        const bool negative = text[0] == '-';
        number = 0;
        for (const char c : text.substr(negative ? 1 : 0)) number = 10 * number + (c - '0');
        if (negative) number = -number;
        return true;
    }

    bool null() { return next_word("null"); }
    bool truth() { return next_word("true"); }
    bool falsehood() { return next_word("false"); }

    // The first character of what comes next; 0 at the end.
    char peek() {
        blanks();
        return at_ < end_ ? *at_ : '\0';
    }

    // Passes over any value.
    bool skip() {
        switch (peek()) {
            case '{': return object([&](std::string_view) { return skip(); });
            case '[': return array([&] { return skip(); });
            case '"': return string(skipped_);
            case 't': return truth();
            case 'f': return falsehood();
            case 'n': return null();
            default: return number();
        }
    }

    bool done() { return peek() == '\0' && at_ == end_; }

  private:
    static constexpr int deepest = 64;

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    void blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
    }

    bool take(char wanted) {
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }

    bool next_is(char wanted) {
        blanks();
        return take(wanted);
    }

    bool open(char bracket) { return next_is(bracket) && ++depth_ <= deepest; }

    bool close() {
        --depth_;
        return true;
    }

    bool next_word(std::string_view word) {
        blanks();
        const auto rest = static_cast<std::size_t>(end_ - at_);
        if (rest < word.size() || std::string_view(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    bool digits() {
        const char *const begin = at_;
        while (at_ < end_ && is_digit(*at_)) ++at_;
        return at_ > begin;
    }

    // A number that is not so large or long that it may be none for other readers.
    bool number() {
        take('-');
        const bool zero = at_ < end_ && *at_ == '0';
        const char *const begin = at_;
        if (!digits() || (zero && at_ - begin > 1)) return false;
        if (take('.') && !digits()) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            const char *const power = at_;
            if (!digits() || at_ - power > 2) return false;
        }
        return at_ - begin <= 32;
    }

    bool escape(std::string &text) {
        if (at_ == end_) return false;
        switch (*at_++) {
            case '"': text += '"'; return true;
            case '\\': text += '\\'; return true;
            case '/': text += '/'; return true;
            case 'b': text += '\b'; return true;
            case 'f': text += '\f'; return true;
            case 'n': text += '\n'; return true;
            case 'r': text += '\r'; return true;
            case 't': text += '\t'; return true;
            case 'u': return unicode(text);
            default: return false;
        }
    }

    bool unicode(std::string &text) {
        std::uint32_t point = 0, low = 0;
        if (!hexadecimal(point)) return false;
        if (point >= 0xD800 && point < 0xE000) {
            if (point >= 0xDC00 || !take('\\') || !take('u') || !hexadecimal(low)) return false;
            if (low < 0xDC00 || low >= 0xE000) return false;
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        }
        if (point < 0x80) {
            text += static_cast<char>(point);
        } else if (point < 0x800) {
            text += static_cast<char>(0xC0 | point >> 6);
        } else if (point < 0x10000) {
            text += static_cast<char>(0xE0 | point >> 12);
            text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        } else {
            text += static_cast<char>(0xF0 | point >> 18);
            text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
            text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        }
        if (point >= 0x80) text += static_cast<char>(0x80 | (point & 0x3F));
        return true;
    }

    bool hexadecimal(std::uint32_t &point) {
        if (end_ - at_ < 4) return false;
        for (int i = 0; i < 4; ++i) {
            const char c = *at_++;
            int digit = -1;
            if (is_digit(c)) digit = c - '0';
            else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
            else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
            if (digit < 0) return false;
            point = 16 * point + static_cast<std::uint32_t>(digit);
        }
        return true;
    }

    const char *at_, *end_;
    int depth_ = 0;
    std::string skipped_;
};

}  // namespace karat
