// Which n-grams a text shares with its references, written out for people as JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"

namespace karat {

using WordIds = std::vector<std::int32_t>;

// The n-grams of a text and of one reference or more, order by order: n-grams of one order are pairs
// of an n-gram of the order before and a word. Lists are in the order in which a side has them.
class GramLists {
  public:
    struct Counted {
        std::size_t text, place;  // where it stands first; text 0 is ours
        std::int64_t ours, theirs;
    };

    std::vector<Counted> grams;
    std::vector<std::int32_t> of_ours, of_theirs;
    std::int64_t common = 0, ours = 0, theirs = 0;

    // Begins with texts; the first one is ours, the others are references.
    void begin(const std::vector<WordIds> &texts, std::size_t count) {
        order_ = 0;
        texts_ = &texts;
        count_ = count;
        if (before_.size() < count) before_.resize(count);
        for (std::size_t t = 0; t < count; ++t) before_[t].assign(texts[t].size(), 0);
    }

    // Counts the n-grams of the next order. Of a reference's n-gram the most in any of them counts.
    void next() {
        ++order_;
        std::size_t longest = 0;
        for (std::size_t t = 0; t < count_; ++t) longest += (*texts_)[t].size();
        clear(longest);
        for (std::size_t t = 0; t < count_; ++t) {
            const WordIds &words = (*texts_)[t];
            const std::size_t size = words.size() + 1 > order_ ? words.size() + 1 - order_ : 0;
            own_.clear();
            for (std::size_t i = 0; i < size; ++i) {
                const std::int32_t gram = find(before_[t][i], words[i + order_ - 1]);
                if (static_cast<std::size_t>(gram) == grams.size()) {
                    grams.push_back({t, i, 0, 0});
                    here_.push_back(0);
                }
                if (here_[static_cast<std::size_t>(gram)]++ == 0) own_.push_back(gram);
                before_[t][i] = gram;
            }
            for (const std::int32_t gram : own_) {
                Counted &each = grams[static_cast<std::size_t>(gram)];
                std::int64_t &times = here_[static_cast<std::size_t>(gram)];
                if (t == 0) {
                    each.ours = times;
                    of_ours.push_back(gram);
                } else if (times > each.theirs) {
                    if (each.theirs == 0) of_theirs.push_back(gram);
                    each.theirs = times;
                }
                times = 0;
            }
        }
        common = ours = theirs = 0;
        for (const Counted &each : grams) {
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

    // The number of an n-gram: the next one for one that is new.
    std::int32_t find(std::int32_t before, std::int32_t word) {
        const std::uint64_t key =
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(before)) << 32 | static_cast<std::uint32_t>(word);
        std::size_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & mask_;
        while (slots_[slot].round == round_ && slots_[slot].key != key) slot = (slot + 1) & mask_;
        if (slots_[slot].round != round_) slots_[slot] = {key, round_, static_cast<std::int32_t>(grams.size())};
        return slots_[slot].gram;
    }

    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t round = 0;
        std::int32_t gram = 0;
    };

    std::size_t order_ = 0, count_ = 0;
    const std::vector<WordIds> *texts_ = nullptr;
    std::vector<WordIds> before_;
    WordIds own_;
    std::vector<std::int64_t> here_;
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

// Writes lists of words and n-grams of texts; `spelt` has their words by number.
//
// The words of a text are written once, with blanks between, so that an n-gram is a part of that.
template <class Spelt = Names>
class GramWriter {
  public:
    // Characters are written without blanks between them.
    explicit GramWriter(const Spelt &spelt, bool of_characters = false) : spelt_(spelt), blank_(of_characters ? 0 : 1) {}

    // Begins with the texts whose words and n-grams will be written.
    void begin(const std::vector<WordIds> &texts, std::size_t count) {
        if (texts_.size() < count) texts_.resize(count);
        for (std::size_t t = 0; t < count; ++t) {
            Written &text = texts_[t];
            text.words.clear(), text.places.clear();
            for (const std::int32_t word : texts[t]) {
                text.places.push_back(text.words.size());
                append_json(spelt_[word], text.words);
                // The quotation marks are left to what writes the n-gram.
                text.words.erase(text.places.back(), 1);
                if (blank_ > 0) text.words.back() = ' ';
                else text.words.pop_back();
            }
            text.places.push_back(text.words.size());
        }
    }

    // All words of a text.
    void words(std::size_t text, std::string &out) const {
        out.push_back('[');
        const Written &own = texts_[text];
        for (std::size_t i = 0; i + 1 < own.places.size(); ++i) {
            out.append(i > 0 ? ",\"" : "\"").append(part(own, i, 1)).push_back('"');
        }
        out.push_back(']');
    }

    // How many n-grams both sides have, and which; each is counted once on each side.
    void counted(const GramLists &lists, std::string &out) const {
        totals("{\"common\":", lists, out);
        listed(",\"matched\":[", lists, lists.of_ours, out, [](const auto &each) { return std::min(each.ours, each.theirs); });
        listed("],\"missing\":[", lists, lists.of_theirs, out, [](const auto &each) { return each.theirs - each.ours; });
        listed("],\"surplus\":[", lists, lists.of_ours, out, [](const auto &each) { return each.ours - each.theirs; });
        out.append("]}");
    }

    // The same with what one side has more often, and n-grams of one side alone.
    void compared(const GramLists &lists, std::string &out) const {
        totals("{\"hits\":", lists, out);
        out.append(",\"matched\":[");
        for (const std::int32_t number : lists.of_ours) {
            const auto &each = lists.grams[static_cast<std::size_t>(number)];
            const std::int64_t count = std::min(each.ours, each.theirs);
            if (count == 0) continue;
            gram("{\"gram\":\"", lists, each, out);
            if (count == 1 && each.ours == 1 && each.theirs == 1) {  // as most are
                out.append("\",\"count\":1,\"clipped\":{\"system\":0,\"gold\":0}},");
                continue;
            }
            out.append("\",\"count\":");
            append_number(count, out);
            out.append(",\"clipped\":{\"system\":");
            append_number(each.ours - count, out);
            out.append(",\"gold\":");
            append_number(each.theirs - count, out);
            out.append("}},");
        }
        end_list(out);
        alone("],\"missing\":[", lists, lists.of_theirs, out, [](const auto &each) { return each.ours == 0; });
        alone("],\"surplus\":[", lists, lists.of_ours, out, [](const auto &each) { return each.theirs == 0; });
        out.append("]}");
    }

  private:
    // The words of a text as JSON writes them, with blanks after them, and where they begin.
    struct Written {
        std::string words;
        std::vector<std::size_t> places;
    };

    static void totals(std::string_view first, const GramLists &lists, std::string &out) {
        out.append(first);
        append_number(lists.common, out);
        out.append(",\"system\":");
        append_number(lists.ours, out);
        out.append(",\"gold\":");
        append_number(lists.theirs, out);
    }

    template <class Count>
    void listed(std::string_view before, const GramLists &lists, const WordIds &some, std::string &out, Count count) const {
        out.append(before);
        for (const std::int32_t number : some) {
            const auto &each = lists.grams[static_cast<std::size_t>(number)];
            const std::int64_t times = count(each);
            if (times <= 0) continue;
            gram("{\"gram\":\"", lists, each, out);
            if (times == 1) {
                out.append("\",\"count\":1},");
                continue;
            }
            out.append("\",\"count\":");
            append_number(times, out);
            out.append("},");
        }
        end_list(out);
    }

    template <class Wanted>
    void alone(std::string_view before, const GramLists &lists, const WordIds &some, std::string &out, Wanted wanted) const {
        out.append(before);
        for (const std::int32_t number : some) {
            const auto &each = lists.grams[static_cast<std::size_t>(number)];
            if (!wanted(each)) continue;
            gram("\"", lists, each, out);
            out.append("\",");
        }
        end_list(out);
    }

    static void end_list(std::string &out) {
        if (out.back() == ',') out.pop_back();
    }

    void gram(std::string_view before, const GramLists &lists, const GramLists::Counted &each, std::string &out) const {
        out.append(before).append(part(texts_[each.text], each.place, lists.order()));
    }

    // Some words of a text, with blanks between.
    std::string_view part(const Written &text, std::size_t first, std::size_t count) const {
        const std::size_t begin = text.places[first];
        return std::string_view(text.words).substr(begin, text.places[first + count] - begin - blank_);
    }

    const Spelt &spelt_;
    std::size_t blank_;
    std::vector<Written> texts_;
};

}  // namespace karat
