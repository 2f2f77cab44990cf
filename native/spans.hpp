// Texts in one stretch of bytes, as Python gives them: where each begins and ends.
#pragma once

#include <string_view>

#include "arrays.hpp"

namespace karat::bindings {

using Spans = Matrix<std::int64_t>;

inline void check_spans(const Spans &spans, std::size_t size) {
    if (spans.shape(1) != 2) throw nb::value_error("spans must have two columns");
    for (std::size_t i = 0; i < spans.shape(0); ++i) {
        if (spans(i, 0) < 0 || spans(i, 0) > spans(i, 1) || static_cast<std::size_t>(spans(i, 1)) > size) {
            throw nb::value_error("a span is not inside the data");
        }
    }
}

inline void check_sides(const Spans &system, std::size_t system_size, const Spans &gold, std::size_t gold_size) {
    check_spans(system, system_size);
    check_spans(gold, gold_size);
    if (system.shape(0) != gold.shape(0)) throw nb::value_error("as many gold as system items");
}

inline std::string_view text_at(std::string_view data, const Spans &spans, std::size_t i) {
    return data.substr(static_cast<std::size_t>(spans(i, 0)), static_cast<std::size_t>(spans(i, 1) - spans(i, 0)));
}

inline std::string_view view(const nb::bytes &data) { return {data.c_str(), data.size()}; }

}  // namespace karat::bindings
