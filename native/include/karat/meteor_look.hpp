// Words of METEOR, how they are aligned, and what a page and item files say of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/porter.hpp"
#include "karat/shown.hpp"
#include "karat/strings.hpp"
#include "karat/text_words.hpp"
#include "karat/word_alignment.hpp"

namespace karat {

// The words and marks of a text as numbers, and where they stand in it, in units of UTF-16.
struct PlacedWords {
    std::vector<std::int32_t> words;
    std::vector<std::int64_t> begin, end;
    bool placed = true;  // false where the text in lower case has other characters than letter for letter

    WordSpan span() const { return {words.data(), words.size()}; }
};

// Words, each once, and the numbers of the sets of synonyms of word i, in order: from offsets[i] to offsets[i + 1].
struct Synonyms {
    Strings words;
    const std::int32_t *synsets;
    const std::int64_t *offsets;
};

// Reads texts and aligns them by words, stems and synonyms. What is known of a word is kept for all texts.
class MeteorLook {
  public:
    // `is_word` is 1 for characters that are part of words; `function` are the words that count as function words.
    MeteorLook(const std::uint8_t *is_word, const Strings &function, const Synonyms &synonyms)
        : is_word_(is_word), synonyms_(synonyms) {
        for (std::size_t i = 0; i < function.count; ++i) listed_(function[i]);
        for (std::size_t i = 0; i < synonyms.words.count; ++i) with_synonyms_(synonyms.words[i]);
    }

    // `lowered` is the text in lower case.
    void read(std::string_view text, std::string_view lowered, PlacedWords &into) {
        into.words.clear(), into.begin.clear(), into.end.clear();
        into.placed = true;
        const bool ascii = is_ascii(text) && is_ascii(lowered);
        if (!ascii) into.placed = measure(text, lowered);
        // The place in bytes, and the number of the character.
        std::size_t at = 0, number = 0;
        while (at < lowered.size()) {
            const std::size_t begin = at, first = number;
            const bool part = is_part(lowered, at, ascii);
            next(lowered, at, number, ascii);
            if (part) {
                while (at < lowered.size() && is_part(lowered, at, ascii)) next(lowered, at, number, ascii);
            } else if (space_at(lowered.data() + begin, lowered.data() + lowered.size()) > 0) {
                continue;
            }
            into.words.push_back(number_of(lowered.substr(begin, at - begin), part));
            if (!into.placed) continue;
            into.begin.push_back(ascii ? static_cast<std::int64_t>(first) : units_[first]);
            into.end.push_back(ascii ? static_cast<std::int64_t>(number) : units_[number]);
        }
    }

    // False where more than `budget` steps are needed.
    bool align(const PlacedWords &system, const PlacedWords &gold, double budget) {
        const Lexicon lexicon{stems_.data(), function_.data(), synsets_.data(), offsets_.data()};
        return align_(lexicon, system.span(), gold.span(), budget);
    }

    void append_words(const PlacedWords &text, std::string &out) const {
        out.push_back('[');
        for (std::size_t i = 0; i < text.words.size(); ++i) {
            if (i > 0) out.push_back(',');
            out.append(written(text.words[i]));
        }
        out.push_back(']');
    }

    // The matches of the two texts that were aligned last.
    void append_matches(const PlacedWords &system, const PlacedWords &gold, std::string &out) const {
        static constexpr std::string_view stages[] = {"exact", "stem", "synonym"};
        out.push_back('[');
        for (std::size_t i = 0; i < align_.places.size(); ++i) {
            const std::int32_t place = align_.places[i];
            if (place < 0) continue;
            out.append(out.back() == '[' ? "{\"system\":" : ",{\"system\":");
            append_number(static_cast<std::int64_t>(i), out);
            out.append(",\"gold\":");
            append_number(place, out);
            out.append(",\"words\":[").append(written(system.words[i])).push_back(',');
            out.append(written(gold.words[static_cast<std::size_t>(place)]));
            out.append("],\"stage\":\"").append(stages[align_.stage[i]]).append("\"}");
        }
        out.push_back(']');
    }

    // The same as marks: kind, reference, begin and end in gold, begin and end in the system's text.
    void append_marks(const PlacedWords &system, const PlacedWords &gold, std::int64_t reference, std::string &out) const {
        static constexpr Mark kinds[] = {Mark::matched, Mark::stem, Mark::synonym};
        for (std::size_t i = 0; i < align_.places.size(); ++i) {
            const std::int32_t place = align_.places[i];
            if (place < 0) continue;
            const auto j = static_cast<std::size_t>(place);
            const Mark kind = kinds[align_.stage[i]];
            for (const std::int64_t each : {static_cast<std::int64_t>(kind), reference, gold.begin[j], gold.end[j],
                                            system.begin[i], system.end[i]}) {
                if (out.back() != '[') out.push_back(',');
                append_number(each, out);
            }
        }
    }

  private:
    static bool is_ascii(std::string_view text) {
        return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    }

    bool is_part(std::string_view text, std::size_t at, bool ascii) const {
        if (ascii) return is_word_[static_cast<unsigned char>(text[at])] == 1;
        bool part = false;
        const std::string_view rest = text.substr(at);
        const std::size_t size = character_size(rest.data(), rest.data() + rest.size());
        decode(rest.substr(0, size), [&](std::uint32_t c) { part = c < 0x110000 && is_word_[c] == 1; });
        return part;
    }

    static void next(std::string_view text, std::size_t &at, std::size_t &number, bool ascii) {
        at += ascii ? 1 : character_size(text.data() + at, text.data() + text.size());
        ++number;
    }

    // Where each character of a text begins, in units of UTF-16; whether there are as many in lower case.
    bool measure(std::string_view text, std::string_view lowered) {
        units_.assign(1, 0);
        decode(text, [&](std::uint32_t c) { units_.push_back(units_.back() + (c > 0xFFFF ? 2 : 1)); });
        std::size_t count = 0;
        decode(lowered, [&](std::uint32_t) { ++count; });
        return count + 1 == units_.size();
    }

    // The number of a word; its stem, kind and JSON are made when it is new.
    std::int32_t number_of(std::string_view word, bool of_letters) {
        const std::int32_t number = names_(word);
        if (static_cast<std::size_t>(number) < stems_.size()) return number;
        letters_.clear();
        decode(word, [&](std::uint32_t c) { letters_.push_back(static_cast<char32_t>(c)); });
        porter_(letters_);
        stem_.clear();
        for (const char32_t c : letters_) append_character(static_cast<std::uint32_t>(c), stem_);
        stems_.push_back(stem_numbers_(stem_));
        function_.push_back(!of_letters || listed_.find(word) >= 0);
        if (const std::int32_t i = with_synonyms_.find(word); i >= 0) {
            synsets_.insert(synsets_.end(), synonyms_.synsets + synonyms_.offsets[i],
                            synonyms_.synsets + synonyms_.offsets[i + 1]);
        }
        offsets_.push_back(static_cast<std::int64_t>(synsets_.size()));
        append_json(word, json_.text);
        json_.end();
        return number;
    }

    std::string_view written(std::int32_t word) const {
        const auto number = static_cast<std::size_t>(word);
        const std::size_t begin = number > 0 ? json_.ends[number - 1] : 0;
        return std::string_view(json_.text).substr(begin, json_.ends[number] - begin);
    }

    const std::uint8_t *is_word_;
    Synonyms synonyms_;
    Names names_, stem_numbers_, listed_, with_synonyms_;
    Porter porter_{Porter::Variant::martin};
    std::u32string letters_;
    std::string stem_;
    std::vector<std::int32_t> stems_, synsets_;
    std::vector<std::uint8_t> function_;
    std::vector<std::int64_t> offsets_{0}, units_;
    TextPieces json_;
    WordAlignment align_;
};

}  // namespace karat
