// Answers to questions as SQuAD compares them: words without punctuation and articles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "karat/common_grams.hpp"
#include "karat/strings.hpp"
#include "karat/text_counts.hpp"
#include "karat/text_words.hpp"

namespace karat {

// The words of a text in lower case: marks of ASCII are dropped, then each "a", "an" and "the" that has no
// letter or digit beside it becomes a blank. `is_word` is 1 for characters that are letters or digits.
class AnswerWords {
  public:
    explicit AnswerWords(const std::uint8_t *is_word) : is_word_(is_word) {}

    template <class Take>
    void operator()(std::string_view text, Take take) {
        kept_.clear();
        std::size_t run = 0;  // where the last run of letters and digits begins
        const auto close = [&] {
            const std::string_view word = std::string_view(kept_).substr(run);
            if (word == "a" || word == "an" || word == "the") kept_.replace(run, word.size(), 1, ' ');
        };
        decode(text, [&](std::uint32_t c) {
            if (is_mark(c)) return;
            const bool part = c < 0x110000 && is_word_[c] == 1;
            if (!part) close();
            append_character(c, kept_);
            if (!part) run = kept_.size();
        });
        close();
        split_at_spaces(kept_, take);
    }

  private:
    static bool is_mark(std::uint32_t c) {
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    }

    const std::uint8_t *is_word_;
    std::string kept_;
};

// For each reference: words of the answer, of the reference, of both, and whether all are the same in order.
class AnswerCounts {
  public:
    static constexpr std::size_t columns = 4;

    AnswerCounts(const Referenced &texts, const std::uint8_t *is_word) : texts_(texts), words_(is_word) {}

    // Rows for each of its references, the first one at `row`.
    void operator()(std::size_t i, std::int64_t *row) {
        vocabulary_.clear();
        read(texts_.systems[i], system_);
        for (std::size_t o = texts_.first(i); o < texts_.first(i) + texts_.count(i); ++o, row += columns) {
            read(texts_.references[o], other_);
            const Sequence other = other_;
            row[0] = static_cast<std::int64_t>(system_.size());
            row[1] = static_cast<std::int64_t>(other_.size());
            grams_(system_, &other, 1, 1, row + 2, 1);
            row[3] = system_ == other_;
        }
    }

  private:
    void read(std::string_view text, Symbols &symbols) {
        symbols.clear();
        words_(text, [&](std::string_view word) { symbols.push_back(static_cast<std::uint32_t>(vocabulary_(word))); });
    }

    Referenced texts_;
    AnswerWords words_;
    Vocabulary vocabulary_;
    CommonGrams grams_;
    Symbols system_, other_;
};

}  // namespace karat
