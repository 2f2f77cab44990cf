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

    // Begins with the words of a text: of gold, or of the system's. All but the kind of a mark is the same for all orders,
    // and is written once.
    void begin(std::size_t words, const std::int64_t *spans, std::int64_t reference, bool is_gold) {
        words_ = words;
        tails_.resize(words * longest_tail + Sheet::slack);
        ends_.clear();
        char *at = tails_.data();
        for (std::size_t place = 0; place < words; ++place) {
            const std::int64_t begin = spans[2 * place], end = spans[2 * place + 1];
            const std::int64_t numbers[] = {reference, is_gold ? begin : -1, is_gold ? end : -1, is_gold ? -1 : begin,
                                            is_gold ? -1 : end};
            for (const std::int64_t number : numbers) {
                *at++ = ',';
                at = write_number(number, at);
            }
            *at++ = ',';
            ends_.push_back(static_cast<std::size_t>(at - tails_.data()));
        }
    }

    // Appends the marks of one order. A token is marked once; it counts if one of its n-grams does. `left` says how often
    // each n-gram counts.
    void add(const GramLists &lists, std::size_t text, Sheet &out) {
        const std::size_t order = lists.order();
        left_.clear();
        for (const auto &each : lists.grams) left_.push_back(std::min(each.ours, each.theirs));
        kinds_.assign(words_, none);
        for (std::size_t i = 0; i + order <= words_; ++i) {
            const auto gram = static_cast<std::size_t>(lists.at(text, i));
            if (std::min(lists.grams[gram].ours, lists.grams[gram].theirs) == 0) continue;
            const Kind kind = --left_[gram] >= 0 ? matched : clipped;
            for (std::size_t place = i; place < i + order; ++place) {
                if (kinds_[place] != matched) kinds_[place] = kind;
            }
        }
        out.reserve(tails_.size() + words_);
        for (std::size_t place = 0, begin = 0; place < words_; begin = ends_[place++]) {
            if (kinds_[place] == none) continue;
            const char kind = static_cast<char>('0' + kinds_[place]);
            out.fixed({kind, '\0'});
            out.part(tails_.data() + begin, ends_[place] - begin);
        }
    }

  private:
    static constexpr std::size_t longest_tail = 5 * (longest_number + 1) + 1;

    std::size_t words_ = 0;
    std::string tails_;
    std::vector<std::size_t> ends_;
    std::vector<std::int32_t> left_;
    std::vector<Kind> kinds_;
};

}  // namespace karat
