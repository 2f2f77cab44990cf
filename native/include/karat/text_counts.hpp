// Counts of pairs of texts, straight from their bytes: what BLEU, chrF, TER, edit distances and exact
// matches are made of. Words are numbered pair by pair, in tables that stay small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "karat/common_grams.hpp"
#include "karat/edit_distance.hpp"
#include "karat/strings.hpp"
#include "karat/text_words.hpp"
#include "karat/translation_edit_rate.hpp"

namespace karat {

// System texts with any number of references each; those of text i are bounds[i] to bounds[i + 1].
struct Referenced {
    Strings systems, references;
    const std::int64_t *bounds;

    std::size_t first(std::size_t i) const { return static_cast<std::size_t>(bounds[i]); }
    std::size_t count(std::size_t i) const { return static_cast<std::size_t>(bounds[i + 1] - bounds[i]); }
};

enum class Tokenizing { white_space, mteval_13a, characters, intl, marks };

// The words of texts as numbers, the same for the same word until `clear`. One object per thread.
class WordNumbers {
  public:
    // `kinds`, the kinds of all characters, is for intl alone.
    explicit WordNumbers(Tokenizing how, const std::uint8_t *kinds = nullptr) : how_(how), intl_(kinds) {
        if (how == Tokenizing::intl && kinds == nullptr) throw std::invalid_argument("intl needs kinds of characters");
    }

    void clear() { vocabulary_.clear(); }

    void operator()(std::string_view text, Symbols &symbols) {
        symbols.clear();
        each(text, [&](std::string_view word) { symbols.push_back(static_cast<std::uint32_t>(vocabulary_(word))); });
    }

    // Calls `take` with each word.
    template <class Take>
    void each(std::string_view text, Take take) {
        switch (how_) {
            case Tokenizing::white_space:
                return split_at_spaces(text, take);
            case Tokenizing::mteval_13a:
                return tokenizer_13a_(text, take);
            case Tokenizing::characters:
                return single_characters(text, take);
            case Tokenizing::intl:
                return intl_(text, take);
            case Tokenizing::marks:
                return split_off_marks(text, take);
        }
    }

  private:
    Tokenizing how_;
    Vocabulary vocabulary_;
    Tokenizer13a tokenizer_13a_;
    TokenizerIntl intl_;
};

// BLEU: words of the system and of the closest reference, clipped n-grams and n-grams, order by order.
class BleuCounts {
  public:
    BleuCounts(const Referenced &texts, Tokenizing how, const std::uint8_t *kinds, std::size_t orders)
        : texts_(texts), orders_(orders), words_(how, kinds) {}

    std::size_t columns() const { return 2 + 2 * orders_; }

    void operator()(std::size_t i, std::int64_t *row) {
        words_.clear();
        words_(texts_.systems[i], system_);
        const std::size_t count = texts_.count(i), first = texts_.first(i);
        if (others_.size() < count) others_.resize(count);
        std::size_t closest = 0;
        for (std::size_t o = 0; o < count; ++o) {
            words_(texts_.references[first + o], others_[o]);
            const std::size_t size = others_[o].size();
            const auto better = distance(size), best = distance(closest);
            if (o == 0 || better < best || (better == best && size < closest)) closest = size;
        }
        row[0] = static_cast<std::int64_t>(system_.size());
        row[1] = static_cast<std::int64_t>(closest);
        views_.assign(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(count));
        grams_(system_, views_.data(), count, orders_, row + 2, 1);
        for (std::size_t n = 1; n <= orders_; ++n) row[1 + orders_ + n] = gram_count(system_.size(), n);
    }

  private:
    std::size_t distance(std::size_t size) const {
        return size > system_.size() ? size - system_.size() : system_.size() - size;
    }

    Referenced texts_;
    std::size_t orders_;
    WordNumbers words_;
    CommonGrams grams_;
    Symbols system_;
    std::vector<Symbols> others_;
    std::vector<Sequence> views_;
};

// chrF: for each reference, n-grams of the system (none where the reference has none), of the reference
// and of both; of characters first, then of words.
class ChrfCounts {
  public:
    ChrfCounts(const Referenced &texts, std::size_t characters, std::size_t words, bool with_spaces)
        : texts_(texts), orders_{characters, words}, with_spaces_(with_spaces), numbers_(Tokenizing::marks) {}

    std::size_t columns() const { return 3 * (orders_[0] + orders_[1]); }

    // Rows for each of its references, the first one at `rows`.
    void operator()(std::size_t i, std::int64_t *rows) {
        numbers_.clear();
        read(texts_.systems[i], system_);
        for (std::size_t o = texts_.first(i); o < texts_.first(i) + texts_.count(i); ++o, rows += columns()) {
            read(texts_.references[o], other_);
            std::int64_t *row = rows;
            for (const std::size_t kind : {0, 1}) {
                const Sequence ours = system_[kind], theirs = other_[kind];
                grams_(ours, &theirs, 1, orders_[kind], row + 2, 3);
                for (std::size_t n = 1; n <= orders_[kind]; ++n, row += 3) {
                    row[1] = gram_count(theirs.size, n);
                    row[0] = row[1] > 0 ? gram_count(ours.size, n) : 0;
                }
            }
        }
    }

  private:
    void read(std::string_view text, Symbols *symbols) {
        symbols[0].clear();
        characters(text, with_spaces_, symbols[0]);
        if (orders_[1] > 0) numbers_(text, symbols[1]);
    }

    Referenced texts_;
    std::size_t orders_[2];
    bool with_spaces_;
    WordNumbers numbers_;
    CommonGrams grams_;
    Symbols system_[2], other_[2];
};

// TER: the edits to the closest reference, the words of all references, and how many pairs of words
// the longest of them makes with the system; where these are too many, there are no edits.
class TerCounts {
  public:
    static constexpr std::size_t columns = 3;

    TerCounts(const Referenced &texts, std::int64_t most_cells)
        : texts_(texts), most_cells_(most_cells), words_(Tokenizing::white_space) {}

    void operator()(std::size_t i, std::int64_t *row) {
        words_.clear();
        words_(texts_.systems[i], system_);
        row[0] = row[1] = row[2] = 0;
        for (std::size_t o = 0; o < texts_.count(i); ++o) {
            words_(texts_.references[texts_.first(i) + o], other_);
            const auto cells = static_cast<std::int64_t>(system_.size() * other_.size());
            const std::int64_t edits = cells > most_cells_ ? 0 : edits_(view(system_), view(other_));
            row[0] = o == 0 ? edits : std::min(row[0], edits);
            row[1] += static_cast<std::int64_t>(other_.size());
            row[2] = std::max(row[2], cells);
        }
    }

  private:
    static Words view(const Symbols &symbols) {
        return {reinterpret_cast<const std::int32_t *>(symbols.data()), static_cast<std::ptrdiff_t>(symbols.size())};
    }

    Referenced texts_;
    std::int64_t most_cells_;
    WordNumbers words_;
    TranslationEdits edits_;
    Symbols system_, other_;
};

// The edit distance of two texts, and the sizes of both: of words, or of characters.
class EditCounts {
  public:
    static constexpr std::size_t columns = 3;
    static constexpr std::size_t most_steps = std::size_t{1} << 32;  // some ten seconds
    static constexpr std::size_t most_words = std::size_t{1} << 27;  // a gigabyte

    EditCounts(Strings systems, Strings golds, bool characters)
        : systems_(systems), golds_(golds), characters_(characters), words_(Tokenizing::white_space) {}

    void operator()(std::size_t i, std::int64_t *row) {
        words_.clear();
        read(systems_[i], ours_);
        read(golds_[i], theirs_);
        std::uint32_t largest = 0;
        for (const Symbols *side : {&ours_, &theirs_}) {
            for (const std::uint32_t symbol : *side) largest = std::max(largest, symbol);
        }
        edits_.widen(static_cast<std::size_t>(largest) + 1);
        row[0] = edits_.within(view(ours_), view(theirs_), most_steps, most_words);
        row[1] = static_cast<std::int64_t>(ours_.size());
        row[2] = static_cast<std::int64_t>(theirs_.size());
    }

  private:
    void read(std::string_view text, Symbols &symbols) {
        if (!characters_) return words_(text, symbols);
        symbols.clear();
        characters(text, true, symbols);
    }

    static Tokens view(const Symbols &symbols) {
        return {reinterpret_cast<const std::int32_t *>(symbols.data()), symbols.size()};
    }

    Strings systems_, golds_;
    bool characters_;
    WordNumbers words_;
    EditDistance edits_;
    Symbols ours_, theirs_;
};

// Cuts the next word off a text; empty at its end.
inline std::string_view next_word(std::string_view &text) {
    const char *at = text.data(), *const end = at + text.size();
    while (at < end) {
        const std::size_t size = space_at(at, end);
        if (size == 0) break;
        at += size;
    }
    const char *const begin = at;
    while (at < end && space_at(at, end) == 0) ++at;
    text = {at, static_cast<std::size_t>(end - at)};
    return {begin, static_cast<std::size_t>(at - begin)};
}

// Whether two texts have the same words.
inline bool same_words(std::string_view a, std::string_view b) {
    if (a == b) return true;
    for (;;) {
        const std::string_view ours = next_word(a), theirs = next_word(b);
        if (ours != theirs) return false;
        if (ours.empty()) return true;
    }
}

}  // namespace karat
