#include "arrays.hpp"
#include "karat/parallel.hpp"
#include "karat/word_alignment.hpp"
#include "sequences.hpp"

namespace nb = nanobind;
using karat::bindings::Matrix;
using karat::bindings::Vector;

namespace {

using Ints = Vector<std::int32_t>;
using Offsets = Vector<std::int64_t>;

struct Checked {
    karat::Lexicon lexicon;
    const std::int32_t *tokens;
    const std::int64_t *offsets;

    karat::WordSpan text(std::size_t t) const {
        return {tokens + offsets[t], static_cast<std::size_t>(offsets[t + 1] - offsets[t])};
    }
};

Checked check(const Ints &tokens, const Offsets &offsets, const Ints &stems, const Vector<std::uint8_t> &function,
              const Ints &synsets, const Offsets &synset_offsets) {
    karat::bindings::check_offsets(offsets, tokens.shape(0));
    karat::bindings::check_offsets(synset_offsets, synsets.shape(0));
    const std::size_t words = stems.shape(0);
    if (function.shape(0) != words || synset_offsets.shape(0) != words + 1) {
        throw nb::value_error("each word has a stem, a kind and synsets");
    }
    if (karat::bindings::vocabulary_of(tokens) > words) throw nb::value_error("a token has no word");
    return {{stems.data(), function.data(), synsets.data(), synset_offsets.data()}, tokens.data(), offsets.data()};
}

// System and gold sizes, function words of both, then for each stage the matches
// of content and of function words on both sides, chunks, matches of both sides.
constexpr std::size_t figures = 4 + 4 * karat::Lexicon::stages + 3;

void count(const Checked &data, karat::WordAlignment &align, karat::WordSpan system, karat::WordSpan gold,
           double budget, double *row) {
    const karat::Lexicon &lexicon = data.lexicon;
    std::fill(row, row + figures, 0.0);
    if (!align(lexicon, system, gold, budget)) {
        row[0] = -1;
        return;
    }
    row[0] = static_cast<double>(system.size);
    row[1] = static_cast<double>(gold.size);
    for (std::size_t i = 0; i < system.size; ++i) row[2] += lexicon.function[system.data[i]];
    for (std::size_t j = 0; j < gold.size; ++j) row[3] += lexicon.function[gold.data[j]];
    for (std::size_t i = 0; i < system.size; ++i) {
        if (align.places[i] < 0) continue;
        double *stage = row + 4 + 4 * align.stage[i];
        ++stage[lexicon.function[system.data[i]] ? 2 : 0];
        ++stage[lexicon.function[gold.data[align.places[i]]] ? 3 : 1];
        ++row[figures - 2];
        ++row[figures - 1];
    }
    row[figures - 3] = static_cast<double>(align.chunks());
}

nb::ndarray<nb::numpy, double> alignment_counts(Ints tokens, Offsets offsets, Ints stems,
                                                Vector<std::uint8_t> function, Ints synsets, Offsets synset_offsets,
                                                Matrix<std::int32_t> pairs, double budget, std::size_t threads) {
    const Checked data = check(tokens, offsets, stems, function, synsets, synset_offsets);
    karat::bindings::check_pairs(pairs, offsets.shape(0) - 1);
    const std::size_t size = pairs.shape(0);
    std::vector<double> result(size * figures);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(size, threads, [&] {
            return [&, align = karat::WordAlignment()](std::size_t i) mutable {
                count(data, align, data.text(karat::bindings::first_of(pairs, i)),
                      data.text(karat::bindings::second_of(pairs, i)), budget, &result[i * figures]);
            };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {size, figures});
}

nb::ndarray<nb::numpy, std::int32_t> word_alignment(Ints tokens, Offsets offsets, Ints stems,
                                                    Vector<std::uint8_t> function, Ints synsets,
                                                    Offsets synset_offsets, double budget) {
    const Checked data = check(tokens, offsets, stems, function, synsets, synset_offsets);
    if (offsets.shape(0) != 3) throw nb::value_error("two texts can be aligned");
    karat::WordAlignment align;
    if (!align(data.lexicon, data.text(0), data.text(1), budget)) throw nb::value_error("the texts are too long");
    const std::size_t size = align.places.size();
    std::vector<std::int32_t> result(align.places);
    result.insert(result.end(), align.stage.begin(), align.stage.end());
    return karat::bindings::to_numpy(std::move(result), {2, size});
}

}  // namespace

void bind_alignment(nb::module_ &module) {
    using namespace nb::literals;
    module.def("alignment_counts", &alignment_counts, "tokens"_a, "offsets"_a, "stems"_a, "function"_a, "synsets"_a,
               "synset_offsets"_a, "pairs"_a, "budget"_a, "threads"_a = 1,
               "For pairs (system text, gold text): sizes, function words, matches by stage, chunks; a first figure of "
               "-1 where the budget does not suffice.");
    module.def("word_alignment", &word_alignment, "tokens"_a, "offsets"_a, "stems"_a, "function"_a, "synsets"_a,
               "synset_offsets"_a, "budget"_a,
               "For the words of the first text: their places in the second, or -1, and how they match.");
}
