// Stretches that two sequences have in common, in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
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

// How far two texts have to be skipped until both go on with the same `size` symbols: their ends, unless
// that is soon.
inline std::pair<std::size_t, std::size_t> next_alike(Sequence ours, Sequence theirs, std::size_t size) {
    if (ours.size < size || theirs.size < size) return {ours.size, theirs.size};
    constexpr std::uint32_t factor = 0x9E3779B1u;
    constexpr std::size_t slots = 256;
    std::uint32_t highest = 1;  // what the symbol counts that leaves the window
    for (std::size_t k = 0; k < size; ++k) highest *= factor;
    // Calls `take` with each place and a hash of the symbols from there, until it is true.
    const auto each = [&](Sequence text, auto take) {
        const std::size_t last = std::min({text.size - size, 8 * size, slots - 2});
        std::uint32_t hash = 0;
        for (std::size_t k = 0; k < size; ++k) hash = hash * factor + text.data[k];
        for (std::size_t at = 0;; ++at) {
            if (take(at, (hash * factor) >> 24) || at == last) return;
            hash = hash * factor + text.data[at + size] - highest * text.data[at];
        }
    };
    std::uint8_t places[slots] = {};  // the first place with a hash, counted from 1
    each(theirs, [&](std::size_t at, std::uint32_t hash) {
        if (places[hash] == 0) places[hash] = static_cast<std::uint8_t>(at + 1);
        return false;
    });
    std::pair<std::size_t, std::size_t> found{ours.size, theirs.size};
    each(ours, [&](std::size_t at, std::uint32_t hash) {
        if (places[hash] == 0) return false;
        const std::uint32_t *const other = theirs.data + places[hash] - 1;
        if (!std::equal(other, other + size, ours.data + at)) return false;
        found = {at, static_cast<std::size_t>(places[hash] - 1)};
        return true;
    });
    return found;
}

// Calls `take` with stretches that both have, of at least `orders` symbols: where each begins in the one and in the other,
// and at how many places from there n-grams of all orders lie in it.
template <class Take>
void each_alike(Sequence ours, Sequence theirs, std::size_t orders, Take take) {
    for (std::size_t i = 0, j = 0; i < ours.size && j < theirs.size;) {
        const std::size_t most = std::min(ours.size - i, theirs.size - j);
        std::size_t size = 0;
        while (size < most && ours.data[i + size] == theirs.data[j + size]) ++size;
        if (size >= orders) take(i, j, size - orders + 1);
        i += size, j += size;
        const auto next = next_alike({ours.data + i, ours.size - i}, {theirs.data + j, theirs.size - j}, orders);
        i += next.first, j += next.second;
    }
}

}  // namespace karat
