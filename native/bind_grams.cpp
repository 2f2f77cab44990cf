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

using Numbers = Vector<std::int32_t>;

// Tokens of texts as numbers, one after the other; those of text i are offsets[i] to offsets[i + 1].
struct TokenTexts {
    const std::int32_t *tokens;
    const std::int64_t *offsets;
    std::size_t count;

    TokenTexts(const Numbers &numbers, const Bounds &bounds)
        : tokens(numbers.data()), offsets(bounds.data()), count(bounds.shape(0) - 1) {
        karat::bindings::check_offsets(bounds, numbers.shape(0));
    }

    void read(std::size_t text, karat::WordIds &words) const {
        words.assign(tokens + offsets[text], tokens + offsets[text + 1]);
    }
};

// Words by number.
struct Spelt {
    karat::Strings words;

    Spelt(const Bytes &data, const Bounds &begin, const Bounds &end, const Numbers &tokens)
        : words(karat::bindings::strings(data, begin, end)) {
        for (std::size_t i = 0; i < tokens.shape(0); ++i) {
            if (tokens(i) < 0 || static_cast<std::size_t>(tokens(i)) >= words.count) {
                throw nb::value_error("a token is no word");
            }
        }
    }

    std::string_view operator[](std::int32_t number) const { return words[static_cast<std::size_t>(number)]; }
};

// Appends the tokens of each line of a text.
void append_lines(const Spelt &spelt, const TokenTexts &lines, const Bounds &texts, std::size_t text, std::string &out) {
    out.push_back('[');
    for (auto line = texts(text); line < texts(text + 1); ++line) {
        if (line > texts(text)) out.push_back(',');
        out.push_back('[');
        for (auto i = lines.offsets[line]; i < lines.offsets[line + 1]; ++i) {
            if (i > lines.offsets[line]) out.push_back(',');
            karat::append_json(spelt[lines.tokens[i]], out);
        }
        out.push_back(']');
    }
    out.push_back(']');
}

nb::list rouge_explanations(Bytes data, Bounds begin, Bounds end, Numbers tokens, Bounds offsets, Bytes line_data,
                            Bounds line_begin, Bounds line_end, Numbers line_tokens, Bounds lines, Bounds texts,
                            Bounds bounds, std::size_t orders, std::string_view name, std::string_view head,
                            nb::list scores, nb::list others, bool matched, bool once,
                            karat::FrequentErrors *errors) {
    const Spelt spelt(data, begin, end, tokens), spelt_lines(line_data, line_begin, line_end, line_tokens);
    const TokenTexts whole(tokens, offsets), by_line(line_tokens, lines);
    karat::bindings::check_offsets(texts, by_line.count);
    const std::size_t items = scores.size();
    if (bounds.shape(0) != items + 1) throw nb::value_error("each item has its references");
    karat::bindings::check_offsets(bounds, static_cast<std::size_t>(bounds(items)));
    const auto references = static_cast<std::size_t>(bounds(items));
    if (whole.count != items + references || texts.shape(0) != whole.count + 1) {
        throw nb::value_error("there are the texts of items, then their references");
    }
    const auto own = karat::bindings::views(scores, items), more = karat::bindings::views(others, references);
    karat::GramLists grams;
    karat::GramWriter<Spelt> writer(spelt, matched, false, errors);
    std::string kind;
    std::vector<karat::WordIds> sides(2);
    return karat::bindings::list_of(items, [&](std::size_t i, std::string &out) {
        out.append(head).append(",\"scores\":").append(own[i]).append(",\"system\":");
        append_lines(spelt_lines, by_line, texts, i, out);
        out.append(",\"references\":[");
        whole.read(i, sides[0]);
        for (auto r = static_cast<std::size_t>(bounds(i)); r < static_cast<std::size_t>(bounds(i + 1)); ++r) {
            out.append(r > static_cast<std::size_t>(bounds(i)) ? ",{\"tokens\":" : "{\"tokens\":");
            append_lines(spelt_lines, by_line, texts, items + r, out);
            out.append(",\"measures\":{");
            whole.read(items + r, sides[1]);
            writer.begin(sides, 2);
            grams.begin(sides, 2, orders, once, !matched);
            for (std::size_t n = 1; n <= orders; ++n) {
                grams.next();
                kind.assign("references.measures.").append(name);
                karat::append_number(static_cast<std::int64_t>(n), kind);
                out.append(n > 1 ? ",\"" : "\"").append(kind, kind.rfind('.') + 1).append("\":");
                writer.compared(grams, kind, out);
            }
            if (orders > 0 && !more[r].empty()) out.push_back(',');
            out.append(more[r]).append("}}");
        }
        out.append("]}");
    });
}

nb::tuple word_places(Bytes data, Bounds begin, Bounds end, Bytes words, Bounds words_begin, Bounds words_end,
                      Bounds offsets) {
    const karat::Strings texts = karat::bindings::strings(data, begin, end);
    const karat::Strings all_words = karat::bindings::strings(words, words_begin, words_end);
    karat::bindings::check_offsets(offsets, all_words.count);
    if (offsets.shape(0) != texts.count + 1) throw nb::value_error("each text has its words");
    std::vector<std::int64_t> spans;
    std::vector<std::uint8_t> found;
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < texts.count; ++i) {
            const auto first = static_cast<std::size_t>(offsets(i));
            const auto count = static_cast<std::size_t>(offsets(i + 1)) - first;
            const auto word = [&](std::size_t k) { return all_words[first + k]; };
            found.push_back(karat::find_words(texts[i], count, word, spans));
            spans.resize(2 * (first + count), -1);
        }
    }
    const std::size_t all = all_words.count, count = texts.count;
    spans.resize(2 * all, -1);
    return nb::make_tuple(to_numpy(std::move(spans), {all, 2}), to_numpy(std::move(found), {count}));
}

nb::list gram_marks(Numbers tokens, Bounds offsets, Matrix<std::int64_t> spans, Vector<std::uint8_t> placed,
                    Bounds bounds, std::size_t orders, std::string_view name) {
    const TokenTexts texts(tokens, offsets);
    if (spans.shape(0) != tokens.shape(0) || spans.shape(1) != 2) throw nb::value_error("each token has a place");
    if (placed.shape(0) != texts.count) throw nb::value_error("each text is placed or not");
    if (bounds.shape(0) == 0 || bounds.shape(0) > texts.count + 1) throw nb::value_error("each item has its references");
    const std::size_t items = bounds.shape(0) - 1;
    karat::bindings::check_offsets(bounds, texts.count - items);
    karat::GramLists grams;
    karat::GramMarks gold_marks, system_marks;
    std::vector<karat::WordIds> sides(2);
    std::vector<karat::Sheet> layers(orders);
    return karat::bindings::list_of(items, [&](std::size_t i, std::string &out) {
        bool any = false;
        const bool is_only_one = bounds(i + 1) - bounds(i) == 1;
        for (karat::Sheet &layer : layers) layer.clear();
        for (auto r = bounds(i); r < bounds(i + 1); ++r) {
            const std::size_t theirs = items + static_cast<std::size_t>(r);
            if (!placed(i) || !placed(theirs)) continue;
            any = true;
            texts.read(i, sides[0]), texts.read(theirs, sides[1]);
            gold_marks.begin(sides[1].size(), spans.data() + 2 * texts.offsets[theirs], r - bounds(i), true, true);
            // Of marks for several references, those of the same words are compared.
            system_marks.begin(sides[0].size(), spans.data() + 2 * texts.offsets[i], r - bounds(i), false, is_only_one);
            grams.begin(sides, 2, orders);
            for (std::size_t n = 1; n <= orders; ++n) {
                grams.next();
                gold_marks.add(grams, 1, layers[n - 1]);
                system_marks.add(grams, 0, layers[n - 1]);
            }
        }
        for (std::size_t n = 1; any && n <= orders; ++n) {
            out.append(n > 1 ? ",\"" : "\"").append(name);
            karat::append_number(static_cast<std::int64_t>(n), out);
            layers[n - 1].end_list();
            out.append("\":[").append(layers[n - 1].text()).push_back(']');
        }
    });
}

}  // namespace

void bind_grams(nb::module_ &module) {
    using namespace nb::literals;
    module.def("rouge_explanations", &rouge_explanations, "data"_a, "begin"_a, "end"_a, "tokens"_a, "offsets"_a,
               "line_data"_a, "line_begin"_a, "line_end"_a, "line_tokens"_a, "lines"_a, "texts"_a, "bounds"_a, "orders"_a,
               "name"_a, "head"_a, "scores"_a, "others"_a, "matched"_a,
               "once"_a = false, "errors"_a = nb::none(),
               "Explanations of texts, which are followed by their references, as JSON: the head, scores, and for each "
               "reference its tokens and measures: for each order the n-grams that both have (without `matched`, those "
               "that one has more often), and those of one side alone (with `once` each counts once); then `others`. Tokens are numbers of words: as measures see texts, "
               "and line by line. `errors` as in bleu_explained.");
    module.def("word_places", &word_places, "data"_a, "begin"_a, "end"_a, "words"_a, "words_begin"_a, "words_end"_a,
               "offsets"_a,
               "Where words stand in texts of ASCII, in order and whatever their case, and for each text whether all of "
               "its words are there.");
    module.def("gram_marks", &gram_marks, "tokens"_a, "offsets"_a, "spans"_a, "placed"_a, "bounds"_a, "orders"_a,
               "name"_a,
               "For texts, which are followed by their references, given as tokens with their places, members of a JSON object: for each "
               "order the marks of the n-grams that count, in gold and then in the text; neighbours are one mark where there is "
               "one reference. Those of texts whose tokens "
               "have no places are left out.");
}
