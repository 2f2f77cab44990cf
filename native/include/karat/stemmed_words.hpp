// The words of texts as numbers, the same for words with the same stem, as ROUGE counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "karat/porter.hpp"
#include "karat/strings.hpp"
#include "karat/text_words.hpp"

namespace karat {

// Words that are not stemmed by rule: their bases, or nothing where a word is left out.
class KnownForms {
  public:
    KnownForms(const Strings &forms, const Strings &bases) : bases_(bases) {
        for (std::size_t i = 0; i < forms.count; ++i) {
            const auto number = static_cast<std::size_t>(numbers_(forms[i]));
            if (number == places_.size()) places_.push_back(i);
        }
    }

    std::optional<std::string_view> operator()(std::string_view word) const {
        const std::int32_t number = numbers_.find(word);
        if (number < 0) return std::nullopt;
        return bases_[places_[static_cast<std::size_t>(number)]];
    }

  private:
    Strings bases_;
    Vocabulary numbers_;
    std::vector<std::size_t> places_;
};

// Numbers of stems. Words of up to three letters are their own stems, as are all without a variant.
class Stems {
  public:
    Stems(std::optional<Porter::Variant> variant, const KnownForms &known) : known_(known) {
        if (variant) porter_.emplace(*variant);
    }

    // The number of a word's stem; -1 for a word that is left out.
    std::int32_t operator()(std::string_view word) {
        if (const auto base = known_(word)) return base->empty() ? -1 : vocabulary(*base);
        if (!porter_ || word.size() <= 3) return vocabulary(word);
        letters_.assign(word.begin(), word.end());
        (*porter_)(letters_);
        stem_.assign(letters_.begin(), letters_.end());
        return vocabulary(stem_);
    }

    Vocabulary vocabulary;

  private:
    const KnownForms &known_;
    std::optional<Porter> porter_;
    std::u32string letters_;
    std::string stem_;
};

// ASCII words line by line, as in NumberedWords. Each distinct word is stemmed once.
struct StemmedWords {
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> lines{0};  // where each line ends, in tokens; empty lines are left out
    std::vector<std::int64_t> texts{0};  // where each text ends, in lines

    StemmedWords(const Strings &strings, std::optional<Porter::Variant> variant, const KnownForms &known) {
        AsciiLines ascii_lines;
        Vocabulary words;
        Stems stems(variant, known);
        std::vector<std::int32_t> stem_of;  // -1 for words that are left out
        const auto take = [&](std::string_view word) {
            const auto number = static_cast<std::size_t>(words(word));
            if (number == stem_of.size()) stem_of.push_back(stems(word));
            if (stem_of[number] >= 0) tokens.push_back(stem_of[number]);
        };
        const auto close = [&] { lines.push_back(static_cast<std::int64_t>(tokens.size())); };
        for (std::size_t i = 0; i < strings.count; ++i) {
            ascii_lines(strings[i], take, close);
            texts.push_back(static_cast<std::int64_t>(lines.size()) - 1);
        }
    }
};

// The letters of a text, and those of them that are not ASCII, which a table of all characters knows.
inline void count_letters(std::string_view text, const std::uint8_t *is_letter, std::int64_t *row) {
    std::int64_t plain = 0, others = 0;
    decode(text, [&](std::uint32_t c) {
        if (c < 128) {
            plain += (c | 32) >= 'a' && (c | 32) <= 'z';
        } else if (c < 0x110000) {
            others += is_letter[c] == 1;
        }
    });
    row[0] = plain + others;
    row[1] = others;
}

}  // namespace karat
