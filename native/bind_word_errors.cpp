#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "karat/names.hpp"
#include "karat/text_words.hpp"
#include "karat/word_errors.hpp"
#include "sequences.hpp"

namespace nb = nanobind;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

void words_of(std::string_view text, bool single_blanks, karat::Names &names, std::vector<std::int32_t> &into) {
    into.clear();
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

void characters_of(std::string_view text, std::vector<std::int32_t> &into) {
    into.clear();
    for (const char *at = text.data(), *const end = at + text.size(); at < end;) {
        const std::size_t size = karat::character_size(at, end);
        std::int32_t code = 0;
        for (std::size_t i = 0; i < size && i < 4; ++i) code = (code << 8) | static_cast<unsigned char>(at[i]);
        into.push_back(code);
        at += size;
    }
}

// For each pair hits, substitutions, deletions, insertions of words, then of characters.
nb::ndarray<nb::numpy, double> word_errors(nb::bytes data, Vector<std::int64_t> offsets, bool jiwer) {
    karat::bindings::check_offsets(offsets, data.size());
    const std::size_t count = (offsets.shape(0) - 1) / 2;
    if (offsets.shape(0) != 2 * count + 1) throw nb::value_error("texts must come in pairs");
    const std::string_view all(data.c_str(), data.size());
    std::vector<double> rows;
    bool fits = true;
    {
        nb::gil_scoped_release release;
        rows.reserve(8 * count);
        karat::ErrorCounter counter;
        karat::Names names;
        std::vector<std::int32_t> gold, system;
        for (std::size_t i = 0; i < count && fits; ++i) {
            const auto text = [&](std::size_t at) {
                return all.substr(static_cast<std::size_t>(offsets(at)), static_cast<std::size_t>(offsets(at + 1) - offsets(at)));
            };
            names.clear();
            for (const bool words : {true, false}) {
                if (words) {
                    words_of(text(2 * i), jiwer, names, system);
                    words_of(text(2 * i + 1), jiwer, names, gold);
                } else {
                    characters_of(text(2 * i), system);
                    characters_of(text(2 * i + 1), gold);
                }
                const karat::Tokens g{gold.data(), gold.size()}, s{system.data(), system.size()};
                karat::WordErrors found;
                if (jiwer) fits = fits && counter.as_jiwer(g, s, found);
                else found = counter.best(g, s);
                for (const std::int64_t each : {found.hits, found.substitutions, found.deletions, found.insertions}) {
                    rows.push_back(static_cast<double>(each));
                }
            }
        }
    }
    if (!fits) throw nb::value_error("two texts are too long");
    return to_numpy(std::move(rows), {count, std::size_t{8}});
}

}  // namespace

void bind_word_errors(nb::module_ &module) {
    using namespace nb::literals;
    module.def("word_errors", &word_errors, "data"_a, "offsets"_a, "jiwer"_a,
               "Hits, substitutions, deletions and insertions of words and of characters, for pairs of system and gold.");
}
