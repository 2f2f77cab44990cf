// Where the n-grams that two texts share stand in them, as marks of a page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/gram_lists.hpp"
#include "karat/json_text.hpp"

namespace karat {

// Where words stand in a text of ASCII, one after the other, whatever their case; false where one is
// not there. Appends the begin and end of each.
template <class Word>
bool find_words(std::string_view text, std::size_t count, Word word, std::vector<std::int64_t> &spans) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const auto same = [&](char a, char b) { return lower(a) == lower(b); };
    auto at = text.begin();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view wanted = word(i);
        at = std::search(at, text.end(), wanted.begin(), wanted.end(), same);
        if (at == text.end() && !wanted.empty()) return false;
        spans.push_back(at - text.begin());
        at += static_cast<std::ptrdiff_t>(wanted.size());
        spans.push_back(at - text.begin());
    }
    return true;
}

// Marks of the n-grams that both of two texts have, in one of them, token by token.
class GramMarks {
  public:
    enum Kind { matched = 0, clipped = 5, none = -1 };

    // Begins with the words of a text: of gold, or of the system's. Where it `joins`, neighbours with at most a blank
    // between them have one mark.
    void begin(std::size_t words, const std::int64_t *spans, std::int64_t reference, bool is_gold, bool joins) {
        words_ = words, spans_ = spans, reference_ = reference, is_gold_ = is_gold, joins_ = joins;
    }

    // Appends the marks of one order. A token is marked once; it counts if one of its n-grams does. `left` says how often
    // each n-gram counts.
    void add(const GramLists &lists, std::size_t text, Sheet &out) {
        const std::size_t order = lists.order();
        if (left_.size() < lists.size()) left_.resize(lists.size());
        for (std::size_t i = 0; i + order <= words_; ++i) {
            if (const std::int32_t gram = lists.at(text, i); gram >= 0) left_[static_cast<std::size_t>(gram)] = lists.shared(gram);
        }
        kinds_.assign(words_, none);
        for (std::size_t i = 0; i + order <= words_; ++i) {
            const std::int32_t gram = lists.at(text, i);
            if (gram < 0 ? !lists.is_common(gram) : lists.shared(gram) == 0) continue;
            const Kind kind = gram < 0 || --left_[static_cast<std::size_t>(gram)] >= 0 ? matched : clipped;
            for (std::size_t place = i; place < i + order; ++place) {
                if (kinds_[place] != matched) kinds_[place] = kind;
            }
        }
        out.reserve(words_ * 6 * (longest_number + 1));
        for (std::size_t place = 0, last; place < words_; place = last + 1) {
            last = place;
            if (kinds_[place] == none) continue;
            while (joins_ && last + 1 < words_ && kinds_[last + 1] == kinds_[place] &&
                   spans_[2 * last + 2] - spans_[2 * last + 1] <= 1) {
                ++last;
            }
            const std::int64_t begin = spans_[2 * place], end = spans_[2 * last + 1];
            for (const std::int64_t number : {std::int64_t{kinds_[place]}, reference_, is_gold_ ? begin : -1,
                                              is_gold_ ? end : -1, is_gold_ ? -1 : begin, is_gold_ ? -1 : end}) {
                out.number(number);
                out.fixed(",");
            }
        }
    }

  private:
    std::size_t words_ = 0;
    const std::int64_t *spans_ = nullptr;
    std::int64_t reference_ = 0;
    bool is_gold_ = false, joins_ = false;
    std::vector<std::int32_t> left_;
    std::vector<Kind> kinds_;
};

}  // namespace karat
