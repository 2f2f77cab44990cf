#include "arrays.hpp"
#include "karat/grams.hpp"
#include "karat/parallel.hpp"
#include "karat/translation_edit_rate.hpp"
#include "sequences.hpp"

namespace nb = nanobind;
using karat::bindings::Matrix;
using karat::bindings::Vector;

namespace {

nb::ndarray<nb::numpy, std::int64_t> translation_edits(Vector<std::int32_t> tokens, Vector<std::int64_t> offsets,
                                                       Matrix<std::int32_t> pairs, std::size_t threads) {
    karat::bindings::check_offsets(offsets, tokens.shape(0));
    karat::bindings::check_pairs(pairs, offsets.shape(0) - 1);
    auto text = [&](std::size_t t) {
        return karat::Words{tokens.data() + offsets(t), static_cast<std::ptrdiff_t>(offsets(t + 1) - offsets(t))};
    };
    const std::size_t count = pairs.shape(0);
    std::vector<std::int64_t> result(count);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(count, threads, [&] {
            return [&, edits = karat::TranslationEdits()](std::size_t i) mutable {
                result[i] =
                    edits(text(karat::bindings::first_of(pairs, i)), text(karat::bindings::second_of(pairs, i)));
            };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {count});
}

nb::ndarray<nb::numpy, std::int64_t> clipped_ngrams(Vector<std::int32_t> tokens, Vector<std::int64_t> offsets,
                                                    Vector<std::int32_t> systems, Vector<std::int32_t> references,
                                                    Vector<std::int64_t> starts, std::size_t orders) {
    karat::bindings::check_offsets(offsets, tokens.shape(0));
    karat::bindings::check_offsets(starts, references.shape(0));
    const std::size_t texts = offsets.shape(0) - 1, items = systems.shape(0);
    if (starts.shape(0) != items + 1) throw nb::value_error("each system text has its references");
    for (const auto &side : {systems, references}) {
        if (karat::bindings::vocabulary_of(side) > texts) throw nb::value_error("a text is not there");
    }
    const std::size_t vocabulary = karat::bindings::vocabulary_of(tokens);
    std::vector<std::int64_t> result(items * orders * 2);
    {
        nb::gil_scoped_release release;
        bool one_each = references.shape(0) == items;
        for (std::size_t i = 0; one_each && i < items; ++i) one_each = starts(i) == static_cast<std::int64_t>(i);
        if (one_each && karat::PackedGrams::fit(orders, vocabulary)) {
            const karat::PackedGrams grams(tokens.data(), offsets.data(), texts, orders, vocabulary);
            for (std::size_t i = 0; i < items; ++i) {
                const auto system = static_cast<std::size_t>(systems(i));
                grams.common(system, static_cast<std::size_t>(references(i)), &result[i * orders * 2], 2);
                for (std::size_t n = 0; n < orders; ++n) result[(i * orders + n) * 2 + 1] = grams.total(system, n + 1);
            }
        } else {
            const auto bags = karat::ngram_bags(tokens.data(), offsets.data(), texts, orders, vocabulary);
            std::vector<std::int64_t> most;
            for (std::size_t i = 0; i < items; ++i) {
                const auto begin = references.data() + starts(i), end = references.data() + starts(i + 1);
                for (std::size_t n = 0; n < orders; ++n) {
                    std::int64_t *row = &result[(i * orders + n) * 2];
                    row[0] = bags[n].clipped(static_cast<std::size_t>(systems(i)), begin, end, most);
                    row[1] = bags[n].total(static_cast<std::size_t>(systems(i)));
                }
            }
        }
    }
    return karat::bindings::to_numpy(std::move(result), {items, orders, 2});
}

}  // namespace

void bind_translation(nb::module_ &module) {
    using namespace nb::literals;
    module.def("translation_edits", &translation_edits, "tokens"_a, "offsets"_a, "pairs"_a, "threads"_a = 1,
               "For pairs (system text, gold text): edits and shifts by Tercom's search with sacreBLEU's limits.");
    module.def("clipped_ngrams", &clipped_ngrams, "tokens"_a, "offsets"_a, "systems"_a, "references"_a, "starts"_a,
               "orders"_a,
               "For system texts and their references: n-grams that some reference has, each at most as often as in "
               "the reference that has most of it, and all n-grams of the system.");
}
