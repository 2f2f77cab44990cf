// Quotients and harmonic means of many numbers, with a value for 0/0: the steps from counts to scores.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace karat {

// Numbers in an array that need not be contiguous, as a column of a table.
struct Column {
    const double *first;
    std::int64_t stride;

    double operator[](std::size_t i) const { return first[static_cast<std::int64_t>(i) * stride]; }
};

// part / whole, and `empty` where the whole is 0.
inline double quotient(double part, double whole, double empty) { return whole == 0 ? empty : part / whole; }

inline void quotients(Column part, Column whole, double empty, std::size_t count, double *result) {
    for (std::size_t i = 0; i < count; ++i) result[i] = quotient(part[i], whole[i], empty);
}

// The harmonic mean of two numbers, 0 where both are 0; with `strict`, also where one alone is undefined.
inline void harmonic_means(Column first, Column second, bool strict, std::size_t count, double *result) {
    for (std::size_t i = 0; i < count; ++i) {
        const double a = first[i], b = second[i];
        const bool one = strict && std::isnan(a) != std::isnan(b);
        result[i] = one ? 0.0 : quotient(2 * a * b, a + b, 0.0);
    }
}

}  // namespace karat
