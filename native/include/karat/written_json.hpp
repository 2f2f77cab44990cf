// A walk over JSON that we wrote ourselves, for what is counted in it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace karat {

// Passes over values of JSON that is well-formed; what is not ends early, and is told by `good`.
class WrittenJson {
  public:
    explicit WrittenJson(std::string_view text) : text_(text) {}

    bool good = true;

    // Takes the opening bracket of a list or an object; false where something else comes.
    bool open(char bracket) {
        if (peek() != bracket) return false;
        ++at_;
        return true;
    }

    // Whether another part comes before the closing bracket, which is taken.
    bool more(char closing) {
        if (peek() == ',') ++at_;
        if (peek() != closing) return good = good && at_ < text_.size();
        ++at_;
        return false;
    }

    // A name, with its quotation marks, and the colon after it.
    std::string_view name() {
        const std::string_view found = string();
        good = good && peek() == ':';
        ++at_;
        return found;
    }

    // Any value, as it is written.
    std::string_view value() {
        if (peek() == '"') return string();
        if (at_ >= text_.size()) return good = false, std::string_view();
        const std::size_t begin = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                string();
                continue;
            }
            if (c == '[' || c == '{') ++depth;
            if ((c == ']' || c == '}' || c == ',') && depth == 0) break;
            ++at_;
            if ((c == ']' || c == '}') && --depth == 0) break;
        }
        good = good && depth == 0 && at_ > begin;
        at_ = std::min(at_, text_.size());
        return text_.substr(begin, at_ - begin);
    }

    // A whole number; false, and nothing is taken, where something else comes.
    bool whole_number(std::int64_t &number) {
        const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
        const auto [stop, error] = std::from_chars(begin, end, number);
        if (error != std::errc() || stop == end || (*stop != ',' && *stop != '}' && *stop != ']')) return false;
        at_ = static_cast<std::size_t>(stop - text_.data());
        return true;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  private:
    std::string_view string() {
        const std::size_t begin = at_;
        if (peek() != '"') good = false;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\') ++at_;
        }
        ++at_;
        if (at_ > text_.size()) return good = false, std::string_view("\"\"");
        return text_.substr(begin, at_ - begin);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace karat
