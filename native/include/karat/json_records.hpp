// JSON objects, one to a string: where the values of their fields are, without decoding them.
//
// Whatever is taken here is JSON by the letter, and is what any decoder makes of it. What is unusual (names
// with escapes or given twice, lone surrogates, exponents, very deep nesting) is left to a decoder, as is
// what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/strings.hpp"
#include "karat/text_words.hpp"

namespace karat {

// The kinds of values, as letters: null, true, false, whole numbers, other numbers,
// strings, lists of strings, empty lists, other lists, objects.
enum JsonKind : char {
    json_null = 'n',
    json_true = 't',
    json_false = 'f',
    json_whole = 'i',
    json_number = 'd',
    json_string = 's',
    json_strings = 'l',
    json_empty = 'z',
    json_list = 'a',
    json_object = 'o'
};

// Walks along one JSON text; every function says whether what it expects is there.
class JsonWalk {
  public:
    JsonWalk(const char *at, const char *end) : at_(at), end_(end) {}

    const char *at() const { return at_; }
    bool at_end() const { return at_ == end_; }

    void blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
    }

    bool sign(char c) {
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }

    // A string with its quotes; what is between them is given back.
    bool string(std::string_view &content) {
        if (!sign('"')) return false;
        const char *const begin = at_;
        while (at_ < end_) {
            const auto c = static_cast<unsigned char>(*at_);
            if (c == '"') {
                content = {begin, static_cast<std::size_t>(at_ - begin)};
                ++at_;
                return true;
            }
            if (c < 0x20) return false;
            if (c != '\\') {
                ++at_;
            } else if (!escape()) {
                return false;
            }
        }
        return false;
    }

    // A value of any kind. The span of a string is what is between its quotes.
    bool value(JsonKind &kind, std::string_view &span, int depth = 0) {
        if (at_ == end_ || depth > deepest) return false;
        const char *const begin = at_;
        const auto whole = [&] { span = {begin, static_cast<std::size_t>(at_ - begin)}; };
        switch (*at_) {
            case '"':
                kind = json_string;
                return string(span);
            case '{':
                kind = json_object;
                if (!members(depth)) return false;
                whole();
                return true;
            case '[':
                if (!elements(kind, depth)) return false;
                whole();
                return true;
            case 'n':
                kind = json_null;
                if (!word("null")) return false;
                break;
            case 't':
                kind = json_true;
                if (!word("true")) return false;
                break;
            case 'f':
                kind = json_false;
                if (!word("false")) return false;
                break;
            default:
                if (!number(kind)) return false;
        }
        whole();
        return true;
    }

    // The strings of a list of strings.
    template <class Take>
    void strings(Take take) {
        sign('[');
        do {
            blanks();
            std::string_view content;
            if (!string(content)) return;
            take(content);
            blanks();
        } while (sign(','));
    }

    static int digit(char c) {
        if (c >= '0' && c <= '9') return c - '0';
        const char lower = static_cast<char>(c | 32);
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    // The number that four hexadecimal digits make; -1 where there are none.
    static std::int32_t unit(const char *at, const char *end) {
        if (end - at < 4) return -1;
        std::int32_t result = 0;
        for (int i = 0; i < 4; ++i) {
            const int each = digit(at[i]);
            if (each < 0) return -1;
            result = result * 16 + each;
        }
        return result;
    }

    static bool is_high(std::int32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
    static bool is_low(std::int32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

  private:
    static constexpr int deepest = 32;
    static constexpr std::ptrdiff_t most_digits = 18;

    bool escape() {
        if (end_ - at_ < 2) return false;
        const char c = at_[1];
        if (c != 'u') {
            at_ += 2;
            return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
        }
        const std::int32_t first = unit(at_ + 2, end_);
        if (first < 0 || is_low(first)) return false;
        at_ += 6;
        if (!is_high(first)) return true;
        if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u' || !is_low(unit(at_ + 2, end_))) return false;
        at_ += 6;
        return true;
    }

    bool word(std::string_view expected) {
        if (static_cast<std::size_t>(end_ - at_) < expected.size()) return false;
        if (std::string_view(at_, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }

    bool digits() {
        const char *const begin = at_;
        while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
        return at_ > begin;
    }

    bool number(JsonKind &kind) {
        kind = json_whole;
        const bool negative = sign('-');
        const char *const begin = at_;
        if (!digits() || (*begin == '0' && at_ - begin > 1)) return false;
        if (at_ - begin > most_digits) return false;
        if (negative && *begin == '0') kind = json_number;
        if (sign('.')) {
            kind = json_number;
            if (!digits()) return false;
        }
        return at_ == end_ || (*at_ != 'e' && *at_ != 'E');  // which may be too large
    }

    bool elements(JsonKind &kind, int depth) {
        ++at_;
        kind = json_empty;
        blanks();
        if (sign(']')) return true;
        kind = json_strings;
        for (;;) {
            JsonKind each;
            std::string_view span;
            blanks();
            if (!value(each, span, depth + 1)) return false;
            if (each != json_string) kind = json_list;
            blanks();
            if (sign(']')) return true;
            if (!sign(',')) return false;
        }
    }

    bool members(int depth) {
        ++at_;
        blanks();
        if (sign('}')) return true;
        for (;;) {
            JsonKind each;
            std::string_view span;
            blanks();
            if (!string(span)) return false;
            blanks();
            if (!sign(':')) return false;
            blanks();
            if (!value(each, span, depth + 1)) return false;
            blanks();
            if (sign('}')) return true;
            if (!sign(',')) return false;
        }
    }

    const char *at_, *end_;
};

// The values of records. Records with the same fields, whose values are of the same kinds, are of one class.
struct JsonRecords {
    std::vector<std::int32_t> classes;     // -1 for a record that is left to a decoder
    std::vector<std::int64_t> first{0};    // the first value of each record
    std::vector<std::int64_t> begin, end;  // of each value
    Vocabulary names;                      // of classes: for each field its name, a 0 and its kind

    explicit JsonRecords(const Strings &records) {
        for (std::size_t i = 0; i < records.count; ++i) {
            const std::size_t before = begin.size();
            const bool taken = take(records[i], records.data);
            if (!taken) {
                begin.resize(before);
                end.resize(before);
            }
            classes.push_back(taken ? names(name_) : -1);
            first.push_back(static_cast<std::int64_t>(begin.size()));
        }
    }

  private:
    static constexpr std::size_t most_fields = 64;

    bool take(std::string_view record, const char *data) {
        JsonWalk walk(record.data(), record.data() + record.size());
        name_.clear();
        fields_.clear();
        walk.blanks();
        if (!walk.sign('{')) return false;
        walk.blanks();
        if (walk.sign('}')) return ends(walk);
        for (;;) {
            std::string_view field, span;
            JsonKind kind;
            walk.blanks();
            if (!walk.string(field) || !is_new(field)) return false;
            walk.blanks();
            if (!walk.sign(':')) return false;
            walk.blanks();
            if (!walk.value(kind, span)) return false;
            name_.append(field).push_back('\0');
            name_.push_back(kind);
            begin.push_back(span.data() - data);
            end.push_back(span.data() + span.size() - data);
            walk.blanks();
            if (walk.sign('}')) return ends(walk);
            if (!walk.sign(',')) return false;
        }
    }

    static bool ends(JsonWalk &walk) {
        walk.blanks();
        return walk.at_end();
    }

    bool is_new(std::string_view field) {
        if (fields_.size() == most_fields || field.find('\\') != std::string_view::npos) return false;
        for (const std::string_view other : fields_) {
            if (other == field) return false;
        }
        fields_.push_back(field);
        return true;
    }

    std::string name_;
    std::vector<std::string_view> fields_;
};

// What the content of a JSON string stands for. It was walked over before, or we wrote it, so that its escapes are sound.
inline void append_unescaped(std::string_view content, std::string &out) {
    const char *at = content.data(), *const end = at + content.size();
    while (at < end) {
        if (*at != '\\' || end - at < 2) {
            out.push_back(*at++);
            continue;
        }
        const char c = at[1];
        at += 2;
        if (c != 'u') {
            static constexpr std::string_view letters = "bfnrt", signs = "\b\f\n\r\t";
            const std::size_t which = letters.find(c);
            out.push_back(which == std::string_view::npos ? c : signs[which]);
            continue;
        }
        std::int32_t point = JsonWalk::unit(at, end);
        if (point < 0) return;
        at += 4;
        const bool goes_on = JsonWalk::is_high(point) && end - at >= 6 && at[0] == '\\' && at[1] == 'u';
        const std::int32_t low = goes_on ? JsonWalk::unit(at + 2, end) : -1;
        if (JsonWalk::is_low(low)) {  // else half of a pair stands alone
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        }
        append_character(static_cast<std::uint32_t>(point), out);
    }
}

}  // namespace karat
