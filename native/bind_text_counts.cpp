#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "karat/answer_words.hpp"
#include "karat/gram_lists.hpp"
#include "karat/parallel.hpp"
#include "karat/text_counts.hpp"
#include "pieces.hpp"
#include "referenced.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::Referenced;
using karat::Strings;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::referenced;
using karat::bindings::strings;
using karat::bindings::to_numpy;
using Counts = nb::ndarray<nb::numpy, std::int64_t>;

namespace {

// Each thread has a counter of its own; `row` says where the row of an item begins, in rows.
template <class MakeCounter, class Row>
Counts counted(std::size_t items, std::size_t rows, std::size_t columns, std::size_t threads, MakeCounter make,
               Row row) {
    std::vector<std::int64_t> result(rows * columns);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(items, threads, [&] {
            return [&, counter = make()](std::size_t i) mutable { counter(i, result.data() + row(i) * columns); };
        });
    }
    return to_numpy(std::move(result), {rows, columns});
}

template <class MakeCounter>
Counts counted(std::size_t items, std::size_t columns, std::size_t threads, MakeCounter make) {
    return counted(items, items, columns, threads, make, [](std::size_t i) { return i; });
}

karat::Tokenizing tokenizing(std::string_view name) {
    if (name == "none") return karat::Tokenizing::white_space;
    if (name == "13a") return karat::Tokenizing::mteval_13a;
    if (name == "char") return karat::Tokenizing::characters;
    if (name == "intl") return karat::Tokenizing::intl;
    if (name == "marks") return karat::Tokenizing::marks;
    throw nb::value_error("no such tokenizer");
}

const std::uint8_t *table_for(karat::Tokenizing how, const std::optional<Bytes> &kinds) {
    if (how == karat::Tokenizing::intl && (!kinds || kinds->shape(0) != 0x110000)) {
        throw nb::value_error("intl needs the kinds of all characters");
    }
    return kinds ? kinds->data() : nullptr;
}

nb::list tokenized(Bytes data, Bounds begin, Bounds end, std::string_view tokenizer, std::optional<Bytes> kinds) {
    const Strings texts = strings(data, begin, end);
    const karat::Tokenizing how = tokenizing(tokenizer);
    karat::WordNumbers words(how, table_for(how, kinds));
    nb::list result;
    for (std::size_t i = 0; i < texts.count; ++i) {
        nb::list found;
        words.each(texts[i], [&](std::string_view word) { found.append(nb::bytes(word.data(), word.size())); });
        result.append(found);
    }
    return result;
}

// UTF-8 of a word, which intl gives as code points of 32 bits.
std::string_view as_utf8(std::string_view word, karat::Tokenizing how, std::string &scratch) {
    if (how != karat::Tokenizing::intl) return word;
    scratch.clear();
    for (std::size_t i = 0; i + 4 <= word.size(); i += 4) {
        std::uint32_t code;
        std::memcpy(&code, word.data() + i, 4);
        karat::append_character(code, scratch);
    }
    return scratch;
}

// The words of a text and of its references, as numbers and as JSON writes them.
class ReadWords {
  public:
    ReadWords(std::string_view tokenizer, const std::optional<Bytes> &kinds, bool matched, karat::FrequentErrors *errors)
        : how_(tokenizing(tokenizer)), words_(how_, table_for(how_, kinds)), writer(names_, matched, false, errors) {}

    void read(const Referenced &texts, std::size_t i) {
        count = 1 + texts.count(i);
        if (sides.size() < count) sides.resize(count);
        names_.clear();
        for (std::size_t t = 0; t < count; ++t) {
            sides[t].clear();
            words_.each(t == 0 ? texts.systems[i] : texts.references[texts.first(i) + t - 1],
                        [&](std::string_view word) { sides[t].push_back(names_(as_utf8(word, how_, scratch_))); });
        }
        writer.begin(sides, count);
    }

    void append_tokens(std::string &out) {
        out.append("{\"system\":");
        for (std::size_t t = 0; t < count; ++t) {
            writer.words(t, out);
            out.append(t == 0 ? ",\"references\":[" : t + 1 < count ? "," : "");
        }
        out.append("]}");
    }

  private:
    karat::Tokenizing how_;
    karat::WordNumbers words_;
    karat::Names names_;
    std::string scratch_;

  public:
    karat::GramWriter<> writer;
    std::vector<karat::WordIds> sides;
    std::size_t count = 0;
};

// Appends the n-grams of each order, as members of an object, which is called `kind` where errors are counted. Where
// there is one reference that is too short for an order, `counts_short` says whether the n-grams of the text count.
template <class Spelt>
void append_grams(const std::vector<karat::WordIds> &sides, std::size_t count, std::size_t orders, std::string kind,
                  bool counts_short, karat::GramLists &grams, karat::GramWriter<Spelt> &writer, std::string &out) {
    grams.begin(sides, count, orders, false, !writer.lists_equal());
    kind.push_back('.');
    const std::size_t size = kind.size();
    out.push_back('{');
    for (std::size_t n = 1; n <= orders; ++n) {
        kind.resize(size);
        karat::append_number(static_cast<std::int64_t>(n), kind);
        out.append(n > 1 ? ",\"" : "\"").append(kind, size).append("\":");
        if (!counts_short && sides[1].size() < n) {
            writer.counted({}, kind, out);
            continue;
        }
        grams.next();
        writer.counted(grams, kind, out);
    }
    out.push_back('}');
}

nb::list bleu_explained(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                        Bounds reference_end, Bounds bounds, std::string_view tokenizer, std::size_t orders,
                        std::optional<Bytes> kinds, nb::list scores, nb::list penalties, bool matched,
                        karat::FrequentErrors *errors) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    const auto own_scores = karat::bindings::views(scores, texts.systems.count);
    const auto own_penalties = karat::bindings::views(penalties, texts.systems.count);
    ReadWords words(tokenizer, kinds, matched, errors);
    karat::GramLists grams;
    return karat::bindings::list_of(texts.systems.count, [&](std::size_t i, std::string &out) {
        words.read(texts, i);
        out.append("{\"scores\":").append(own_scores[i]).append(",\"lengths\":");
        karat::append_lengths(words.sides, words.count, out);
        out.append(",\"brevity_penalty\":").append(own_penalties[i]).append(",\"tokens\":");
        words.append_tokens(out);
        out.append(",\"ngrams\":");
        append_grams(words.sides, words.count, orders, "ngrams", true, grams, words.writer, out);
        out.push_back('}');
    });
}

nb::list gleu_explained(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                        Bounds reference_end, Bounds bounds, std::string_view tokenizer, std::size_t orders,
                        std::optional<Bytes> kinds, nb::list scores, Bounds chosen, bool matched,
                        karat::FrequentErrors *errors) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    const auto own_scores = karat::bindings::views(scores, texts.systems.count);
    if (chosen.shape(0) != texts.systems.count) throw nb::value_error("each text has a reference that counts");
    for (std::size_t i = 0; i < texts.systems.count; ++i) {
        if (chosen(i) < 0 || chosen(i) >= static_cast<std::int64_t>(texts.count(i))) {
            throw nb::value_error("a reference that counts is not there");
        }
    }
    ReadWords words(tokenizer, kinds, matched, errors);
    karat::GramLists grams;
    return karat::bindings::list_of(texts.systems.count, [&](std::size_t i, std::string &out) {
        words.read(texts, i);
        out.append("{\"scores\":").append(own_scores[i]).append(",\"reference\":");
        karat::append_number(chosen(i), out);
        out.append(",\"tokens\":");
        words.append_tokens(out);
        out.append(",\"ngrams\":");
        // The one that counts stands first from here on.
        const auto best = static_cast<std::size_t>(chosen(i)) + 1;
        std::swap(words.sides[1], words.sides[best]);
        words.writer.begin(words.sides, 2);
        append_grams(words.sides, 2, orders, "ngrams", true, grams, words.writer, out);
        out.push_back('}');
    });
}

nb::list chrf_explained(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end,
                        std::size_t characters, std::size_t words, bool with_spaces, nb::list heads, bool matched,
                        karat::FrequentErrors *errors) {
    const karat::Strings systems = strings(data, begin, end), golds = strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("each text has one reference");
    const auto own = karat::bindings::views(heads, systems.count);
    karat::WordNumbers tokens(karat::Tokenizing::marks);
    karat::Names names;
    const karat::CodePoints codes;
    karat::GramLists grams;
    karat::GramWriter of_characters(codes, matched, true, errors);
    karat::GramWriter of_words(names, matched, false, errors);
    std::vector<karat::WordIds> sides(2);
    return karat::bindings::list_of(systems.count, [&](std::size_t i, std::string &out) {
        const std::string_view texts[] = {systems[i], golds[i]};
        for (std::size_t side = 0; side < 2; ++side) {
            sides[side].clear();
            karat::characters(texts[side], with_spaces, sides[side]);
        }
        out.append(own[i]).append(",\"characters\":");
        of_characters.begin(sides, 2);
        append_grams(sides, 2, characters, "characters", false, grams, of_characters, out);
        if (words > 0) {
            names.clear();
            for (std::size_t side = 0; side < 2; ++side) {
                sides[side].clear();
                tokens.each(texts[side], [&](std::string_view word) { sides[side].push_back(names(word)); });
            }
            out.append(",\"words\":");
            of_words.begin(sides, 2);
            append_grams(sides, 2, words, "words", false, grams, of_words, out);
        }
        out.push_back('}');
    });
}

Counts bleu_counts(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                   Bounds reference_end, Bounds bounds, std::string_view tokenizer, std::size_t orders,
                   std::optional<Bytes> kinds, std::size_t threads) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    const karat::Tokenizing how = tokenizing(tokenizer);
    const std::uint8_t *table = table_for(how, kinds);
    return counted(texts.systems.count, 2 + 2 * orders, threads,
                   [&] { return karat::BleuCounts(texts, how, table, orders); });
}

Counts chrf_counts(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                   Bounds reference_end, Bounds bounds, std::size_t characters, std::size_t words, bool with_spaces,
                   std::size_t threads) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    return counted(
        texts.systems.count, texts.references.count, 3 * (characters + words), threads,
        [&] { return karat::ChrfCounts(texts, characters, words, with_spaces); },
        [&](std::size_t i) { return texts.first(i); });
}

Counts ter_counts(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                  Bounds reference_end, Bounds bounds, std::int64_t most_cells, std::size_t threads) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    return counted(texts.systems.count, karat::TerCounts::columns, threads,
                   [&] { return karat::TerCounts(texts, most_cells); });
}

Counts answer_counts(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                     Bounds reference_end, Bounds bounds, Bytes word_characters, std::size_t threads) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    if (word_characters.shape(0) != 0x110000) throw nb::value_error("all characters must be known");
    const std::uint8_t *table = word_characters.data();
    return counted(
        texts.systems.count, texts.references.count, karat::AnswerCounts::columns, threads,
        [&] { return karat::AnswerCounts(texts, table); }, [&](std::size_t i) { return texts.first(i); });
}

nb::list answers_explained(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                           Bounds reference_end, Bounds bounds, Bytes word_characters, nb::list scores, nb::list figures) {
    const auto texts =
        referenced(strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    if (word_characters.shape(0) != 0x110000) throw nb::value_error("all characters must be known");
    const auto own = karat::bindings::views(scores, texts.systems.count);
    const auto of_references = karat::bindings::views(figures, texts.references.count);
    karat::AnswerWords words(word_characters.data());
    karat::Names names;
    karat::GramLists grams;
    karat::GramWriter writer(names);
    std::vector<karat::WordIds> sides(2);
    std::string text;
    // Reads a side, and appends its words with single blanks between.
    const auto read = [&](std::string_view answer, karat::WordIds &side, std::string &out) {
        side.clear(), text.clear();
        words(answer, [&](std::string_view word) {
            side.push_back(names(word));
            if (side.size() > 1) text.push_back(' ');
            text.append(word);
        });
        karat::append_json(text, out);
    };
    return karat::bindings::list_of(texts.systems.count, [&](std::size_t i, std::string &out) {
        names.clear();
        out.append("{\"scores\":").append(own[i]).append(",\"answer\":");
        read(texts.systems[i], sides[0], out);
        out.append(",\"accepted\":[");
        for (std::size_t r = texts.first(i); r < texts.first(i) + texts.count(i); ++r) {
            out.append(r > texts.first(i) ? ",{\"answer\":" : "{\"answer\":");
            read(texts.references[r], sides[1], out);
            out.append(",").append(of_references[r]).append(",\"words\":");
            writer.begin(sides, 2);
            grams.begin(sides, 2, 1);
            grams.next();
            writer.counted(grams, {}, out);
            out.push_back('}');
        }
        out.append("]}");
    });
}

Counts edit_counts(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end,
                   bool characters, std::size_t threads) {
    const Strings systems = strings(data, begin, end), golds = strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("as many texts on both sides");
    return counted(systems.count, karat::EditCounts::columns, threads,
                   [&] { return karat::EditCounts(systems, golds, characters); });
}

Counts same_words(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end) {
    const Strings systems = strings(data, begin, end), golds = strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("as many texts on both sides");
    return counted(systems.count, 1, 1, [&] {
        return [&](std::size_t i, std::int64_t *row) { row[0] = karat::same_words(systems[i], golds[i]); };
    });
}

}  // namespace

void bind_text_counts(nb::module_ &module) {
    using namespace nb::literals;
    module.def("bleu_counts", &bleu_counts, "data"_a, "begin"_a, "end"_a, "reference_data"_a, "reference_begin"_a,
               "reference_end"_a, "bounds"_a, "tokenizer"_a, "orders"_a, "kinds"_a = nb::none(), "threads"_a = 1,
               "For texts and their references (those of text i are bounds[i] to bounds[i + 1]): words of the text, "
               "words of the closest reference, clipped n-grams of each order, n-grams of each order. `kinds` says "
               "for each character whether it is a number (1), punctuation (2) or a symbol (3).");
    module.def("bleu_explained", &bleu_explained, "data"_a, "begin"_a, "end"_a, "reference_data"_a,
               "reference_begin"_a, "reference_end"_a, "bounds"_a, "tokenizer"_a, "orders"_a, "kinds"_a.none(), "scores"_a,
               "penalties"_a, "matched"_a, "errors"_a = nb::none(),
               "Explanations of texts and their references, as JSON: scores and brevity penalties, which are JSON "
               "already, how long the texts are, their tokens, and for each order the n-grams that match (where "
               "`matched`), are missing and surplus. `kinds` as in bleu_counts. The latter are counted among `errors`, as "
               "FrequentErrors.add does with explanations.");
    module.def("gleu_explained", &gleu_explained, "data"_a, "begin"_a, "end"_a, "reference_data"_a,
               "reference_begin"_a, "reference_end"_a, "bounds"_a, "tokenizer"_a, "orders"_a, "kinds"_a.none(), "scores"_a,
               "chosen"_a, "matched"_a, "errors"_a = nb::none(),
               "Explanations of texts and their references, as JSON: scores, which are JSON already, the number of the "
               "reference that counts, all tokens, and for each order the n-grams that match it (where `matched`), are missing "
               "and surplus. `kinds` and `errors` as in bleu_explained.");
    module.def("tokenized", &tokenized, "data"_a, "begin"_a, "end"_a, "tokenizer"_a, "kinds"_a = nb::none(),
               "The words of each text, as the kernels of counts cut it, in UTF-8 (those of intl as code points of 32 "
               "bits); `kinds` as in bleu_counts.");
    module.def("chrf_counts", &chrf_counts, "data"_a, "begin"_a, "end"_a, "reference_data"_a, "reference_begin"_a,
               "reference_end"_a, "bounds"_a, "characters"_a, "words"_a, "with_spaces"_a, "threads"_a = 1,
               "For each reference and order, of characters and then of words: n-grams of the text, of the reference, "
               "and of both.");
    module.def("chrf_explained", &chrf_explained, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a,
               "gold_end"_a, "characters"_a, "words"_a, "with_spaces"_a, "heads"_a, "matched"_a,
               "errors"_a = nb::none(),
               "For texts with one reference each a JSON object, whose first members are given: by kind and order the "
               "n-grams that match (where `matched`), are missing and surplus. `errors` as in bleu_explained.");
    module.def("ter_counts", &ter_counts, "data"_a, "begin"_a, "end"_a, "reference_data"_a, "reference_begin"_a,
               "reference_end"_a, "bounds"_a, "most_cells"_a, "threads"_a = 1,
               "For each text: edits to the closest reference, words of all references, and the most pairs of words "
               "that it makes with one of them; there are no edits where these are more than `most_cells`.");
    module.def("answer_counts", &answer_counts, "data"_a, "begin"_a, "end"_a, "reference_data"_a, "reference_begin"_a,
               "reference_end"_a, "bounds"_a, "word_characters"_a, "threads"_a = 1,
               "For each reference of lower-cased answers: words of the answer, of the reference and of both, without "
               "punctuation and articles, and whether all words are the same. `word_characters` is 1 for letters and "
               "digits.");
    module.def("answers_explained", &answers_explained, "data"_a, "begin"_a, "end"_a, "reference_data"_a,
               "reference_begin"_a, "reference_end"_a, "bounds"_a, "word_characters"_a, "scores"_a, "figures"_a,
               "Explanations of lower-cased answers as JSON: scores, which are JSON already, the words of the answer, and "
               "for each reference its words, figures and the words that match, are missing and surplus. "
               "`word_characters` as in answer_counts.");
    module.def("edit_counts", &edit_counts, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a, "gold_end"_a,
               "characters"_a, "threads"_a = 1,
               "For each pair of texts: their edit distance in words or characters (-1 where they are too long), and the "
               "sizes of both.");
    module.def("same_words", &same_words, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a, "gold_end"_a,
               "For each pair of texts, whether they have the same words.");
}
