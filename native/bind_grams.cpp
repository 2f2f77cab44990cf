// N-grams that texts share, for people: lists of them, and where they stand.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <vector>

#include "karat/gram_lists.hpp"
#include "karat/gram_marks.hpp"
#include "pieces.hpp"
#include "sequences.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::Matrix;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

// Tokens of texts, one after the other; those of text i are offsets[i] to offsets[i + 1].
struct TokenTexts {
    karat::Strings tokens;
    const std::int64_t *offsets;
    std::size_t count;

    TokenTexts(const Bytes &data, const Bounds &begin, const Bounds &end, const Bounds &bounds)
        : tokens(karat::bindings::strings(data, begin, end)), offsets(bounds.data()), count(bounds.shape(0) - 1) {
        karat::bindings::check_offsets(bounds, tokens.count);
    }

    void read(std::size_t text, karat::Names &names, karat::WordIds &words) const {
        words.clear();
        for (auto i = offsets[text]; i < offsets[text + 1]; ++i) words.push_back(names(tokens[static_cast<std::size_t>(i)]));
    }
};

nb::list compared_grams(Bytes data, Bounds begin, Bounds end, Bounds offsets, Matrix<std::int64_t> pairs,
                        std::size_t orders, std::string_view name) {
    const TokenTexts texts(data, begin, end, offsets);
    if (pairs.shape(1) != 2) throw nb::value_error("a pair is two texts");
    for (std::size_t i = 0; i < pairs.shape(0); ++i) {
        for (std::size_t side = 0; side < 2; ++side) {
            if (pairs(i, side) < 0 || static_cast<std::size_t>(pairs(i, side)) >= texts.count) {
                throw nb::value_error("a pair names a text that is not there");
            }
        }
    }
    karat::Names names;
    karat::GramLists grams;
    karat::GramWriter writer(names);
    std::vector<karat::WordIds> sides(2);
    return karat::bindings::list_of(pairs.shape(0), [&](std::size_t i, std::string &out) {
        names.clear();
        for (std::size_t side = 0; side < 2; ++side) {
            texts.read(static_cast<std::size_t>(pairs(i, side)), names, sides[side]);
        }
        writer.begin(sides, 2);
        grams.begin(sides, 2);
        for (std::size_t n = 1; n <= orders; ++n) {
            grams.next();
            out.append(n > 1 ? ",\"" : "\"").append(name);
            karat::append_number(static_cast<std::int64_t>(n), out);
            out.append("\":");
            writer.compared(grams, out);
        }
    });
}

nb::tuple word_places(Bytes data, Bounds begin, Bounds end, Bytes words, Bounds words_begin, Bounds words_end,
                      Bounds offsets) {
    const karat::Strings texts = karat::bindings::strings(data, begin, end);
    const TokenTexts tokens(words, words_begin, words_end, offsets);
    if (tokens.count != texts.count) throw nb::value_error("each text has its words");
    std::vector<std::int64_t> spans;
    std::vector<std::uint8_t> found;
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < texts.count; ++i) {
            const auto first = static_cast<std::size_t>(tokens.offsets[i]);
            const auto count = static_cast<std::size_t>(tokens.offsets[i + 1]) - first;
            const auto word = [&](std::size_t k) { return tokens.tokens[first + k]; };
            found.push_back(karat::find_words(texts[i], count, word, spans));
            spans.resize(2 * (first + count), -1);
        }
    }
    const std::size_t all = tokens.tokens.count, count = texts.count;
    spans.resize(2 * all, -1);
    return nb::make_tuple(to_numpy(std::move(spans), {all, 2}), to_numpy(std::move(found), {count}));
}

nb::list gram_marks(Bytes data, Bounds begin, Bounds end, Bounds offsets, Matrix<std::int64_t> spans,
                    Vector<std::uint8_t> placed, Bounds systems, Bounds golds, Bounds bounds, std::size_t orders,
                    std::string_view name) {
    const TokenTexts texts(data, begin, end, offsets);
    const std::size_t items = systems.shape(0);
    if (spans.shape(0) != texts.tokens.count || spans.shape(1) != 2) throw nb::value_error("each token has a place");
    if (placed.shape(0) != texts.count) throw nb::value_error("each text is placed or not");
    karat::bindings::check_offsets(bounds, golds.shape(0));
    if (bounds.shape(0) != items + 1) throw nb::value_error("each item has its references");
    const auto check = [&](const Bounds &numbers) {
        for (std::size_t i = 0; i < numbers.shape(0); ++i) {
            if (numbers(i) < 0 || static_cast<std::size_t>(numbers(i)) >= texts.count) {
                throw nb::value_error("an item names a text that is not there");
            }
        }
    };
    check(systems), check(golds);
    karat::Names names;
    karat::GramLists grams;
    karat::GramMarks marks;
    std::vector<karat::WordIds> sides(2);
    std::vector<std::string> layers(orders);
    return karat::bindings::list_of(items, [&](std::size_t i, std::string &out) {
        bool any = false;
        for (std::string &layer : layers) layer.clear();
        for (auto r = bounds(i); r < bounds(i + 1); ++r) {
            const auto ours = static_cast<std::size_t>(systems(i));
            const auto theirs = static_cast<std::size_t>(golds(static_cast<std::size_t>(r)));
            if (!placed(ours) || !placed(theirs)) continue;
            any = true;
            names.clear();
            texts.read(ours, names, sides[0]), texts.read(theirs, names, sides[1]);
            grams.begin(sides, 2);
            for (std::size_t n = 1; n <= orders; ++n) {
                grams.next();
                marks.add(grams, 1, sides[1].size(), n, spans.data() + 2 * texts.offsets[theirs], r - bounds(i), true,
                          layers[n - 1]);
                marks.add(grams, 0, sides[0].size(), n, spans.data() + 2 * texts.offsets[ours], r - bounds(i), false,
                          layers[n - 1]);
            }
        }
        for (std::size_t n = 1; any && n <= orders; ++n) {
            out.append(n > 1 ? ",\"" : "\"").append(name);
            karat::append_number(static_cast<std::int64_t>(n), out);
            out.append("\":[").append(layers[n - 1]);
            if (out.back() == ',') out.pop_back();
            out.push_back(']');
        }
    });
}

}  // namespace

void bind_grams(nb::module_ &module) {
    using namespace nb::literals;
    module.def("compared_grams", &compared_grams, "data"_a, "begin"_a, "end"_a, "offsets"_a, "pairs"_a, "orders"_a,
               "name"_a,
               "For pairs of texts, given as tokens, members of a JSON object: for each order the n-grams that both have, "
               "and those of one side alone.");
    module.def("word_places", &word_places, "data"_a, "begin"_a, "end"_a, "words"_a, "words_begin"_a, "words_end"_a,
               "offsets"_a,
               "Where words stand in texts of ASCII, in order and whatever their case, and for each text whether all of "
               "its words are there.");
    module.def("gram_marks", &gram_marks, "data"_a, "begin"_a, "end"_a, "offsets"_a, "spans"_a, "placed"_a, "systems"_a,
               "golds"_a, "bounds"_a, "orders"_a, "name"_a,
               "For texts and their references, given as tokens with their places, members of a JSON object: for each "
               "order the marks of the n-grams that count, in gold and then in the text. Those of texts whose tokens "
               "have no places are left out.");
}
