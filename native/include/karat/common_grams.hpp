// How many n-grams a sequence has in common with others, order by order.
//
// An n-gram is known by the number of its first n - 1 symbols and its last symbol, so that keys are
// exact whatever the order and however many symbols there are. Where the first n - 1 symbols are not
// common, the n-gram is not looked for; where both sides have them once, the two places are compared
// symbol by symbol, since longer n-grams that begin there can have no other counterpart. Stretches that
// two texts have in common are not looked at: as many of their n-grams are taken from either side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "karat/alike.hpp"
#include "karat/names.hpp"

namespace karat {

// One object per thread; its tables are reused, and as large as the longest sequence needs.
class CommonGrams {
  public:
    // For each order, from 1: how many n-grams of `system` some of `others` has, each at most as often
    // as the one that has most of it. Results lie `stride` apart.
    void operator()(Sequence system, const Sequence *others, std::size_t count, std::size_t orders,
                    std::int64_t *result, std::size_t stride) {
        for (std::size_t n = 0; n < orders; ++n) result[n * stride] = 0;
        if (orders == 0) return;
        start(system, others, count);
        if (count == 1) {
            const auto skipped = static_cast<std::int64_t>(skip_alike(orders));
            for (std::size_t n = 0; n < orders; ++n) result[n * stride] = skipped;
        }
        if (width_ > most_narrow) renumber();
        for (std::size_t n = 1;; ++n) {
            number(n);
            result[(n - 1) * stride] += look_up(count, n);
            if (n == orders) return;
            if (ours_.empty() || theirs_.empty()) return;
            if (count == 1) follow(n, orders, result, stride);
        }
    }

  private:
    struct Place {
        std::uint32_t at;
        std::uint32_t gram;  // the number of the n-gram that begins there
    };
    struct Gram {
        std::uint64_t key;
        std::uint32_t count;       // in the system's text
        std::uint32_t most, here;  // in the text that has most of it so far, and in the present one
        std::uint32_t seen_in;
        std::uint32_t ours, theirs;  // where it begins: first, and last
    };
    struct Slot {
        std::uint32_t generation;
        std::uint32_t gram;
    };
    static constexpr std::uint32_t not_ours = 0xFFFFFFFF;  // a symbol that the system's text does not have
    static constexpr std::size_t most_direct = 1 << 15;  // slots that are reached without hashing
    static constexpr std::size_t most_narrow = 256;  // symbols that are taken as they are

    void start(Sequence system, const Sequence *others, std::size_t count) {
        symbols_.assign(system.data, system.data + system.size);
        ours_stop_ = symbols_.size();
        stops_.clear();
        for (std::size_t o = 0; o < count; ++o) {
            symbols_.insert(symbols_.end(), others[o].data, others[o].data + others[o].size);
            stops_.push_back(symbols_.size());
        }
        ours_.resize(ours_stop_), theirs_.resize(symbols_.size() - ours_stop_);
        if (count != 1) {
            for (std::size_t i = 0; i < ours_stop_; ++i) ours_[i] = {static_cast<std::uint32_t>(i), 0};
            for (std::size_t i = ours_stop_; i < symbols_.size(); ++i) theirs_[i - ours_stop_] = {static_cast<std::uint32_t>(i), 0};
        }
        ends_.clear();
        for (const std::size_t stop : stops_) ends_.push_back(stop - ours_stop_);
        std::uint32_t largest = 0;
        for (const std::uint32_t symbol : symbols_) largest = std::max(largest, symbol);
        width_ = std::size_t{largest} + 1;
    }

    // Keeps all places of two texts but those where n-grams of all orders lie in a stretch that both have, and
    // says how many these are.
    std::size_t skip_alike(std::size_t orders) {
        const std::size_t ours_size = ours_stop_, theirs_size = symbols_.size() - ours_stop_;
        std::size_t i = 0, j = 0, ours_kept = 0, theirs_kept = 0, skipped = 0;
        const auto keep = [&](std::size_t ours_to, std::size_t theirs_to) {
            for (; i < ours_to; ++i) ours_[ours_kept++] = {static_cast<std::uint32_t>(i), 0};
            for (; j < theirs_to; ++j) theirs_[theirs_kept++] = {static_cast<std::uint32_t>(ours_size + j), 0};
        };
        each_alike({symbols_.data(), ours_size}, {symbols_.data() + ours_size, theirs_size}, orders,
                   [&](std::size_t ours_from, std::size_t theirs_from, std::size_t size) {
                       keep(ours_from, theirs_from);
                       i += size, j += size, skipped += size;
                   });
        keep(ours_size, theirs_size);
        ours_.resize(ours_kept), theirs_.resize(theirs_kept);
        ends_[0] = theirs_kept;
        return skipped;
    }

    // Puts small numbers in place of symbols; those that the system's text does not have are all the same.
    void renumber() {
        next_generation(1, ours_stop_);
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
            Slot &slot = find(0, symbols_[i]);
            if (slot.generation != generation_ && i < ours_stop_) {
                slot = {generation_, static_cast<std::uint32_t>(grams_.size())};
                grams_.push_back({key(0, symbols_[i]), 0, 0, 0, 0, 0, 0});
            }
            symbols_[i] = slot.generation == generation_ ? slot.gram : not_ours;
        }
        width_ = grams_.size();
    }

    // A table for at most `most` n-grams that go on from `known` shorter ones.
    void next_generation(std::size_t known, std::size_t most) {
        is_direct_ = known * width_ <= most_direct;
        std::size_t wanted = 64;
        while (wanted < (is_direct_ ? known * width_ : 2 * most)) wanted *= 2;
        if (wanted > slots_.size()) slots_.resize(wanted, Slot{0, 0});
        mask_ = wanted - 1;  // short texts use the beginning of a table that is large already
        if (++generation_ == 0) {
            std::fill(slots_.begin(), slots_.end(), Slot{0, 0});
            generation_ = 1;
        }
        std::swap(grams_, shorter_);
        grams_.clear();
    }

    Slot &find(std::uint32_t gram, std::uint32_t symbol) {
        if (is_direct_) return slots_[gram * width_ + symbol];
        const std::uint64_t wanted = key(gram, symbol), h = wanted * kSpread;
        for (std::size_t i = (h ^ (h >> 32)) & mask_;; i = (i + 1) & mask_) {
            Slot &slot = slots_[i];
            if (slot.generation != generation_ || grams_[slot.gram].key == wanted) return slot;
        }
    }

    static std::uint64_t key(std::uint32_t gram, std::uint32_t symbol) {
        return static_cast<std::uint64_t>(gram) << 32 | symbol;
    }

    void number(std::size_t n) {
        next_generation(n == 1 ? 1 : grams_.size(), ours_.size());
        std::size_t kept = 0;
        for (const Place &place : ours_) {
            if (place.at + n > ours_stop_ || (n > 1 && shorter_[place.gram].most == 0)) continue;
            const std::uint32_t symbol = symbols_[place.at + n - 1];
            Slot &slot = find(place.gram, symbol);
            if (slot.generation != generation_) {
                slot = {generation_, static_cast<std::uint32_t>(grams_.size())};
                grams_.push_back({key(place.gram, symbol), 0, 0, 0, 0, place.at, 0});
            }
            ++grams_[slot.gram].count;
            ours_[kept++] = {place.at, slot.gram};
        }
        ours_.resize(kept);
    }

    std::int64_t look_up(std::size_t count, std::size_t n) {
        std::int64_t common = 0;
        std::size_t kept = 0, from = 0;
        for (std::size_t o = 0; o < count; ++o) {
            const std::size_t to = ends_[o];
            for (std::size_t i = from; i < to; ++i) {
                const Place place = theirs_[i];
                if (place.at + n > stops_[o] || (n > 1 && shorter_[place.gram].most == 0)) continue;
                const std::uint32_t symbol = symbols_[place.at + n - 1];
                if (symbol == not_ours) continue;
                const Slot &slot = find(place.gram, symbol);
                if (slot.generation != generation_) continue;
                Gram &gram = grams_[slot.gram];
                if (gram.seen_in != o + 1) gram.seen_in = static_cast<std::uint32_t>(o + 1), gram.here = 0;
                gram.theirs = place.at;
                if (++gram.here > gram.most) {
                    gram.most = gram.here;
                    common += gram.most <= gram.count;
                }
                theirs_[kept++] = {place.at, slot.gram};
            }
            from = to;
            ends_[o] = kept;
        }
        theirs_.resize(kept);
        return common;
    }

    // Counts the longer n-grams that begin with one that both texts have once, and is done with it.
    void follow(std::size_t n, std::size_t orders, std::int64_t *result, std::size_t stride) {
        for (Gram &gram : grams_) {
            if (gram.count != 1 || gram.most != 1) continue;
            const std::size_t left = std::min({ours_stop_ - gram.ours, stops_[0] - gram.theirs, orders});
            const std::uint32_t *ours = &symbols_[gram.ours], *theirs = &symbols_[gram.theirs];
            for (std::size_t m = n; m < left && ours[m] == theirs[m]; ++m) ++result[m * stride];
            gram.most = 0;
        }
    }

    Symbols symbols_;  // of all texts, one after the other
    std::vector<Place> ours_, theirs_;
    std::size_t ours_stop_ = 0;
    std::vector<std::size_t> ends_, stops_;  // for each other text, in `theirs_` and in `symbols_`
    std::vector<Gram> grams_, shorter_;  // those of this order, and of the one before
    std::vector<Slot> slots_;
    std::size_t width_ = 0, mask_ = 0;
    std::uint32_t generation_ = 0;
    bool is_direct_ = false;
};

// The number of n-grams of a sequence.
inline std::int64_t gram_count(std::size_t size, std::size_t n) {
    return size >= n ? static_cast<std::int64_t>(size - n + 1) : 0;
}

}  // namespace karat
