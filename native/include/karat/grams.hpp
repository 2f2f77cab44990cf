// Bags of skip-bigrams of integer sequences, and how much two bags have in common.
// A bag is made once per text, however many pairs the text is in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace karat {

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

    // Takes some keys of the next text, in any order, all larger than those before; they are sorted
    // in place. `close` ends the text.
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
