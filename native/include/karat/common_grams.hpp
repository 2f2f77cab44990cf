// How many n-grams a sequence has in common with others, order by order.
//
// An n-gram is known by the number of its first n - 1 symbols and its last symbol, so that keys are
// exact whatever the order and however many symbols there are. Where the first n - 1 symbols are not
// common, the n-gram is not looked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace karat {

using Symbols = std::vector<std::uint32_t>;

struct Sequence {
    const std::uint32_t *data;
    std::size_t size;

    Sequence(const std::uint32_t *from, std::size_t count) : data(from), size(count) {}
    Sequence(const std::int32_t *from, std::size_t count)
        : data(reinterpret_cast<const std::uint32_t *>(from)), size(count) {}
    Sequence(const Symbols &symbols) : data(symbols.data()), size(symbols.size()) {}
};

// One object per thread; its tables are reused, and as large as the longest sequence needs.
class CommonGrams {
  public:
    // For each order, from 1: how many n-grams of `system` some of `others` has, each at most as often
    // as the one that has most of it. Results lie `stride` apart.
    void operator()(Sequence system, const Sequence *others, std::size_t count, std::size_t orders,
                    std::int64_t *result, std::size_t stride) {
        reserve(system.size);
        ours_.clear();
        for (std::size_t i = 0; i < system.size; ++i) ours_.push_back({static_cast<std::uint32_t>(i), 0});
        theirs_.clear();
        ends_.clear();
        for (std::size_t o = 0; o < count; ++o) {
            for (std::size_t i = 0; i < others[o].size; ++i) theirs_.push_back({static_cast<std::uint32_t>(i), 0});
            ends_.push_back(theirs_.size());
        }
        for (std::size_t n = 1; n <= orders; ++n) {
            std::int64_t &common = result[(n - 1) * stride];
            common = 0;
            if (ours_.empty() || theirs_.empty()) continue;
            next_generation();
            number(system, n);
            common = look_up(others, count, n);
            const auto unknown = [&](const Place &place) { return grams_[place.gram].most == 0; };
            ours_.erase(std::remove_if(ours_.begin(), ours_.end(), unknown), ours_.end());
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
    };
    struct Slot {
        std::uint32_t generation;
        std::uint32_t gram;
    };

    void reserve(std::size_t size) {
        std::size_t wanted = 64;
        while (wanted < 2 * size) wanted *= 2;
        if (wanted > slots_.size()) slots_.assign(wanted, Slot{0, 0});
        mask_ = wanted - 1;  // short texts use the beginning of a table that is large already
    }

    void next_generation() {
        if (++generation_ == 0) {
            std::fill(slots_.begin(), slots_.end(), Slot{0, 0});
            generation_ = 1;
        }
        grams_.clear();
    }

    Slot &find(std::uint64_t key) {
        std::uint64_t h = key * 0x9E3779B97F4A7C15u;
        for (std::size_t i = (h ^ (h >> 32)) & mask_;; i = (i + 1) & mask_) {
            Slot &slot = slots_[i];
            if (slot.generation != generation_ || grams_[slot.gram].key == key) return slot;
        }
    }

    static std::uint64_t key(const Place &place, Sequence text, std::size_t n) {
        return static_cast<std::uint64_t>(place.gram) << 32 | text.data[place.at + n - 1];
    }

    void number(Sequence system, std::size_t n) {
        std::size_t kept = 0;
        for (const Place &place : ours_) {
            if (place.at + n > system.size) continue;
            const std::uint64_t wanted = key(place, system, n);
            Slot &slot = find(wanted);
            if (slot.generation != generation_) {
                slot = {generation_, static_cast<std::uint32_t>(grams_.size())};
                grams_.push_back({wanted, 0, 0, 0, 0});
            }
            ++grams_[slot.gram].count;
            ours_[kept++] = {place.at, slot.gram};
        }
        ours_.resize(kept);
    }

    std::int64_t look_up(const Sequence *others, std::size_t count, std::size_t n) {
        std::int64_t common = 0;
        std::size_t kept = 0, from = 0;
        for (std::size_t o = 0; o < count; ++o) {
            const std::size_t to = ends_[o];
            for (std::size_t i = from; i < to; ++i) {
                const Place place = theirs_[i];
                if (place.at + n > others[o].size) continue;
                const Slot &slot = find(key(place, others[o], n));
                if (slot.generation != generation_) continue;
                Gram &gram = grams_[slot.gram];
                if (gram.seen_in != o + 1) gram.seen_in = static_cast<std::uint32_t>(o + 1), gram.here = 0;
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

    std::vector<Place> ours_, theirs_;
    std::vector<std::size_t> ends_;
    std::vector<Gram> grams_;
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t generation_ = 0;
};

// The number of n-grams of a sequence.
inline std::int64_t gram_count(std::size_t size, std::size_t n) {
    return size >= n ? static_cast<std::int64_t>(size - n + 1) : 0;
}

}  // namespace karat
