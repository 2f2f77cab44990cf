// Numbers of JSON by their value: a canonical text, and exact comparison within a tolerance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace karat::records {

// A number as sign, digits without outer zeros, and exponent: 100 is 1 and 2. No digits: zero.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t exponent = 0;

    // Where exponents are too large for tolerances: only equality counts.
    bool is_extreme() const { return exponent > 10000 || exponent < -10000; }
};

namespace detail {

// Whole numbers as text with a sign: exponents may be longer than any integer type.
inline std::string plus(std::string_view number, std::int64_t more) {
    const bool negative = !number.empty() && number[0] == '-';
    std::string digits(negative ? number.substr(1) : number);
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() <= 17) {
        const std::int64_t value = digits.empty() ? 0 : std::atoll(digits.c_str());
        return std::to_string((negative ? -value : value) + more);
    }
    // Longer than `more` can be: the sign stays, and digits are added or taken away.
    const bool grows = (more < 0) == negative;
    std::string other = std::to_string(more < 0 ? -more : more);
    other.insert(0, digits.size() - other.size(), '0');
    int carry = 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
        int digit = digits[i] - '0' + (grows ? other[i] - '0' : '0' - other[i]) + carry;
        carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
        digits[i] = static_cast<char>('0' + digit - 10 * carry);
    }
    if (carry > 0) digits.insert(0, 1, '1');
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    return (negative ? "-" : "") + digits;
}

}  // namespace detail

// The canonical text of a number that follows JSON's grammar: digits, `e`, exponent.
inline std::string canonical_number(std::string_view text) {
    const bool negative = text[0] == '-';
    const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
    std::string_view mantissa = text.substr(negative, mark - negative);
    std::string_view exponent = mark < text.size() ? text.substr(mark + 1) : std::string_view("0");
    if (!exponent.empty() && exponent[0] == '+') exponent.remove_prefix(1);
    std::string digits;
    std::int64_t shift = 0;
    const std::size_t point = mantissa.find('.');
    if (point == std::string_view::npos) {
        digits = mantissa;
    } else {
        digits.append(mantissa.substr(0, point)).append(mantissa.substr(point + 1));
        shift = -static_cast<std::int64_t>(mantissa.size() - point - 1);
    }
    const std::size_t last = digits.find_last_not_of('0');
    if (last == std::string::npos) return "0e0";
    shift += static_cast<std::int64_t>(digits.size() - last - 1);
    digits.resize(last + 1);
    digits.erase(0, digits.find_first_not_of('0'));
    return (negative ? "-" : "") + digits + 'e' + detail::plus(exponent, shift);
}

inline Decimal decimal_of(std::string_view canonical) {
    Decimal result;
    result.negative = canonical[0] == '-';
    canonical.remove_prefix(result.negative);
    const std::size_t mark = canonical.find('e');
    if (canonical != "0e0") result.digits = canonical.substr(0, mark);
    const std::string exponent(canonical.substr(mark + 1));
    const std::int64_t far = std::int64_t{1} << 60;  // beyond what any tolerance reaches
    result.exponent = exponent.size() > 17 ? (exponent[0] == '-' ? -far : far) : std::atoll(exponent.c_str());
    return result;
}

namespace detail {

// Where the first digit stands, as a power of ten, counted from one.
inline std::int64_t top(const Decimal &a) { return a.exponent + static_cast<std::int64_t>(a.digits.size()); }

// -1, 0 or 1: which of two amounts without sign is larger.
inline int compare(const Decimal &a, const Decimal &b) {
    if (a.digits.empty() || b.digits.empty()) return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
    if (top(a) != top(b)) return top(a) < top(b) ? -1 : 1;
    const int order = a.digits.compare(0, std::min(a.digits.size(), b.digits.size()), b.digits, 0,
                                       std::min(a.digits.size(), b.digits.size()));
    if (order != 0) return order < 0 ? -1 : 1;
    return a.digits.size() == b.digits.size() ? 0 : a.digits.size() < b.digits.size() ? -1 : 1;
}

inline void trim(Decimal &a) {
    const std::size_t last = a.digits.find_last_not_of('0');
    if (last == std::string::npos) {
        a.digits.clear();
        return;
    }
    a.exponent += static_cast<std::int64_t>(a.digits.size() - last - 1);
    a.digits.resize(last + 1);
    a.digits.erase(0, a.digits.find_first_not_of('0'));
}

// The digits of a number at a smaller exponent, so that two can be added.
inline std::string at_exponent(const Decimal &a, std::int64_t exponent) {
    return a.digits + std::string(static_cast<std::size_t>(a.exponent - exponent), '0');
}

// The amount of a - b.
inline Decimal distance(const Decimal &a, const Decimal &b) {
    if (a.digits.empty() || b.digits.empty()) {
        Decimal other = a.digits.empty() ? b : a;
        other.negative = false;
        return other;
    }
    const std::int64_t exponent = std::min(a.exponent, b.exponent);
    std::string x = at_exponent(a, exponent), y = at_exponent(b, exponent);
    const std::size_t size = std::max(x.size(), y.size());
    x.insert(0, size - x.size(), '0');
    y.insert(0, size - y.size(), '0');
    const bool adds = a.negative != b.negative;
    if (!adds && x < y) std::swap(x, y);
    int carry = 0;
    for (std::size_t i = size; i-- > 0;) {
        const int digit = x[i] - '0' + (adds ? y[i] - '0' : '0' - y[i]) + carry;
        carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
        x[i] = static_cast<char>('0' + digit - 10 * carry);
    }
    if (carry) x.insert(0, 1, '1');
    Decimal result{false, std::move(x), exponent};
    trim(result);
    return result;
}

inline Decimal product(const Decimal &a, const Decimal &b) {
    if (a.digits.empty() || b.digits.empty()) return {};
    std::string result(a.digits.size() + b.digits.size(), '\0');
    for (std::size_t i = a.digits.size(); i-- > 0;) {
        int carry = 0;
        for (std::size_t j = b.digits.size(); j-- > 0;) {
            const int value = result[i + j + 1] + (a.digits[i] - '0') * (b.digits[j] - '0') + carry;
            result[i + j + 1] = static_cast<char>(value % 10);
            carry = value / 10;
        }
        result[i] = static_cast<char>(result[i] + carry);
    }
    for (char &digit : result) digit = static_cast<char>(digit + '0');
    Decimal found{false, std::move(result), a.exponent + b.exponent};
    trim(found);
    return found;
}

}  // namespace detail

// Whether |gold - system| <= max(abs, rel * |gold|), in exact decimal arithmetic. Numbers with
// extreme exponents are compared for equality elsewhere.
inline bool within(const Decimal &gold, const Decimal &system, const Decimal &abs, const Decimal &rel) {
    if (gold.is_extreme() || system.is_extreme()) return false;
    const Decimal apart = detail::distance(gold, system);
    return detail::compare(apart, abs) <= 0 || detail::compare(apart, detail::product(rel, gold)) <= 0;
}

}  // namespace karat::records
