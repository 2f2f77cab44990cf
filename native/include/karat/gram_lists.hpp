// Which n-grams a text shares with its references, written out for people as JSON.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "karat/alike.hpp"
#include "karat/bits.hpp"
#include "karat/frequent_errors.hpp"
#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/strings.hpp"
#include "karat/text_words.hpp"

namespace karat {

using WordIds = std::vector<std::int32_t>;

// The n-grams of a text and of one reference or more, order by order.
//
// Where two texts have few different words, a word is a byte and an n-gram a number of 64 bits. Elsewhere n-grams of one
// order are pairs of an n-gram of the order before and a word; and where a text has an n-gram once, and its only
// reference has it once or not at all, the longer ones that begin there are settled: they have no other counterpart.
// Where only n-grams are asked for that one side has more often, stretches that both texts have are not counted: as many
// of their n-grams are taken from either side.
class GramLists {
  public:
    struct Counted {
        std::uint32_t text, place;  // where it stands first; text 0 is ours
        std::int32_t ours, theirs;
    };

    std::int64_t common = 0, ours = 0, theirs = 0;

    // Begins with texts, of which n-grams of so many orders will be counted; the first one is ours, the others are
    // references. With `once`, an n-gram counts once however often a text has it. With `differing`, n-grams are visited of
    // which both sides do not have the same number, and `at` and `shared` know nothing.
    void begin(const std::vector<WordIds> &texts, std::size_t count, std::size_t orders, bool once = false,
               bool differing = false) {
        if (is_packed_) forget();
        else grams_.clear();
        order_ = 0;
        once_ = once;
        texts_ = &texts;
        count_ = count;
        if (before_.size() < count) before_.resize(count);
        is_packed_ = count == 2 && !once && orders <= sizeof(std::uint64_t) && pack();
        for (std::size_t t = 0; t < count; ++t) before_[t].assign(texts[t].size(), 0);
        if (is_packed_) divide(orders, differing);
    }

    // Counts the n-grams of the next order. Of a reference's n-gram the most in any of them counts.
    void next() {
        ++order_;
        if (is_packed_) return next_packed();
        followed_.assign(order_ == 1 ? 1 : grams_.size(), {-1, 0});
        std::size_t longest = 0;
        for (std::size_t t = 0; t < count_; ++t) longest += (*texts_)[t].size();
        clear(longest);
        common = ours = theirs = 0;
        for (std::size_t t = 0; t < count_; ++t) {
            const WordIds &words = (*texts_)[t];
            WordIds &before = before_[t];
            const std::size_t size = places(t);
            std::int64_t settled = 0;
            for (std::size_t i = 0; i < size; ++i) {
                if (before[i] < 0) {
                    ++settled;
                    if (t == 0) common += is_common(before[i]);
                    continue;
                }
                const std::int32_t gram = find(before[i], words[i + order_ - 1]);
                if (static_cast<std::size_t>(gram) == grams_.size()) grams_.push_back({});
                before[i] = gram;
                Gram &each = grams_[static_cast<std::size_t>(gram)];
                if (t == 0) {
                    if (each.ours++ == 0) each.our_place = static_cast<std::uint32_t>(i);
                    continue;
                }
                if (each.theirs == 0) each.text = static_cast<std::uint32_t>(t), each.place = static_cast<std::uint32_t>(i);
                if (count_ == 2) {
                    ++each.theirs;
                } else {
                    if (here_.size() < grams_.size()) here_.resize(grams_.size(), 0);
                    each.theirs = std::max(each.theirs, ++here_[static_cast<std::size_t>(gram)]);
                }
            }
            (t == 0 ? ours : theirs) += settled;
            std::fill(here_.begin(), here_.end(), 0);
        }
        for (Gram &each : grams_) {
            if (count_ == 2 && each.ours <= 1 && each.theirs <= 1) settle(each);
            if (once_) each.ours = std::min(each.ours, 1), each.theirs = std::min(each.theirs, 1);
            common += std::min(each.ours, each.theirs);
            ours += each.ours, theirs += each.theirs;
        }
    }

    // How many words its n-grams have.
    std::size_t order() const { return order_; }

    // The numbers of n-grams are smaller than this.
    std::size_t size() const { return is_packed_ ? mask_ + 1 : grams_.size(); }

    // The number of the n-gram that stands at a place of a text; below 0 where it is settled.
    std::int32_t at(std::size_t text, std::size_t place) const { return before_[text][place]; }

    // How often both sides have the n-gram of a number, which is not settled.
    std::int32_t shared(std::int32_t gram) const {
        const Gram &each = grams_[static_cast<std::size_t>(gram)];
        return std::min(each.ours, each.theirs);
    }

    // Whether both sides have an n-gram that is settled.
    bool is_common(std::int32_t settled) const { return order_ < static_cast<std::size_t>(-settled); }

    // Calls `visit` with each different n-gram of the text, or of its references, in the order in which they stand there,
    // of which `wanted` says so for the numbers of both sides.
    template <class Wanted, class Visit>
    void each_of_ours(Wanted wanted, Visit visit) const {
        if (is_packed_) return each_packed(0, wanted, visit, [](const Gram &each) { return each.our_place; });
        for (std::size_t i = 0, size = places(0); i < size; ++i) {
            const std::int32_t number = before_[0][i];
            const auto place = static_cast<std::uint32_t>(i);
            if (number < 0) {
                if (wanted(1, is_common(number))) visit(Counted{0, place, 1, is_common(number)});
            } else if (const Gram &each = grams_[static_cast<std::size_t>(number)]; each.our_place == place) {
                if (wanted(each.ours, each.theirs)) visit(Counted{0, place, each.ours, each.theirs});
            }
        }
    }

    template <class Wanted, class Visit>
    void each_of_theirs(Wanted wanted, Visit visit) const {
        if (is_packed_) return each_packed(1, wanted, visit, [](const Gram &each) { return each.place; });
        for (std::size_t t = 1; t < count_; ++t) {
            const WordIds &numbers = before_[t];
            for (std::size_t i = 0, size = places(t); i < size; ++i) {
                const auto text = static_cast<std::uint32_t>(t), place = static_cast<std::uint32_t>(i);
                if (numbers[i] < 0) {
                    if (wanted(is_common(numbers[i]), 1)) visit(Counted{text, place, is_common(numbers[i]), 1});
                } else if (const Gram &each = grams_[static_cast<std::size_t>(numbers[i])];
                           each.text == text && each.place == place) {
                    if (wanted(each.ours, each.theirs)) visit(Counted{text, place, each.ours, each.theirs});
                }
            }
        }
    }

  private:
    static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

    struct Gram {
        std::uint64_t key = 0;  // its words as bytes
        std::uint32_t our_place = 0, text = 0, place = 0;  // where it stands first in the text, and in which reference
        std::int32_t ours = 0, theirs = 0;
    };

    // Words as bytes, from 1 on; false where there are too many of them.
    bool pack() {
        constexpr std::uint32_t most = 255;
        std::uint32_t largest = 0;
        std::size_t all = 0;
        for (std::size_t t = 0; t < 2; ++t) {
            for (const std::int32_t word : (*texts_)[t]) largest = std::max(largest, static_cast<std::uint32_t>(word));
            all += (*texts_)[t].size();
        }
        if (largest >= most) numbers_.assign(1024, {-1, 0});
        std::uint8_t known = 0;
        for (std::size_t t = 0; t < 2; ++t) {
            const WordIds &words = (*texts_)[t];
            std::vector<std::uint8_t> &bytes = bytes_[t];
            bytes.resize(words.size());
            if (largest < most) {
                std::transform(words.begin(), words.end(), bytes.begin(),
                               [](std::int32_t word) { return static_cast<std::uint8_t>(word + 1); });
                continue;
            }
            for (std::size_t i = 0; i < words.size(); ++i) {
                std::size_t slot = static_cast<std::uint32_t>(words[i]) * 0x9e3779b1u >> 22;
                while (numbers_[slot].word != words[i] && numbers_[slot].word >= 0) slot = (slot + 1) % numbers_.size();
                if (numbers_[slot].word < 0) {
                    if (known == most) return false;
                    numbers_[slot] = {words[i], ++known};
                }
                bytes[i] = static_cast<std::uint8_t>(numbers_[slot].gram);
            }
        }
        std::size_t size = 64;
        for (shift_ = 58; 3 * size < 4 * all; size *= 2) --shift_;
        if (grams_.size() < size) grams_.resize(size);
        mask_ = size - 1;
        return true;
    }

    // Places of a text, one after the other.
    struct Range {
        std::size_t begin, end;
    };

    // A stretch that both texts have: where it begins, and at how many places from there n-grams of all orders lie in it.
    struct Alike {
        std::size_t ours, theirs, size;
    };

    // Finds the places whose n-grams have to be counted: all, or those outside of stretches that both texts have. Short
    // texts have few of these.
    void divide(std::size_t orders, bool differing) {
        constexpr std::size_t long_enough = 8;
        const WordIds &mine = (*texts_)[0], &other = (*texts_)[1];
        for (std::size_t t = 0; t < 2; ++t) ranges_[t].clear();
        alike_.clear();
        skips_ = differing && orders > 0 && std::min(mine.size(), other.size()) >= long_enough * orders;
        std::size_t i = 0, j = 0;
        if (skips_) {
            each_alike({mine.data(), mine.size()}, {other.data(), other.size()}, orders,
                       [&](std::size_t ours_from, std::size_t theirs_from, std::size_t size) {
                           ranges_[0].push_back({i, ours_from}), ranges_[1].push_back({j, theirs_from});
                           alike_.push_back({ours_from, theirs_from, size});
                           i = ours_from + size, j = theirs_from + size;
                       });
        }
        ranges_[0].push_back({i, mine.size()}), ranges_[1].push_back({j, other.size()});
        for (std::size_t t = 0; t < 2; ++t) {
            keys_[t].resize(bytes_[t].size());
            std::uint64_t key = 0;
            for (std::size_t at = bytes_[t].size(); at-- > 0;) keys_[t][at] = key = key << 8 | bytes_[t][at];
        }
    }

    // Texts are read from their ends, so that what was written last is where an n-gram stands first.
    void next_packed() {
        forget();
        std::int64_t found = 0;
        each_place(1, [](Gram &each, std::uint32_t place) {
            each.text = 1, each.place = place, each.our_place = nowhere;
            ++each.theirs;
        });
        each_place(0, [&found](Gram &each, std::uint32_t place) {
            each.our_place = place, each.place = each.theirs == 0 ? nowhere : each.place;
            found += each.ours++ < each.theirs;
        });
        for (const Alike &each : alike_) {
            found += static_cast<std::int64_t>(each.size);
            add_alike(each);
        }
        common = found;
        ours = static_cast<std::int64_t>(places(0)), theirs = static_cast<std::int64_t>(places(1));
    }

    // The bytes of a key that an n-gram has.
    std::uint64_t used() const { return order_ < sizeof(std::uint64_t) ? (std::uint64_t{1} << 8 * order_) - 1 : ~std::uint64_t{0}; }

    template <class Take>
    void each_place(std::size_t text, Take take) {
        const std::uint64_t used = this->used();
        const std::size_t mask = mask_, size = places(text);
        const int shift = shift_;
        Gram *const grams = grams_.data();
        const std::uint64_t *const keys = keys_[text].data();
        std::int32_t *const slots = before_[text].data();
        for (std::size_t range = ranges_[text].size(); range-- > 0;) {
            const std::size_t begin = ranges_[text][range].begin;
            for (std::size_t i = std::min(ranges_[text][range].end, size); i-- > begin;) {
                const std::uint64_t key = keys[i] & used;
                std::size_t slot = key * kSpread >> shift;
                while (grams[slot].key != key && grams[slot].key != 0) slot = (slot + 1) & mask;
                slots[i] = static_cast<std::int32_t>(slot);
                grams[slot].key = key;
                take(grams[slot], static_cast<std::uint32_t>(i));
            }
        }
    }

    // Adds the n-grams of a stretch that both texts have to those that are counted already.
    void add_alike(const Alike &stretch) {
        const std::uint64_t used = this->used();
        const std::size_t mask = mask_;
        const int shift = shift_;
        Gram *const grams = grams_.data();
        const std::uint64_t *const keys = keys_[0].data() + stretch.ours;
        for (std::size_t i = 0; i < stretch.size; ++i) {
            const std::uint64_t key = keys[i] & used;
            std::size_t slot = key * kSpread >> shift;
            while (grams[slot].key != key && grams[slot].key != 0) slot = (slot + 1) & mask;
            Gram &each = grams[slot];
            if (each.key != key) continue;
            each.our_place = std::min(each.our_place, static_cast<std::uint32_t>(stretch.ours + i));
            each.place = std::min(each.place, static_cast<std::uint32_t>(stretch.theirs + i));
            ++each.ours, ++each.theirs;
        }
    }

    // Which n-grams are wanted cannot be predicted: their places are found without a branch.
    template <class Wanted, class Visit, class Place>
    void each_packed(std::uint32_t text, Wanted wanted, Visit visit, Place place) const {
        if (skips_) return each_differing(text, wanted, visit, place);
        const WordIds &slots = before_[text];
        const std::size_t size = places(text);
        found_.resize(size);
        std::size_t count = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const Gram &each = grams_[static_cast<std::size_t>(slots[i])];
            found_[count] = static_cast<std::uint32_t>(i);
            count += static_cast<std::size_t>(place(each) == i) & static_cast<std::size_t>(wanted(each.ours, each.theirs));
        }
        for (std::size_t k = 0; k < count; ++k) {
            const Gram &each = grams_[static_cast<std::size_t>(slots[found_[k]])];
            visit(Counted{text, found_[k], each.ours, each.theirs});
        }
    }

    // The same where an n-gram may stand first in a stretch that was not counted: a bit for each place where one does.
    template <class Wanted, class Visit, class Place>
    void each_differing(std::uint32_t text, Wanted wanted, Visit visit, Place place) const {
        const std::size_t size = places(text), none = size;
        found_.resize(size + 1);
        first_.assign(size / 64 + 1, 0);
        std::uint32_t *const found = found_.data();
        std::uint64_t *const first = first_.data();
        const Gram *const grams = grams_.data();
        for (std::size_t t = 0; t < 2; ++t) {
            // What the other side has more often may not be counted in this one.
            if (t != text && !(text == 0 ? wanted(1, 2) : wanted(2, 1))) continue;
            const std::int32_t *const slots = before_[t].data();
            for (const Range range : ranges_[t]) {
                for (std::size_t i = range.begin, end = std::min(range.end, places(t)); i < end; ++i) {
                    const auto slot = static_cast<std::uint32_t>(slots[i]);
                    const Gram &each = grams[slot];
                    const std::size_t is_wanted = wanted(each.ours, each.theirs), at = is_wanted * place(each) + (1 - is_wanted) * none;
                    found[at] = slot;
                    first[at / 64] |= std::uint64_t{1} << at % 64;
                }
            }
        }
        first_[none / 64] &= ~(std::uint64_t{1} << none % 64);
        for (std::size_t word = 0; word < first_.size(); ++word) {
            for (std::uint64_t left = first_[word]; left != 0; left &= left - 1) {
                const std::size_t at = 64 * word + lowest_bit(left);
                const Gram &each = grams_[found_[at]];
                visit(Counted{text, static_cast<std::uint32_t>(at), each.ours, each.theirs});
            }
        }
    }

    // Empties the slots that hold n-grams.
    void forget() {
        for (std::size_t t = 0; t < 2; ++t) {
            for (const Range &range : ranges_[t]) {
                for (std::size_t i = range.begin; i < range.end; ++i) {
                    Gram &each = grams_[static_cast<std::size_t>(before_[t][i])];
                    each.key = 0, each.ours = each.theirs = 0;
                }
            }
        }
    }

    // How many n-grams of this order a text has.
    std::size_t places(std::size_t text) const {
        const std::size_t size = text < count_ ? (*texts_)[text].size() + 1 : 0;
        return size > order_ ? size - order_ : 0;
    }

    // An n-gram that no text has twice: the number of words from there on that both have, and 1, below 0.
    void settle(const Gram &gram) {
        std::size_t same = 0;
        if (gram.ours > 0 && gram.theirs > 0) {
            const WordIds &mine = (*texts_)[0], &other = (*texts_)[1];
            const std::size_t left = std::min(mine.size() - gram.our_place, other.size() - gram.place);
            for (same = order_; same < left && mine[gram.our_place + same] == other[gram.place + same];) ++same;
        }
        const auto settled = -1 - static_cast<std::int32_t>(same);
        if (gram.ours > 0) before_[0][gram.our_place] = settled;
        if (gram.theirs > 0) before_[1][gram.place] = settled;
    }

    void clear(std::size_t longest) {
        grams_.clear(), here_.clear();
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
            first = {word, static_cast<std::int32_t>(grams_.size())};
            return first.gram;
        }
        const std::uint64_t key =
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(before)) << 32 | static_cast<std::uint32_t>(word);
        std::size_t slot = (key * kSpread >> 20) & mask_;
        while (slots_[slot].round == round_ && slots_[slot].key != key) slot = (slot + 1) & mask_;
        if (slots_[slot].round != round_) slots_[slot] = {key, round_, static_cast<std::int32_t>(grams_.size())};
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
    bool once_ = false, is_packed_ = false;
    const std::vector<WordIds> *texts_ = nullptr;
    std::vector<WordIds> before_;  // for each place of a text the number of the n-gram there
    std::vector<Gram> grams_;
    std::array<std::vector<std::uint8_t>, 2> bytes_;
    std::vector<Followed> numbers_;
    std::array<std::vector<std::uint64_t>, 2> keys_;  // of eight words from each place on
    std::array<std::vector<Range>, 2> ranges_;  // the places whose n-grams are counted
    std::vector<Alike> alike_;
    bool skips_ = false;
    mutable std::vector<std::uint32_t> found_;
    mutable std::vector<std::uint64_t> first_;
    int shift_ = 0;
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
    // So many bytes can be read behind the end of every part that `part` copies, such as parts of another sheet.
    static constexpr std::size_t slack = 32;

    void clear() { at_ = 0; }
    std::size_t size() const { return at_; }
    std::string_view text() const { return {bytes_.get(), at_}; }

    // Adds any text or byte, for which room is made.
    void append(std::string_view text) {
        reserve(text.size());
        copy(text.data(), text.size(), bytes_.get() + at_);
        at_ += text.size();
    }

    void put(char byte) {
        reserve(1);
        bytes_[at_++] = byte;
    }

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
    // Words are mostly short: two copies that overlap take the place of a call.
    static void copy(const char *from, std::size_t size, char *to) {
        if (size > 16) static_cast<void>(std::memcpy(to, from, size));
        else if (size >= 8) copy_ends<8>(from, size, to);
        else if (size >= 4) copy_ends<4>(from, size, to);
        else if (size >= 2) copy_ends<2>(from, size, to);
        else if (size == 1) *to = *from;
    }

    template <std::size_t Part>
    static void copy_ends(const char *from, std::size_t size, char *to) {
        std::array<char, Part> first, last;
        std::memcpy(first.data(), from, Part), std::memcpy(last.data(), from + size - Part, Part);
        std::memcpy(to, first.data(), Part), std::memcpy(to + size - Part, last.data(), Part);
    }

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
    // What it lists as missing and surplus is counted among `errors`, if these are given.
    explicit GramWriter(const Spelt &spelt, bool matched = true, bool of_characters = false,
                        FrequentErrors *errors = nullptr)
        : spelt_(spelt), matched_(matched), blank_(of_characters ? 0 : 1), errors_(errors) {}

    // Whether n-grams are listed that both sides have equally often.
    bool lists_equal() const { return matched_; }

    // Begins with the texts whose words and n-grams will be written.
    void begin(const std::vector<WordIds> &texts, std::size_t count) {
        if (texts_.size() < count) texts_.resize(count);
        plain_ = true;
        for (std::size_t t = 0; t < count; ++t) {
            Written &text = texts_[t];
            text.words.clear(), text.words.reserve(2 * texts[t].size()), text.places.resize(texts[t].size() + 1);
            std::size_t *place = text.places.data();
            for (const std::int32_t word : texts[t]) {
                *place++ = text.words.size();
                if constexpr (std::is_same_v<Spelt, CodePoints>) {
                    if (word < 0x80 && !may_be_escaped[static_cast<std::size_t>(word)]) {
                        text.words.put(static_cast<char>(word));
                        continue;
                    }
                }
                std::string_view spelt = spelt_[word];
                if (!is_plain(spelt)) {
                    plain_ = false;
                    escaped_.clear();
                    append_json(spelt, escaped_);
                    spelt = std::string_view(escaped_).substr(1, escaped_.size() - 2);
                }
                text.words.append(spelt);
                if (blank_ > 0) text.words.put(' ');
            }
            *place = text.words.size();
        }
    }

    // All words of a text.
    void words(std::size_t text, std::string &out) {
        const Written &own = texts_[text];
        sheet_.clear();
        sheet_.reserve(own.words.size() + 4 * own.places.size());
        sheet_.fixed("[");
        for (std::size_t i = 0; i + 1 < own.places.size(); ++i) {
            sheet_.fixed("\"");
            sheet_.part(own.words.text().data() + own.places[i], own.size(i, 1, blank_));
            sheet_.fixed("\",");
        }
        sheet_.end_list();
        sheet_.fixed("]");
        out.append(sheet_.text());
    }

    // How many n-grams both sides have, and which; each is counted once on each side. `kind` is what errors are counted as.
    void counted(const GramLists &lists, std::string_view kind, std::string &out) {
        sheet_.clear();
        sheet_.reserve(256);
        sheet_.fixed("{\"common\":");
        totals(lists);
        if (matched_) {
            sheet_.fixed(",\"matched\":{");
            lists.each_of_ours([](int ours, int theirs) { return (ours > 0) & (theirs > 0); },
                               [&](const auto &each) { numbered(lists, each, std::min(each.ours, each.theirs)); });
            sheet_.end_list();
            sheet_.fixed("}");
        }
        sheet_.fixed(",\"missing\":{");
        list_errors(&FrequentErrors::missing, kind, [&](auto take) {
            lists.each_of_theirs([](int ours, int theirs) { return theirs > ours; },
                                 [&](const auto &each) { take(numbered(lists, each, each.theirs - each.ours), each.theirs - each.ours); });
        });
        sheet_.end_list();
        sheet_.fixed("},\"surplus\":{");
        list_errors(&FrequentErrors::surplus, kind, [&](auto take) {
            lists.each_of_ours([](int ours, int theirs) { return ours > theirs; },
                               [&](const auto &each) { take(numbered(lists, each, each.ours - each.theirs), each.ours - each.theirs); });
        });
        sheet_.end_list();
        sheet_.fixed("}}");
        out.append(sheet_.text());
    }

    // The same with what one side has more often, and n-grams of one side alone. Without `matched`, of those that both sides
    // have only such as are clipped.
    void compared(const GramLists &lists, std::string_view kind, std::string &out) {
        sheet_.clear();
        sheet_.reserve(256);
        sheet_.fixed("{\"hits\":");
        totals(lists);
        if (matched_) sheet_.fixed(",\"matched\":[");
        else sheet_.fixed(",\"clipped\":[");
        const bool matched = matched_;
        const auto is_listed = [matched](int ours, int theirs) {
            return (ours > 0) & (theirs > 0) & (matched | (ours != theirs));
        };
        lists.each_of_ours(is_listed, [&](const GramLists::Counted &each) {
            const std::int64_t count = std::min(each.ours, each.theirs);
            room_for(lists, each);
            sheet_.fixed("{\"gram\":\"");
            gram(lists, each);
            if (count == 1 && each.ours == 1 && each.theirs == 1) {  // as most are
                sheet_.fixed("\",\"count\":1,\"clipped\":{\"system\":0,\"gold\":0}},");
                return;
            }
            sheet_.fixed("\",\"count\":");
            sheet_.number(count);
            sheet_.fixed(",\"clipped\":{\"system\":");
            sheet_.number(each.ours - count);
            sheet_.fixed(",\"gold\":");
            sheet_.number(each.theirs - count);
            sheet_.fixed("}},");
        });
        sheet_.end_list();
        sheet_.fixed("],\"missing\":[");
        list_errors(&FrequentErrors::missing, kind, [&](auto take) {
            lists.each_of_theirs([](int ours, int) { return ours == 0; }, [&](const auto &each) { take(alone(lists, each), 1); });
        });
        sheet_.end_list();
        sheet_.fixed("],\"surplus\":[");
        list_errors(&FrequentErrors::surplus, kind, [&](auto take) {
            lists.each_of_ours([](int, int theirs) { return theirs == 0; }, [&](const auto &each) { take(alone(lists, each), 1); });
        });
        sheet_.end_list();
        sheet_.fixed("]}");
        out.append(sheet_.text());
    }

  private:
    // The words of a text as JSON writes them, with blanks after them, and where they begin.
    struct Written {
        Sheet words;
        std::vector<std::size_t> places;

        // How many bytes some words take, with blanks between.
        std::size_t size(std::size_t first, std::size_t count, std::size_t blank) const {
            return places[first + count] - places[first] - blank;
        }
    };

    // Calls `list` with what takes each name that it writes and a number: they are counted, if errors are.
    template <class List>
    void list_errors(CountedKinds FrequentErrors::*side, std::string_view kind, List list) {
        if (errors_ != nullptr) errors_->add_list(errors_->*side, kind, plain_, list);
        else list([](std::string_view, std::int64_t) {});
    }

    void totals(const GramLists &lists) {
        sheet_.number(lists.common);
        sheet_.fixed(",\"system\":");
        sheet_.number(lists.ours);
        sheet_.fixed(",\"gold\":");
        sheet_.number(lists.theirs);
    }

    // Writes an n-gram and how often it is there, as a member of an object, and a comma; gives the n-gram.
    std::string_view numbered(const GramLists &lists, const GramLists::Counted &each, std::int64_t times) {
        room_for(lists, each);
        sheet_.fixed("\"");
        const std::string_view written = gram(lists, each);
        sheet_.fixed("\":");
        sheet_.number(times);
        sheet_.fixed(",");
        return written;
    }

    // Writes an n-gram of one side, and a comma; gives the n-gram.
    std::string_view alone(const GramLists &lists, const GramLists::Counted &each) {
        room_for(lists, each);
        sheet_.fixed("\"");
        const std::string_view written = gram(lists, each);
        sheet_.fixed("\",");
        return written;
    }

    // Room for an n-gram with what is said of it, and for what follows a list.
    void room_for(const GramLists &lists, const GramLists::Counted &each) {
        sheet_.reserve(texts_[each.text].size(each.place, lists.order(), blank_) + 192);
    }

    std::string_view gram(const GramLists &lists, const GramLists::Counted &each) {
        const Written &text = texts_[each.text];
        const std::string_view written(text.words.text().data() + text.places[each.place],
                                       text.size(each.place, lists.order(), blank_));
        sheet_.part(written.data(), written.size());
        return written;
    }

    const Spelt &spelt_;
    bool matched_, plain_ = true;  // whether no word has a backslash in JSON
    std::size_t blank_;
    FrequentErrors *errors_;
    std::vector<Written> texts_;
    std::string escaped_;
    Sheet sheet_;
};

}  // namespace karat
