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

// Marks of the n-grams of one order that both of two texts have, token by token.
class GramMarks {
  public:
    enum Kind { matched = 0, clipped = 5, none = -1 };

    // Appends the marks of a text: of gold, or of the system's. A token is marked once; it counts if
    // one of its n-grams does. `left` says how often each n-gram counts.
    void add(const GramLists &lists, std::size_t text, std::size_t words, std::size_t order, const std::int64_t *spans,
             std::int64_t reference, bool is_gold, std::string &out) {
        left_.clear();
        for (const auto &each : lists.grams) left_.push_back(std::min(each.ours, each.theirs));
        kinds_.assign(words, none);
        for (std::size_t i = 0; i + order <= words; ++i) {
            const auto gram = static_cast<std::size_t>(lists.at(text, i));
            if (std::min(lists.grams[gram].ours, lists.grams[gram].theirs) == 0) continue;
            const Kind kind = --left_[gram] >= 0 ? matched : clipped;
            for (std::size_t place = i; place < i + order; ++place) {
                if (kinds_[place] != matched) kinds_[place] = kind;
            }
        }
        // A mark is as many numbers as a page has for it, and is written at once.
        char mark[6 * (longest_number + 1)];
        for (std::size_t place = 0; place < words; ++place) {
            if (kinds_[place] == none) continue;
            const std::int64_t begin = spans[2 * place], end = spans[2 * place + 1];
            const std::int64_t numbers[] = {kinds_[place],          reference,          is_gold ? begin : -1,
                                            is_gold ? end : -1, is_gold ? -1 : begin, is_gold ? -1 : end};
            char *at = mark;
            for (const std::int64_t number : numbers) {
                at = write_number(number, at);
                *at++ = ',';
            }
            out.append(mark, at);
        }
    }

  private:
    std::vector<std::int64_t> left_;
    std::vector<Kind> kinds_;
};

}  // namespace karat
