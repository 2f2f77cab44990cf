#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "karat/names.hpp"
#include "karat/text_words.hpp"
#include "karat/word_errors.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::to_numpy;

namespace {

void words_of(std::string_view text, bool single_blanks, karat::Names &names, std::vector<std::int32_t> &into) {
    if (!single_blanks) {
        karat::split_at_spaces(text, [&](std::string_view word) { into.push_back(names(word)); });
        return;
    }
    // White space at the ends is gone, and runs of it are one blank: only blanks separate words.
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) into.push_back(names(text.substr(at, end - at)));
        at = end + 1;
    }
}

std::string_view stripped(std::string_view text) {
    while (const std::size_t size = text.empty() ? 0 : karat::space_at(text.data(), text.data() + text.size())) {
        text.remove_prefix(size);
    }
    return karat::without_spaces_at_end(text);
}

// For each pair hits, substitutions, deletions, insertions of words, then of characters.
nb::ndarray<nb::numpy, double> word_errors(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin,
                                           Bounds gold_end, bool jiwer) {
    const karat::Strings systems = karat::bindings::strings(data, begin, end);
    const karat::Strings golds = karat::bindings::strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("both sides need equally many texts");
    std::vector<double> rows;
    bool fits = true;
    {
        nb::gil_scoped_release release;
        rows.reserve(8 * systems.count);
        karat::ErrorCounter counter;
        karat::Names names;
        std::vector<std::int32_t> ours, theirs;
        for (std::size_t i = 0; i < systems.count && fits; ++i) {
            const std::string_view system = stripped(systems[i]), gold = stripped(golds[i]);
            names.clear();
            for (const bool words : {true, false}) {
                ours.clear(), theirs.clear();
                if (words) {
                    words_of(system, jiwer, names, theirs);
                    words_of(gold, jiwer, names, ours);
                } else {
                    karat::characters(system, true, theirs);
                    karat::characters(gold, true, ours);
                }
                const karat::Tokens g{ours.data(), ours.size()}, s{theirs.data(), theirs.size()};
                karat::WordErrors found;
                fits = fits && (jiwer ? counter.as_jiwer(g, s, found) : counter.best(g, s, found));
                for (const std::int64_t each : {found.hits, found.substitutions, found.deletions, found.insertions}) {
                    rows.push_back(static_cast<double>(each));
                }
            }
        }
    }
    if (!fits) throw nb::value_error("two texts are too long");
    return to_numpy(std::move(rows), {systems.count, std::size_t{8}});
}

// The edits from the last to the first.
nb::bytes traced_edits(karat::bindings::Vector<std::int32_t> gold, karat::bindings::Vector<std::int32_t> system,
                       bool jiwer) {
    std::string edits;
    {
        nb::gil_scoped_release release;
        std::vector<std::int64_t> table;
        karat::trace_edits({gold.data(), gold.shape(0)}, {system.data(), system.shape(0)}, jiwer, table, edits);
    }
    return nb::bytes(edits.data(), edits.size());
}

}  // namespace

void bind_word_errors(nb::module_ &module) {
    using namespace nb::literals;
    module.def("traced_edits", &traced_edits, "gold"_a, "system"_a, "jiwer"_a,
               "The edits that make a system's tokens of gold's, from the last to the first, as letters: hit, "
               "substitution, deletion, insertion. They take the product of both lengths in memory.");
    module.def("word_errors", &word_errors, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a, "gold_end"_a,
               "jiwer"_a,
               "Hits, substitutions, deletions and insertions of words and of characters, for pairs of system and gold.");
}
