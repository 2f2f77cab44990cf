// Which n-grams a text shares with its references, written out for people as JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/strings.hpp"
#include "karat/text_words.hpp"

namespace karat {

using WordIds = std::vector<std::int32_t>;

// The n-grams of a text and of one reference or more, order by order: n-grams of one order are pairs
// of an n-gram of the order before and a word. Lists are in the order in which a side has them.
class GramLists {
  public:
    struct Counted {
        std::uint32_t text, place;  // where it stands first; text 0 is ours
        std::int32_t ours, theirs;
    };

    std::vector<Counted> grams;
    std::vector<std::int32_t> of_ours, of_theirs;
    std::int64_t common = 0, ours = 0, theirs = 0;

    // Begins with texts; the first one is ours, the others are references. With `once`, an n-gram counts once however
    // often a text has it.
    void begin(const std::vector<WordIds> &texts, std::size_t count, bool once = false) {
        order_ = 0;
        once_ = once;
        texts_ = &texts;
        count_ = count;
        if (before_.size() < count) before_.resize(count);
        for (std::size_t t = 0; t < count; ++t) before_[t].assign(texts[t].size(), 0);
    }

    // Counts the n-grams of the next order. Of a reference's n-gram the most in any of them counts.
    void next() {
        ++order_;
        followed_.assign(order_ == 1 ? 1 : grams.size(), {-1, 0});
        std::size_t longest = 0;
        for (std::size_t t = 0; t < count_; ++t) longest += (*texts_)[t].size();
        clear(longest);
        for (std::size_t t = 0; t < count_; ++t) {
            const WordIds &words = (*texts_)[t];
            WordIds &before = before_[t];
            const std::size_t size = words.size() + 1 > order_ ? words.size() + 1 - order_ : 0;
            for (std::size_t i = 0; i < size; ++i) {
                const std::int32_t gram = find(before[i], words[i + order_ - 1]);
                if (static_cast<std::size_t>(gram) == grams.size()) {
                    grams.push_back({static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(i), 0, 0});
                }
                before[i] = gram;
                Counted &each = grams[static_cast<std::size_t>(gram)];
                if (t == 0) {
                    if (each.ours++ == 0) of_ours.push_back(gram);
                } else if (count_ == 2) {
                    if (each.theirs++ == 0) of_theirs.push_back(gram);
                } else {
                    if (here_.size() < grams.size()) here_.resize(grams.size(), 0);
                    const std::int32_t times = ++here_[static_cast<std::size_t>(gram)];
                    if (each.theirs == 0) of_theirs.push_back(gram);
                    each.theirs = std::max(each.theirs, times);
                }
            }
            std::fill(here_.begin(), here_.end(), 0);
        }
        common = ours = theirs = 0;
        for (Counted &each : grams) {
            if (once_) each.ours = std::min(each.ours, 1), each.theirs = std::min(each.theirs, 1);
            common += std::min(each.ours, each.theirs);
            ours += each.ours, theirs += each.theirs;
        }
    }

    // How many words its n-grams have.
    std::size_t order() const { return order_; }

    // The n-gram that stands at a place of a text.
    std::int32_t at(std::size_t text, std::size_t place) const { return before_[text][place]; }

  private:
    void clear(std::size_t longest) {
        grams.clear(), of_ours.clear(), of_theirs.clear(), here_.clear();
        std::size_t size = 16;
        while (size < 2 * longest) size *= 2;
        if (++round_ == 0 || size > slots_.size()) {  // what earlier rounds left in a slot is none of this one's
            slots_.assign(std::max(size, slots_.size()), {});
            round_ = 1;
        }
        mask_ = size - 1;
    }

    // The number of an n-gram: the next one for one that is new. Most n-grams are followed by one word alone, for which
    // nothing has to be looked up.
    std::int32_t find(std::int32_t before, std::int32_t word) {
        Followed &first = followed_[static_cast<std::size_t>(before)];
        if (first.word == word) return first.gram;
        if (first.word < 0) {
            first = {word, static_cast<std::int32_t>(grams.size())};
            return first.gram;
        }
        const std::uint64_t key =
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(before)) << 32 | static_cast<std::uint32_t>(word);
        std::size_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & mask_;
        while (slots_[slot].round == round_ && slots_[slot].key != key) slot = (slot + 1) & mask_;
        if (slots_[slot].round != round_) slots_[slot] = {key, round_, static_cast<std::int32_t>(grams.size())};
        return slots_[slot].gram;
    }

    struct Followed {
        std::int32_t word, gram;
    };

    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t round = 0;
        std::int32_t gram = 0;
    };

    std::size_t order_ = 0, count_ = 0;
    bool once_ = false;
    const std::vector<WordIds> *texts_ = nullptr;
    std::vector<WordIds> before_;
    std::vector<std::int32_t> here_;  // of n-grams of one of several references
    std::vector<Followed> followed_;  // the first word behind each n-gram of the order before
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t round_ = 0;
};

// Appends how long a text is, how long its references are, and which length is the closest.
inline void append_lengths(const std::vector<WordIds> &texts, std::size_t count, std::string &out) {
    const auto own = static_cast<std::int64_t>(texts[0].size());
    std::int64_t closest = -1;
    out.append("{\"system\":");
    append_number(own, out);
    out.append(",\"references\":[");
    for (std::size_t t = 1; t < count; ++t) {
        const auto size = static_cast<std::int64_t>(texts[t].size());
        if (t > 1) out.push_back(',');
        append_number(size, out);
        const std::int64_t gap = std::abs(size - own), best = std::abs(closest - own);
        if (closest < 0 || gap < best || (gap == best && size < closest)) closest = size;
    }
    out.append("],\"closest\":");
    append_number(closest, out);
    out.push_back('}');
}

// Room for text that is written part by part. Parts of a known size are copied without a call.
class Sheet {
  public:
    // So many bytes can be read behind the end of every part that `part` copies.
    static constexpr std::size_t slack = 32;

    void clear() { at_ = 0; }
    std::string_view text() const { return {bytes_.get(), at_}; }

    // Makes room for so many bytes and what `part` copies beyond the end of a part.
    void reserve(std::size_t size) {
        if (at_ + size + slack <= size_) return;
        size_ = 2 * (at_ + size + slack);
        std::unique_ptr<char[]> wider(new char[size_]);
        if (at_ > 0) std::memcpy(wider.get(), bytes_.get(), at_);
        bytes_.swap(wider);
    }

    template <std::size_t Size>
    void fixed(const char (&text)[Size]) {
        std::memcpy(bytes_.get() + at_, text, Size - 1);
        at_ += Size - 1;
    }

    void part(const char *text, std::size_t size) {
        char *const to = bytes_.get() + at_;
        std::memcpy(to, text, slack);
        if (size > slack) std::memcpy(to + slack, text + slack, size - slack);
        at_ += size;
    }

    void number(std::int64_t number) {
        char *const to = bytes_.get() + at_;
        at_ += static_cast<std::size_t>(write_number(number, to) - to);
    }

    // Takes a comma back that nothing follows.
    void end_list() {
        if (at_ > 0 && bytes_[at_ - 1] == ',') --at_;
    }

  private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, at_ = 0;
};

// Characters by their code points, as GramWriter takes words by number.
class CodePoints {
  public:
    std::string_view operator[](std::int32_t code) const {
        text_.clear();
        append_character(static_cast<std::uint32_t>(code), text_);
        return text_;
    }

  private:
    mutable std::string text_;
};

// Writes lists of words and n-grams of texts; `spelt` has their words by number.
//
// The words of a text are written once, with blanks between, so that an n-gram is a part of that.
template <class Spelt = Names>
class GramWriter {
  public:
    // Characters are written without blanks between them. Without `matched`, n-grams that both sides have equally often are
    // not listed: they are those of a text that are in no list.
    explicit GramWriter(const Spelt &spelt, bool matched = true, bool of_characters = false)
        : spelt_(spelt), matched_(matched), blank_(of_characters ? 0 : 1) {}

    // Begins with the texts whose words and n-grams will be written.
    void begin(const std::vector<WordIds> &texts, std::size_t count) {
        if (texts_.size() < count) texts_.resize(count);
        for (std::size_t t = 0; t < count; ++t) {
            Written &text = texts_[t];
            text.words.clear(), text.places.clear();
            for (const std::int32_t word : texts[t]) {
                text.places.push_back(text.words.size());
                const std::string_view spelt = spelt_[word];
                if (is_plain(spelt)) {
                    text.words.append(spelt);
                    if (blank_ > 0) text.words.push_back(' ');
                    continue;
                }
                append_json(spelt, text.words);
                // The quotation marks are left to what writes the n-gram.
                text.words.erase(text.places.back(), 1);
                if (blank_ > 0) text.words.back() = ' ';
                else text.words.pop_back();
            }
            text.places.push_back(text.words.size());
            text.words.append(Sheet::slack, ' ');
        }
    }

    // All words of a text.
    void words(std::size_t text, std::string &out) const {
        out.push_back('[');
        const Written &own = texts_[text];
        for (std::size_t i = 0; i + 1 < own.places.size(); ++i) {
            out.append(i > 0 ? ",\"" : "\"").append(own.words, own.places[i], own.size(i, 1, blank_)).push_back('"');
        }
        out.push_back(']');
    }

    // How many n-grams both sides have, and which; each is counted once on each side.
    void counted(const GramLists &lists, std::string &out) {
        sheet_.clear();
        sheet_.reserve(256);
        sheet_.fixed("{\"common\":");
        totals(lists);
        if (matched_) {
            sheet_.fixed(",\"matched\":{");
            numbered(lists, lists.of_ours, [](const auto &each) { return std::min(each.ours, each.theirs); });
            sheet_.fixed("}");
        }
        sheet_.fixed(",\"missing\":{");
        numbered(lists, lists.of_theirs, [](const auto &each) { return each.theirs - each.ours; });
        sheet_.fixed("},\"surplus\":{");
        numbered(lists, lists.of_ours, [](const auto &each) { return each.ours - each.theirs; });
        sheet_.fixed("}}");
        out.append(sheet_.text());
    }

    // The same with what one side has more often, and n-grams of one side alone. Without `matched`, of those that both sides
    // have only such as are clipped.
    void compared(const GramLists &lists, std::string &out) {
        sheet_.clear();
        sheet_.reserve(256);
        sheet_.fixed("{\"hits\":");
        totals(lists);
        if (matched_) sheet_.fixed(",\"matched\":[");
        else sheet_.fixed(",\"clipped\":[");
        for (const std::int32_t number : lists.of_ours) {
            const auto &each = lists.grams[static_cast<std::size_t>(number)];
            const std::int64_t count = std::min(each.ours, each.theirs);
            if (count == 0 || (!matched_ && each.ours == each.theirs)) continue;
            room_for(lists, each);
            sheet_.fixed("{\"gram\":\"");
            gram(lists, each);
            if (count == 1 && each.ours == 1 && each.theirs == 1) {  // as most are
                sheet_.fixed("\",\"count\":1,\"clipped\":{\"system\":0,\"gold\":0}},");
                continue;
            }
            sheet_.fixed("\",\"count\":");
            sheet_.number(count);
            sheet_.fixed(",\"clipped\":{\"system\":");
            sheet_.number(each.ours - count);
            sheet_.fixed(",\"gold\":");
            sheet_.number(each.theirs - count);
            sheet_.fixed("}},");
        }
        sheet_.end_list();
        sheet_.fixed("],\"missing\":[");
        alone(lists, lists.of_theirs, [](const auto &each) { return each.ours == 0; });
        sheet_.fixed("],\"surplus\":[");
        alone(lists, lists.of_ours, [](const auto &each) { return each.theirs == 0; });
        sheet_.fixed("]}");
        out.append(sheet_.text());
    }

  private:
    // The words of a text as JSON writes them, with blanks after them, and where they begin.
    struct Written {
        std::string words;
        std::vector<std::size_t> places;

        // How many bytes some words take, with blanks between.
        std::size_t size(std::size_t first, std::size_t count, std::size_t blank) const {
            return places[first + count] - places[first] - blank;
        }
    };

    // Whether JSON writes a word as it is.
    static bool is_plain(std::string_view word) {
        return std::none_of(word.begin(), word.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || static_cast<unsigned char>(c) == 0xED;
        });
    }

    void totals(const GramLists &lists) {
        sheet_.number(lists.common);
        sheet_.fixed(",\"system\":");
        sheet_.number(lists.ours);
        sheet_.fixed(",\"gold\":");
        sheet_.number(lists.theirs);
    }

    // N-grams and how often each is there, as members of an object.
    template <class Count>
    void numbered(const GramLists &lists, const WordIds &some, Count count) {
        for (const std::int32_t number : some) {
            const auto &each = lists.grams[static_cast<std::size_t>(number)];
            const std::int64_t times = count(each);
            if (times <= 0) continue;
            room_for(lists, each);
            sheet_.fixed("\"");
            gram(lists, each);
            sheet_.fixed("\":");
            sheet_.number(times);
            sheet_.fixed(",");
        }
        sheet_.end_list();
    }

    template <class Wanted>
    void alone(const GramLists &lists, const WordIds &some, Wanted wanted) {
        for (const std::int32_t number : some) {
            const auto &each = lists.grams[static_cast<std::size_t>(number)];
            if (!wanted(each)) continue;
            room_for(lists, each);
            sheet_.fixed("\"");
            gram(lists, each);
            sheet_.fixed("\",");
        }
        sheet_.end_list();
    }

    // Room for an n-gram with what is said of it, and for what follows a list.
    void room_for(const GramLists &lists, const GramLists::Counted &each) {
        sheet_.reserve(texts_[each.text].size(each.place, lists.order(), blank_) + 192);
    }

    void gram(const GramLists &lists, const GramLists::Counted &each) {
        const Written &text = texts_[each.text];
        sheet_.part(text.words.data() + text.places[each.place], text.size(each.place, lists.order(), blank_));
    }

    const Spelt &spelt_;
    bool matched_;
    std::size_t blank_;
    std::vector<Written> texts_;
    Sheet sheet_;
};

}  // namespace karat
