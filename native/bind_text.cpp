#include <nanobind/stl/string_view.h>

#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "karat/text_words.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

nb::tuple text_words(Bytes data, Bounds begin, Bounds end, std::string_view tokenizer) {
    const karat::Strings strings = karat::bindings::strings(data, begin, end);
    std::optional<karat::NumberedWords> words;
    {
        nb::gil_scoped_release release;
        words.emplace(strings, tokenizer);
    }
    const std::string &vocabulary = words->vocabulary.bytes();
    const std::size_t tokens = words->tokens.size(), lines = words->lines.size(), texts = words->texts.size();
    const std::size_t ends = words->vocabulary.ends().size();
    nb::bytes spelt(vocabulary.data(), vocabulary.size());
    return nb::make_tuple(to_numpy(std::move(words->tokens), {tokens}), to_numpy(std::move(words->lines), {lines}),
                          to_numpy(std::move(words->texts), {texts}), spelt,
                          to_numpy(std::move(words->vocabulary.ends()), {ends}));
}

// One value after the other by the C library, as Python's math does: vectorised ones may
// differ in the last bit.
template <class Function>
nb::ndarray<nb::numpy, double> each(Vector<double> values, Function function) {
    std::vector<double> result(values.shape(0));
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(values(i));
    }
    const std::size_t size = result.size();
    return to_numpy(std::move(result), {size});
}

}  // namespace

void bind_text(nb::module_ &module) {
    using namespace nb::literals;
    module.def("text_words", &text_words, "data"_a, "begin"_a, "end"_a, "tokenizer"_a,
               "The words of texts in UTF-8 as numbers: tokens, where lines end, where texts end (in lines), and the "
               "words themselves, one after the other, with where each ends.");
    module.def(
        "logarithms",
        [](Vector<double> values, double of_zero) {
            return each(values, [&](double v) { return v > 0 ? std::log(v) : of_zero; });
        },
        "values"_a, "of_zero"_a, "Natural logarithms; `of_zero` for what has none.");
    module.def(
        "exponentials", [](Vector<double> values) { return each(values, [](double v) { return std::exp(v); }); },
        "values"_a, "The exponential of each value.");
}
