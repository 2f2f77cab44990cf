#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "karat/edit_distance.hpp"
#include "karat/parallel.hpp"

namespace nb = nanobind;
using karat::bindings::Vector;

namespace {

// The offsets of n sequences that lie one after the other in `tokens`.
void check_offsets(const Vector<std::int64_t> &offsets, std::size_t tokens) {
    if (offsets.shape(0) == 0 || offsets(0) != 0) throw nb::value_error("offsets must begin with 0");
    for (std::size_t i = 1; i < offsets.shape(0); ++i) {
        if (offsets(i) < offsets(i - 1)) throw nb::value_error("offsets must not decrease");
    }
    if (static_cast<std::size_t>(offsets(offsets.shape(0) - 1)) != tokens) {
        throw nb::value_error("the last offset must be the number of tokens");
    }
}

std::size_t vocabulary_of(const Vector<std::int32_t> &tokens) {
    std::int32_t largest = -1;
    for (std::size_t i = 0; i < tokens.shape(0); ++i) {
        if (tokens(i) < 0) throw nb::value_error("tokens must not be negative");
        largest = std::max(largest, tokens(i));
    }
    return static_cast<std::size_t>(largest) + 1;
}

karat::Tokens slice(const Vector<std::int32_t> &tokens, const Vector<std::int64_t> &offsets, std::size_t i) {
    return {tokens.data() + offsets(i), static_cast<std::size_t>(offsets(i + 1) - offsets(i))};
}

nb::ndarray<nb::numpy, std::int64_t> edit_distances(Vector<std::int32_t> a, Vector<std::int64_t> a_offsets,
                                                    Vector<std::int32_t> b, Vector<std::int64_t> b_offsets,
                                                    std::size_t threads) {
    check_offsets(a_offsets, a.shape(0));
    check_offsets(b_offsets, b.shape(0));
    if (a_offsets.shape(0) != b_offsets.shape(0)) throw nb::value_error("as many sequences on both sides");
    const std::size_t vocabulary = std::max(vocabulary_of(a), vocabulary_of(b));
    const std::size_t pairs = a_offsets.shape(0) - 1;
    std::vector<std::int64_t> distances(pairs);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(pairs, threads, [&] {
            return [&, distance = karat::EditDistance(vocabulary)](std::size_t i) mutable {
                distances[i] = distance(slice(a, a_offsets, i), slice(b, b_offsets, i));
            };
        });
    }
    return karat::bindings::to_numpy(std::move(distances), {pairs});
}

}  // namespace

void bind_edit_distance(nb::module_ &module) {
    using namespace nb::literals;
    module.def("edit_distances", &edit_distances, "a"_a, "a_offsets"_a, "b"_a, "b_offsets"_a, "threads"_a = 1,
               "Levenshtein distances of many pairs of token sequences, given as flat arrays and offsets.");
}
