// Bags of n-grams and of skip-bigrams of integer sequences, and how much two
// bags have in common. A bag is made once per text, however many pairs the text
// is in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace karat {

// Numbers for pairs of numbers, in order of first sight: an open hash table.
class Interner {
  public:
    Interner() : slots_(1024, Slot{0, -1}) {}

    std::int32_t operator()(std::uint64_t key) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        Slot &slot = find(key);
        if (slot.number < 0) slot = {key, static_cast<std::int32_t>(size_++)};
        return slot.number;
    }

  private:
    struct Slot {
        std::uint64_t key;
        std::int32_t number;
    };

    Slot &find(std::uint64_t key) {
        const std::size_t mask = slots_.size() - 1;
        std::uint64_t h = key * 0x9E3779B97F4A7C15u;
        for (std::size_t i = (h ^ (h >> 29)) & mask;; i = (i + 1) & mask) {
            if (slots_[i].number < 0 || slots_[i].key == key) return slots_[i];
        }
    }

    void grow() {
        std::vector<Slot> old(slots_.size() * 2, Slot{0, -1});
        old.swap(slots_);
        for (const Slot &slot : old) {
            if (slot.number >= 0) find(slot.key) = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

// One bag per text: its distinct keys in order, and how often each occurs.
class Bags {
  public:
    // Room for so many texts and keys: a table that grows is copied again and again.
    void reserve(std::size_t texts, std::size_t keys) {
        keys = std::min<std::size_t>(keys, 1 << 24);
        keys_.reserve(keys);
        counts_.reserve(keys);
        totals_.reserve(texts);
        begin_.reserve(texts + 1);
    }

    // Takes the keys of the next text, in any order; they are sorted in place.
    void add(std::vector<std::uint64_t> &keys) {
        put_all(keys);
        close();
    }

    // The same for some of its keys, all larger than those before; `close` ends the text.
    void put_all(std::vector<std::uint64_t> &keys) {
        std::sort(keys.begin(), keys.end());
        for (std::size_t i = 0; i < keys.size();) {
            std::size_t j = i + 1;
            while (j < keys.size() && keys[j] == keys[i]) ++j;
            put(keys[i], static_cast<std::int64_t>(j - i));
            i = j;
        }
    }

    std::int64_t total(std::size_t text) const { return totals_[text]; }

    // The sum over keys of the smaller of the two counts.
    std::int64_t common(std::size_t a, std::size_t b) const {
        std::size_t i = begin_[a], j = begin_[b];
        const std::size_t i_end = begin_[a + 1], j_end = begin_[b + 1];
        std::int64_t sum = 0;
        while (i < i_end && j < j_end) {
            if (keys_[i] < keys_[j]) {
                ++i;
            } else if (keys_[j] < keys_[i]) {
                ++j;
            } else {
                sum += std::min(counts_[i++], counts_[j++]);
            }
        }
        return sum;
    }

    // The same for the largest count that any of the other texts has of a key.
    std::int64_t clipped(std::size_t a, const std::int32_t *others, const std::int32_t *end,
                         std::vector<std::int64_t> &most) const {
        if (end - others == 1) return common(a, static_cast<std::size_t>(*others));
        const std::size_t first = begin_[a], last = begin_[a + 1];
        most.assign(last - first, 0);
        for (; others != end; ++others) {
            std::size_t i = first, j = begin_[*others];
            const std::size_t j_end = begin_[*others + 1];
            while (i < last && j < j_end) {
                if (keys_[i] < keys_[j]) {
                    ++i;
                } else if (keys_[j] < keys_[i]) {
                    ++j;
                } else {
                    most[i - first] = std::max<std::int64_t>(most[i - first], counts_[j++]);
                    ++i;
                }
            }
        }
        std::int64_t sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += std::min<std::int64_t>(counts_[i], most[i - first]);
        return sum;
    }

    // Takes one key and its count; keys come in order. `close` ends the text.
    void put(std::uint64_t key, std::int64_t count) {
        keys_.push_back(key);
        counts_.push_back(static_cast<std::int32_t>(count));
        open_ += count;
    }

    void close() {
        begin_.push_back(keys_.size());
        totals_.push_back(open_);
        open_ = 0;
    }

  private:
    std::int64_t open_ = 0;
    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> counts_;
    std::vector<std::int64_t> totals_;
    std::vector<std::size_t> begin_{0};
};

inline std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
}

// How many bits the numbers up to and including `largest` take.
inline std::size_t bits_for(std::size_t largest) {
    std::size_t bits = 0;
    while (largest >> bits) ++bits;
    return bits;
}

// The n-grams of texts where the longest fit in 64 bits: those of each text, sorted once. A shorter
// n-gram is a prefix of a longer one, so two texts are compared in all orders by one walk.
class PackedGrams {
  public:
    static std::size_t bits_of(std::size_t vocabulary) { return std::max<std::size_t>(1, bits_for(vocabulary)); }
    static bool fit(std::size_t orders, std::size_t vocabulary) {
        return orders > 0 && orders * bits_of(vocabulary) <= 64;
    }

    PackedGrams(const std::int32_t *tokens, const std::int64_t *offsets, std::size_t texts, std::size_t orders,
                std::size_t vocabulary)
        : orders_(orders), bits_(bits_of(vocabulary)), offsets_(offsets),
          keys_(static_cast<std::size_t>(offsets[texts])) {
        const std::size_t used = orders * bits_;
        const std::uint64_t all = used == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
        std::vector<std::uint64_t> spare;
        for (std::size_t t = 0; t < texts; ++t) {
            std::uint64_t key = 0;  // tokens are counted from 1 here: 0 is the end of the text
            for (std::int64_t i = offsets[t + 1]; i-- > offsets[t];) {
                const auto token = static_cast<std::uint64_t>(tokens[i]) + 1;
                key = (bits_ < 64 ? key >> bits_ : 0) | token << (orders - 1) * bits_;
                keys_[static_cast<std::size_t>(i)] = key & all;
            }
            sort(keys_.data() + offsets[t], static_cast<std::size_t>(offsets[t + 1] - offsets[t]), used, spare);
        }
    }

    std::int64_t total(std::size_t text, std::size_t order) const {
        return std::max<std::int64_t>(0, offsets_[text + 1] - offsets_[text] - static_cast<std::int64_t>(order) + 1);
    }

    // Adds to `out[n * stride]` how many n-grams of length n + 1 two texts have in common.
    void common(std::size_t a, std::size_t b, std::int64_t *out, std::size_t stride) const {
        const std::uint64_t *x = keys_.data() + offsets_[a], *const x_end = keys_.data() + offsets_[a + 1];
        const std::uint64_t *y = keys_.data() + offsets_[b], *const y_end = keys_.data() + offsets_[b + 1];
        const std::uint64_t *const x_begin = x, *const y_begin = y;
        // Where the keys begin, on both sides, that have the prefix of each length that is being counted.
        std::int64_t x_from[64] = {}, y_from[64] = {};
        std::uint64_t before = 0;
        while (x < x_end || y < y_end) {
            const std::uint64_t key = y == y_end || (x < x_end && *x <= *y) ? *x : *y;
            close(before, same_tokens(before, key), x - x_begin, y - y_begin, x_from, y_from, out, stride);
            while (x < x_end && *x == key) ++x;
            while (y < y_end && *y == key) ++y;
            before = key;
        }
        close(before, 0, x - x_begin, y - y_begin, x_from, y_from, out, stride);
    }

    // The bags of 1-grams, 2-grams, ... of each text.
    std::vector<Bags> bags(std::size_t texts) const {
        std::vector<Bags> result(orders_);
        for (Bags &each : result) each.reserve(texts, keys_.size());
        for (std::size_t t = 0; t < texts; ++t) {
            const std::uint64_t *const keys = keys_.data() + offsets_[t];
            const auto size = static_cast<std::size_t>(offsets_[t + 1] - offsets_[t]);
            for (std::size_t n = 0; n < orders_; ++n) {
                const std::size_t shift = (orders_ - 1 - n) * bits_;
                for (std::size_t i = 0; i < size;) {
                    const std::uint64_t gram = keys[i] >> shift;
                    std::size_t j = i + 1;
                    while (j < size && keys[j] >> shift == gram) ++j;
                    if (gram & last_token()) result[n].put(gram, static_cast<std::int64_t>(j - i));
                    i = j;
                }
                result[n].close();
            }
        }
        return result;
    }

  private:
    std::uint64_t last_token() const {
        return bits_ < 64 ? (std::uint64_t{1} << bits_) - 1 : ~std::uint64_t{0};
    }

    // How many tokens two keys have in common at their beginning.
    std::size_t same_tokens(std::uint64_t a, std::uint64_t b) const {
        const std::uint64_t differ = (a ^ b) << (64 - orders_ * bits_);
        if (differ == 0) return orders_;
#if defined(__GNUC__)
        const auto zeros = static_cast<std::size_t>(__builtin_clzll(differ));
#else
        std::size_t zeros = 0;
        while (!(differ << zeros >> 63)) ++zeros;
#endif
        return zeros / bits_;
    }

    // Counts the n-grams that `key` begins with, but for those that the next key has too.
    void close(std::uint64_t key, std::size_t kept, std::int64_t x, std::int64_t y, std::int64_t *x_from,
               std::int64_t *y_from, std::int64_t *out, std::size_t stride) const {
        const std::uint64_t token = last_token();
        for (std::size_t n = kept; n < orders_; ++n) {
            // An n-gram that reaches beyond the end of its text is none.
            if (key >> (orders_ - 1 - n) * bits_ & token) out[n * stride] += std::min(x - x_from[n], y - y_from[n]);
            x_from[n] = x;
            y_from[n] = y;
        }
    }

    // By digits, from the last, where that is faster than by comparisons.
    static void sort(std::uint64_t *keys, std::size_t size, std::size_t bits, std::vector<std::uint64_t> &spare) {
        if (size < 48 || size > 0x7FFFFFFF) {
            std::sort(keys, keys + size);
            return;
        }
        spare.resize(size);
        std::uint64_t *from = keys, *to = spare.data();
        for (std::size_t shift = 0; shift < bits; shift += 8) {
            std::uint32_t places[257] = {};
            for (std::size_t i = 0; i < size; ++i) ++places[(from[i] >> shift & 255) + 1];
            for (std::size_t digit = 0; digit < 256; ++digit) places[digit + 1] += places[digit];
            for (std::size_t i = 0; i < size; ++i) to[places[from[i] >> shift & 255]++] = from[i];
            std::swap(from, to);
        }
        if (from != keys) std::copy(from, from + size, keys);
    }

    std::size_t orders_, bits_;
    const std::int64_t *offsets_;
    std::vector<std::uint64_t> keys_;
};

// The bags of 1-grams, 2-grams, ... of each text; texts lie one after the other.
inline std::vector<Bags> ngram_bags(const std::int32_t *tokens, const std::int64_t *offsets, std::size_t texts,
                                    std::size_t orders, std::size_t vocabulary) {
    if (PackedGrams::fit(orders, vocabulary)) {
        return PackedGrams(tokens, offsets, texts, orders, vocabulary).bags(texts);
    }
    std::vector<Bags> bags(orders);
    for (Bags &each : bags) each.reserve(texts, static_cast<std::size_t>(offsets[texts] - offsets[0]));
    std::vector<Interner> interners(orders);
    std::vector<std::int32_t> ids;
    std::vector<std::uint64_t> keys;
    for (std::size_t t = 0; t < texts; ++t) {
        const std::int32_t *text = tokens + offsets[t];
        const auto size = static_cast<std::size_t>(offsets[t + 1] - offsets[t]);
        ids.assign(text, text + size);  // of the n-gram that begins at each place
        for (std::size_t n = 1; n <= orders; ++n) {
            const std::size_t grams = size >= n ? size - n + 1 : 0;
            keys.resize(grams);
            for (std::size_t i = 0; i < grams; ++i) {
                keys[i] = n == 1 ? static_cast<std::uint64_t>(ids[i]) : pair_key(ids[i], text[i + n - 1]);
            }
            if (n > 1 && n < orders) {
                for (std::size_t i = 0; i < grams; ++i) ids[i] = interners[n](keys[i]);
            }
            bags[n - 1].add(keys);
        }
    }
    return bags;
}

// The bag of pairs (i, j), i < j <= i + gap + 1, of each text; a negative gap
// has no limit. With `unigrams` all tokens but the last are in it too. Pairs are
// made by first tokens in order, so that only those of one first token need sorting.
inline Bags skip_bags(const std::int32_t *tokens, const std::int64_t *offsets, std::size_t texts, std::int64_t gap,
                      bool unigrams) {
    Bags bags;
    const auto tokens_in_all = static_cast<std::size_t>(offsets[texts] - offsets[0]);
    bags.reserve(texts, tokens_in_all * static_cast<std::size_t>(gap < 0 ? 8 : std::min<std::int64_t>(gap + 2, 64)));
    std::vector<std::uint64_t> places, keys;
    for (std::size_t t = 0; t < texts; ++t) {
        const std::int32_t *text = tokens + offsets[t];
        const auto size = static_cast<std::size_t>(offsets[t + 1] - offsets[t]);
        places.resize(size == 0 ? 0 : size - 1);  // nothing begins with the last token
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = static_cast<std::uint64_t>(text[i]) << 32 | static_cast<std::uint64_t>(i);
        }
        std::sort(places.begin(), places.end());
        for (std::size_t p = 0; p < places.size();) {
            const auto token = static_cast<std::int32_t>(places[p] >> 32);
            keys.clear();
            for (; p < places.size() && static_cast<std::int32_t>(places[p] >> 32) == token; ++p) {
                const std::size_t i = places[p] & 0xFFFFFFFFu;
                if (unigrams) keys.push_back(pair_key(token, -1));
                const std::size_t end =
                    gap < 0 ? size : std::min(size, i + static_cast<std::size_t>(gap) + 2);
                for (std::size_t j = i + 1; j < end; ++j) keys.push_back(pair_key(token, text[j]));
            }
            bags.put_all(keys);
        }
        bags.close();
    }
    return bags;
}

}  // namespace karat
