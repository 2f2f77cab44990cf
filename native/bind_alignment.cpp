#include "arrays.hpp"
#include "karat/meteor_look.hpp"
#include "karat/parallel.hpp"
#include "karat/word_alignment.hpp"
#include "pieces.hpp"
#include "referenced.hpp"
#include "sequences.hpp"
#include "strings.hpp"

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

using karat::bindings::Bounds;
using karat::bindings::Bytes;

// Texts with their references, as they are written and in lower case.
struct Cased {
    karat::Referenced written, lowered;
};

Cased cased(const karat::Referenced &written, const karat::Referenced &lowered) {
    if (written.systems.count != lowered.systems.count || written.references.count != lowered.references.count) {
        throw nb::value_error("each text has its lower case");
    }
    return {written, lowered};
}

karat::Synonyms checked_synonyms(const karat::Strings &words, const Ints &synsets, const Offsets &offsets) {
    karat::bindings::check_offsets(offsets, synsets.shape(0));
    karat::bindings::vocabulary_of(synsets);  // which refuses negative numbers
    if (offsets.shape(0) != words.count + 1) throw nb::value_error("each word has synsets");
    return {words, synsets.data(), offsets.data()};
}

// Calls `begin` with the words of each text, then `take` with those of each of its references, aligned, and `end`; what was
// appended is dropped where a pair takes too many steps. With `placed`, texts whose words have no places are passed over.
template <class Begin, class Take, class End>
nb::list looked_at(const Cased &texts, Bytes is_word, const karat::Strings &function, const karat::Synonyms &synonyms,
                   double budget, bool placed, Begin begin, Take take, End end) {
    if (is_word.shape(0) != 0x110000) throw nb::value_error("all characters must be known");
    karat::MeteorLook look(is_word.data(), function, synonyms);
    karat::PlacedWords system, gold;
    return karat::bindings::list_of(texts.written.systems.count, [&](std::size_t i, std::string &out) {
        const std::size_t before = out.size();
        look.read(texts.written.systems[i], texts.lowered.systems[i], system);
        bool fits = true;
        begin(look, system, i, out);
        for (std::size_t r = 0; fits && r < texts.written.count(i); ++r) {
            const std::size_t place = texts.written.first(i) + r;
            look.read(texts.written.references[place], texts.lowered.references[place], gold);
            if (placed && !(system.placed && gold.placed)) continue;
            fits = look.align(system, gold, budget);
            if (fits) take(look, system, gold, r, out);
        }
        if (fits) end(out);
        else out.resize(before);
    });
}

nb::list meteor_explained(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                          Bounds reference_end, Bounds bounds, Bytes low_data, Bounds low_begin, Bounds low_end,
                          Bytes low_reference_data, Bounds low_reference_begin, Bounds low_reference_end,
                          Bounds low_bounds, Bytes is_word, Bytes function_data, Bounds function_begin,
                          Bounds function_end, Bytes word_data, Bounds word_begin, Bounds word_end, Ints synsets,
                          Offsets synset_offsets, double budget, nb::list scores) {
    using karat::bindings::referenced;
    using karat::bindings::strings;
    const Cased texts = cased(
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds),
        referenced(strings(low_data, low_begin, low_end),
                   strings(low_reference_data, low_reference_begin, low_reference_end), low_bounds));
    const auto own = karat::bindings::views(scores, texts.written.systems.count);
    return looked_at(
        texts, is_word, strings(function_data, function_begin, function_end),
        checked_synonyms(strings(word_data, word_begin, word_end), synsets, synset_offsets), budget, false,
        [&](const karat::MeteorLook &look, const karat::PlacedWords &system, std::size_t i, std::string &out) {
            out.append("{\"scores\":").append(own[i]).append(",\"system\":");
            look.append_words(system, out);
            out.append(",\"references\":[");
        },
        [](const karat::MeteorLook &look, const karat::PlacedWords &system, const karat::PlacedWords &gold, std::size_t r,
           std::string &out) {
            out.append(r > 0 ? ",{\"tokens\":" : "{\"tokens\":");
            look.append_words(gold, out);
            out.append(",\"matched\":");
            look.append_matches(system, gold, out);
            out.push_back('}');
        },
        [](std::string &out) { out.append("]}"); });
}

nb::list meteor_marks(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                      Bounds reference_end, Bounds bounds, Bytes low_data, Bounds low_begin, Bounds low_end,
                      Bytes low_reference_data, Bounds low_reference_begin, Bounds low_reference_end, Bounds low_bounds,
                      Bytes is_word, Bytes function_data, Bounds function_begin, Bounds function_end, Bytes word_data,
                      Bounds word_begin, Bounds word_end, Ints synsets, Offsets synset_offsets, double budget) {
    using karat::bindings::referenced;
    using karat::bindings::strings;
    const Cased texts = cased(
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds),
        referenced(strings(low_data, low_begin, low_end),
                   strings(low_reference_data, low_reference_begin, low_reference_end), low_bounds));
    return looked_at(
        texts, is_word, strings(function_data, function_begin, function_end),
        checked_synonyms(strings(word_data, word_begin, word_end), synsets, synset_offsets), budget, true,
        [](const karat::MeteorLook &, const karat::PlacedWords &, std::size_t, std::string &out) {
            out.append("\"METEOR\":[");
        },
        [](const karat::MeteorLook &look, const karat::PlacedWords &system, const karat::PlacedWords &gold, std::size_t r,
           std::string &out) { look.append_marks(system, gold, static_cast<std::int64_t>(r), out); },
        [](std::string &out) { out.push_back(']'); });
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
    module.def("meteor_explained", &meteor_explained, "data"_a, "begin"_a, "end"_a, "reference_data"_a,
               "reference_begin"_a, "reference_end"_a, "bounds"_a, "low_data"_a, "low_begin"_a, "low_end"_a,
               "low_reference_data"_a, "low_reference_begin"_a, "low_reference_end"_a, "low_bounds"_a, "is_word"_a,
               "function_data"_a, "function_begin"_a, "function_end"_a, "word_data"_a, "word_begin"_a, "word_end"_a,
               "synsets"_a, "synset_offsets"_a, "budget"_a, "scores"_a,
               "Explanations of texts and their references, which are given as written and in lower case, as JSON: scores, "
               "which are JSON already, the words, and which match by form, stem or set of synonyms. `is_word` is 1 for "
               "characters of words; function words are listed, and so are words with the numbers of their synsets, in "
               "order. Empty where the budget does not suffice.");
    module.def("meteor_marks", &meteor_marks, "data"_a, "begin"_a, "end"_a, "reference_data"_a, "reference_begin"_a,
               "reference_end"_a, "bounds"_a, "low_data"_a, "low_begin"_a, "low_end"_a, "low_reference_data"_a,
               "low_reference_begin"_a, "low_reference_end"_a, "low_bounds"_a, "is_word"_a, "function_data"_a,
               "function_begin"_a, "function_end"_a, "word_data"_a, "word_begin"_a, "word_end"_a, "synsets"_a,
               "synset_offsets"_a, "budget"_a,
               "The same matches as marks, a member of a JSON object for each text, without those of texts that have more "
               "characters in lower case. Empty where the budget does not suffice.");
}
