// Checks of what Python hands over as sequences: flat tokens, offsets, pairs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arrays.hpp"

namespace karat::bindings {

// The offsets of sequences that lie one after the other and end at `end`.
inline void check_offsets(const Vector<std::int64_t> &offsets, std::size_t end) {
    if (offsets.shape(0) == 0 || offsets(0) != 0) throw nb::value_error("offsets must begin with 0");
    for (std::size_t i = 1; i < offsets.shape(0); ++i) {
        if (offsets(i) < offsets(i - 1)) throw nb::value_error("offsets must not decrease");
    }
    if (static_cast<std::size_t>(offsets(offsets.shape(0) - 1)) != end) {
        throw nb::value_error("the last offset must be the number of things");
    }
}

// Pairs of numbers of texts.
inline void check_pairs(const Matrix<std::int32_t> &pairs, std::size_t texts) {
    if (pairs.shape(1) != 2) throw nb::value_error("pairs must have two columns");
    for (std::size_t i = 0; i < pairs.shape(0); ++i) {
        for (std::size_t side = 0; side < 2; ++side) {
            if (pairs(i, side) < 0 || static_cast<std::size_t>(pairs(i, side)) >= texts) {
                throw nb::value_error("a pair names a text that is not there");
            }
        }
    }
}

inline std::size_t first_of(const Matrix<std::int32_t> &pairs, std::size_t i) {
    return static_cast<std::size_t>(pairs(i, 0));
}

inline std::size_t second_of(const Matrix<std::int32_t> &pairs, std::size_t i) {
    return static_cast<std::size_t>(pairs(i, 1));
}

// One more than the largest token.
inline std::size_t vocabulary_of(const Vector<std::int32_t> &tokens) {
    std::int32_t largest = -1;
    for (std::size_t i = 0; i < tokens.shape(0); ++i) {
        if (tokens(i) < 0) throw nb::value_error("tokens must not be negative");
        largest = std::max(largest, tokens(i));
    }
    return static_cast<std::size_t>(largest) + 1;
}

}  // namespace karat::bindings
