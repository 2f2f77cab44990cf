#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/text_words.hpp"
#include "karat/word_errors.hpp"
#include "pieces.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::to_numpy;

namespace {

template <class Take>
void split_words(std::string_view text, bool single_blanks, Take take) {
    if (!single_blanks) return karat::split_at_spaces(text, take);
    // White space at the ends is gone, and runs of it are one blank: only blanks separate words.
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) take(text.substr(at, end - at));
        at = end + 1;
    }
}

void words_of(std::string_view text, bool single_blanks, karat::Names &names, std::vector<std::int32_t> &into) {
    split_words(text, single_blanks, [&](std::string_view word) { into.push_back(names(word)); });
}

std::string_view stripped(std::string_view text) {
    while (const std::size_t size = text.empty() ? 0 : karat::space_at(text.data(), text.data() + text.size())) {
        text.remove_prefix(size);
    }
    return karat::without_spaces_at_end(text);
}

// For each pair hits, substitutions, deletions, insertions of words, then of characters; zeros for those that nobody
// asks for.
nb::ndarray<nb::numpy, double> word_errors(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin,
                                           Bounds gold_end, bool jiwer, bool of_words, bool of_characters) {
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
                if (!(words ? of_words : of_characters)) {
                    rows.insert(rows.end(), 4, 0.0);
                    continue;
                }
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
        std::vector<std::int32_t> reversed;
        karat::trace_edits({gold.data(), gold.shape(0)}, {system.data(), system.shape(0)}, jiwer, table, reversed, edits);
    }
    return nb::bytes(edits.data(), edits.size());
}

// The tokens of a text, as numbers and as they are written.
struct Written {
    std::vector<std::int32_t> tokens;
    std::vector<std::string_view> parts;

    void read_words(std::string_view text, bool single_blanks, karat::Names &names) {
        tokens.clear(), parts.clear();
        split_words(stripped(text), single_blanks, [&](std::string_view word) {
            tokens.push_back(names(word));
            parts.push_back(word);
        });
    }

    void read_characters(std::string_view text) {
        tokens.clear(), parts.clear();
        text = stripped(text);
        const char *at = text.data(), *const end = at + text.size();
        karat::decode(text, [&](std::uint32_t c) {
            const std::ptrdiff_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            tokens.push_back(static_cast<std::int32_t>(c));
            parts.emplace_back(at, static_cast<std::size_t>(std::min(size, end - at)));
            at += parts.back().size();
        });
    }

    karat::Tokens all() const { return {tokens.data(), tokens.size()}; }
    std::size_t size() const { return tokens.size(); }

    // Some tokens that follow each other.
    std::string_view text(std::size_t first, std::size_t count) const {
        if (count == 0) return {};
        const std::string_view last = parts[first + count - 1];
        return {parts[first].data(), static_cast<std::size_t>(last.data() + last.size() - parts[first].data())};
    }
};

constexpr std::string_view edit_letters = "hsdi";
constexpr std::string_view edit_names[] = {"hit", "substitution", "deletion", "insertion"};
constexpr std::string_view count_names[] = {"hits", "substitutions", "deletions", "insertions"};

// Appends how many edits of each kind there are, and the tokens of each; neighbours with the same edit are one step of
// characters, while those of words are separate.
void append_alignment(const std::string &edits, const Written &gold, const Written &system, bool characters,
                      std::string &out) {
    for (std::size_t kind = 0; kind < edit_letters.size(); ++kind) {
        out.append(kind > 0 ? ",\"" : "{\"").append(count_names[kind]).append("\":");
        karat::append_number(std::count(edits.begin(), edits.end(), edit_letters[kind]), out);
    }
    out.append(",\"alignment\":[");
    const auto append_side = [&](std::string_view name, std::string_view text, bool any) {
        out.append(name);
        if (!characters) out.push_back('[');
        if (characters || any) karat::append_json(text, out);
        if (!characters) out.push_back(']');
    };
    for (std::size_t first = 0, i = 0, j = 0; first < edits.size();) {
        const char edit = edits[first];
        std::size_t count = 1;
        while (characters && first + count < edits.size() && edits[first + count] == edit) ++count;
        const std::size_t theirs = edit == 'i' ? 0 : count, ours = edit == 'd' ? 0 : count;
        out.append(first > 0 ? ",{\"edit\":\"" : "{\"edit\":\"").append(edit_names[edit_letters.find(edit)]);
        append_side("\",\"gold\":", gold.text(i, theirs), theirs > 0);
        append_side(",\"system\":", system.text(j, ours), ours > 0);
        out.push_back('}');
        first += count, i += theirs, j += ours;
    }
    out.append("]}");
}

nb::list told_alignments(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end,
                         bool characters, bool jiwer, std::size_t most_cells) {
    const karat::Strings systems = karat::bindings::strings(data, begin, end);
    const karat::Strings golds = karat::bindings::strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("both sides need equally many texts");
    karat::EditTracer trace;
    karat::Names names;
    Written ours, theirs;
    std::string edits;
    return karat::bindings::list_of(systems.count, [&](std::size_t i, std::string &out) {
        if (characters) {
            ours.read_characters(systems[i]), theirs.read_characters(golds[i]);
        } else {
            names.clear();
            ours.read_words(systems[i], jiwer, names), theirs.read_words(golds[i], jiwer, names);
        }
        if (trace(theirs.all(), ours.all(), jiwer, most_cells, edits)) {
            append_alignment(edits, theirs, ours, characters, out);
        }
    });
}

// Where the words of a text begin and end, in units of UTF-16.
struct WordPlaces {
    std::vector<std::int64_t> begin, end;
    std::int64_t size = 0;

    void read(std::string_view text) {
        begin.clear(), end.clear(), size = 0;
        const char *at = text.data();
        karat::split_at_spaces(text, [&](std::string_view word) {
            begin.push_back(size += units(at, word.data()));
            at = word.data() + word.size();
            end.push_back(size += units(word.data(), at));
        });
        size += units(at, text.data() + text.size());
    }

    // The next words; where there are none, the place before the next one.
    void append(std::size_t first, std::size_t count, std::string &out) const {
        const std::int64_t here = first < begin.size() ? begin[first] : size;
        karat::append_number(here, out);
        out.push_back(',');
        karat::append_number(count > 0 ? end[first + count - 1] : here, out);
    }

  private:
    static std::int64_t units(const char *at, const char *to) {
        std::int64_t count = 0;
        for (; at < to; ++at) {
            const auto byte = static_cast<unsigned char>(*at);
            count += ((byte & 0xC0) != 0x80) + (byte >= 0xF0);
        }
        return count;
    }
};

nb::list word_error_marks(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end,
                          Bytes word_data, Bounds word_begin, Bounds word_end, Bytes gold_word_data,
                          Bounds gold_word_begin, Bounds gold_word_end, nb::list kinds, bool jiwer,
                          std::size_t most_cells) {
    using karat::bindings::strings;
    const karat::Strings systems = strings(data, begin, end), golds = strings(gold_data, gold_begin, gold_end),
                         system_words = strings(word_data, word_begin, word_end),
                         gold_words = strings(gold_word_data, gold_word_begin, gold_word_end);
    for (const karat::Strings &each : {golds, system_words, gold_words}) {
        if (systems.count != each.count) throw nb::value_error("both sides need equally many texts");
    }
    std::vector<std::int64_t> numbers;
    for (const nb::handle each : kinds) numbers.push_back(nb::cast<std::int64_t>(each));
    if (numbers.size() != edit_letters.size()) throw nb::value_error("each edit has a kind of mark");
    karat::EditTracer trace;
    karat::Names names;
    Written ours, theirs;
    WordPlaces our_places, their_places;
    std::string edits;
    return karat::bindings::list_of(systems.count, [&](std::size_t text, std::string &out) {
        names.clear();
        ours.read_words(system_words[text], jiwer, names), theirs.read_words(gold_words[text], jiwer, names);
        our_places.read(systems[text]), their_places.read(golds[text]);
        if (ours.size() != our_places.begin.size() || theirs.size() != their_places.begin.size()) return;
        if (!trace(theirs.all(), ours.all(), jiwer, most_cells, edits)) return;
        std::size_t i = 0, j = 0;
        bool any = false;
        for (const char edit : edits) {
            const std::size_t gold = edit != 'i', system = edit != 'd';
            if (edit != 'h') {
                out.append(any ? "," : "\"word errors\":[");
                any = true;
                karat::append_number(numbers[edit_letters.find(edit)], out);
                out.append(",0,");
                their_places.append(i, gold, out);
                out.push_back(',');
                our_places.append(j, system, out);
            }
            i += gold, j += system;
        }
        if (any) out.push_back(']');
    });
}

}  // namespace

void bind_word_errors(nb::module_ &module) {
    using namespace nb::literals;
    module.def("traced_edits", &traced_edits, "gold"_a, "system"_a, "jiwer"_a,
               "The edits that make a system's tokens of gold's, from the last to the first, as letters: hit, "
               "substitution, deletion, insertion. They take the product of both lengths in memory.");
    module.def("told_alignments", &told_alignments, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a,
               "gold_end"_a, "characters"_a, "jiwer"_a, "most_cells"_a,
               "For pairs of system and gold, as JSON, how many edits of words or characters of each kind there are, and "
               "the tokens of each edit; empty where a table would have too many cells.");
    module.def("word_error_marks", &word_error_marks, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a,
               "gold_end"_a, "word_data"_a, "word_begin"_a, "word_end"_a, "gold_word_data"_a, "gold_word_begin"_a,
               "gold_word_end"_a, "kinds"_a, "jiwer"_a, "most_cells"_a,
               "For pairs of system and gold, as they are written and as their words are compared, a member of a JSON "
               "object: the marks of the edits of words, whose kinds are those of hits, substitutions, deletions and "
               "insertions. Empty where there is no edit, where a table would have too many cells, or where the words are not "
               "those that white space separates.");
    module.def("word_errors", &word_errors, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a, "gold_end"_a,
               "jiwer"_a, "of_words"_a = true, "of_characters"_a = true,
               "Hits, substitutions, deletions and insertions of words and of characters, for pairs of system and gold; "
               "zeros in place of those that are not asked for.");
}
