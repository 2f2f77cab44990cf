// Checks of what Python hands over as strings in one block of bytes.
#pragma once

#include "arrays.hpp"
#include "karat/strings.hpp"

namespace karat::bindings {

using Bytes = Vector<std::uint8_t>;
using Bounds = Vector<std::int64_t>;

inline Strings strings(const Bytes &data, const Bounds &begin, const Bounds &end) {
    if (begin.shape(0) != end.shape(0)) throw nb::value_error("each string has a beginning and an end");
    const auto size = static_cast<std::int64_t>(data.shape(0));
    for (std::size_t i = 0; i < begin.shape(0); ++i) {
        if (begin(i) < 0 || end(i) < begin(i) || end(i) > size) throw nb::value_error("a string lies outside the data");
    }
    return {reinterpret_cast<const char *>(data.data()), begin.data(), end.data(), begin.shape(0)};
}

}  // namespace karat::bindings
