#include <nanobind/stl/string_view.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "arrays.hpp"
#include "karat/stemmed_words.hpp"
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

std::optional<karat::Porter::Variant> variant_of(std::string_view name) {
    if (name == "none") return std::nullopt;
    if (name == "original") return karat::Porter::Variant::original;
    if (name == "martin") return karat::Porter::Variant::martin;
    if (name == "nltk") return karat::Porter::Variant::nltk;
    if (name == "1.5.5") return karat::Porter::Variant::engine_155;
    throw nb::value_error("no such stemmer");
}

nb::tuple stemmed_words(Bytes data, Bounds begin, Bounds end, std::string_view stemmer, Bytes form_data,
                        Bounds form_begin, Bounds form_end, Bytes base_data, Bounds base_begin, Bounds base_end) {
    using karat::bindings::strings;
    const karat::Strings texts = strings(data, begin, end), forms = strings(form_data, form_begin, form_end),
                         bases = strings(base_data, base_begin, base_end);
    if (forms.count != bases.count) throw nb::value_error("each form has its base");
    const auto variant = variant_of(stemmer);
    std::optional<karat::StemmedWords> words;
    {
        nb::gil_scoped_release release;
        words.emplace(texts, variant, karat::KnownForms(forms, bases));
    }
    const std::size_t tokens = words->tokens.size(), lines = words->lines.size(), ends = words->texts.size();
    return nb::make_tuple(to_numpy(std::move(words->tokens), {tokens}), to_numpy(std::move(words->lines), {lines}),
                          to_numpy(std::move(words->texts), {ends}));
}

nb::tuple word_stems(Bytes data, Bounds begin, Bounds end, std::string_view stemmer, Bytes form_data, Bounds form_begin,
                     Bounds form_end, Bytes base_data, Bounds base_begin, Bounds base_end) {
    using karat::bindings::strings;
    const karat::Strings words = strings(data, begin, end), forms = strings(form_data, form_begin, form_end),
                         bases = strings(base_data, base_begin, base_end);
    if (forms.count != bases.count) throw nb::value_error("each form has its base");
    const karat::KnownForms known(forms, bases);
    karat::Stems stems(variant_of(stemmer), known);
    std::vector<std::int32_t> numbers;
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < words.count; ++i) numbers.push_back(stems(words[i]));
    }
    const std::string &spelt = stems.vocabulary.bytes();
    const std::size_t count = numbers.size(), ends = stems.vocabulary.ends().size();
    return nb::make_tuple(to_numpy(std::move(numbers), {count}), nb::bytes(spelt.data(), spelt.size()),
                          to_numpy(std::move(stems.vocabulary.ends()), {ends}));
}

// In UTF-32, which has a number for each letter.
nb::bytes porter_stem(nb::bytes word, std::string_view stemmer) {
    const auto variant = variant_of(stemmer);
    if (word.size() % sizeof(char32_t)) throw nb::value_error("the word is not UTF-32");
    std::u32string letters(word.size() / sizeof(char32_t), U' ');
    std::memcpy(letters.data(), word.c_str(), word.size());
    if (variant) {
        karat::Porter stem(*variant);
        stem(letters);
    }
    return nb::bytes(letters.data(), letters.size() * sizeof(char32_t));
}

nb::ndarray<nb::numpy, std::int64_t> letter_counts(Bytes data, Bounds begin, Bounds end, Bytes letters) {
    const karat::Strings texts = karat::bindings::strings(data, begin, end);
    if (letters.shape(0) != 0x110000) throw nb::value_error("the table must have all characters");
    std::vector<std::int64_t> result(2 * texts.count);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < texts.count; ++i) {
            karat::count_letters(texts[i], letters.data(), result.data() + 2 * i);
        }
    }
    return to_numpy(std::move(result), {texts.count, 2});
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
    module.def("stemmed_words", &stemmed_words, "data"_a, "begin"_a, "end"_a, "stemmer"_a, "form_data"_a,
               "form_begin"_a, "form_end"_a, "base_data"_a, "base_begin"_a, "base_end"_a,
               "The ASCII words of texts as numbers of their stems: tokens, where lines end, where texts end (in "
               "lines). Forms have the given bases; those whose base is empty are left out.");
    module.def("word_stems", &word_stems, "data"_a, "begin"_a, "end"_a, "stemmer"_a, "form_data"_a, "form_begin"_a,
               "form_end"_a, "base_data"_a, "base_begin"_a, "base_end"_a,
               "The stems of lower-case ASCII words as numbers, -1 for those that are left out; the stems, one after the "
               "other, and where each ends, after a 0.");
    module.def("porter_stem", &porter_stem, "word"_a, "stemmer"_a, "The stem of a lower-case word, both in UTF-32.");
    module.def("letter_counts", &letter_counts, "data"_a, "begin"_a, "end"_a, "letters"_a,
               "For each text: its letters, and those that are not ASCII; `letters` is 1 for those that are letters.");
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
