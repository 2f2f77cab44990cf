#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "karat/records/spans.hpp"
#include "sequences.hpp"

namespace nb = nanobind;
using karat::bindings::Matrix;
using karat::bindings::to_numpy;
using karat::bindings::Vector;
using namespace karat::records;

namespace {

// Sentences with a tag on each line: label, begin, end of all spans, where those of each sentence
// end, the labels, and sentence and position of the first tag that the scheme does not have.
nb::tuple tag_spans(nb::bytes data, Vector<std::int64_t> offsets, int scheme) {
    karat::bindings::check_offsets(offsets, data.size());
    if (scheme < 0 || scheme > 4) throw nb::value_error("there is no such scheme");
    const std::string_view all(data.c_str(), data.size());
    std::vector<std::int64_t> flat, ends{0};
    std::int64_t bad_sentence = -1, bad_position = -1;
    karat::Names labels;
    {
        nb::gil_scoped_release release;
        TagReader reader(static_cast<Tags>(scheme), labels);
        std::vector<Span> spans;
        std::vector<std::string_view> tags;
        for (std::size_t i = 0; i + 1 < offsets.shape(0); ++i) {
            std::string_view text = all.substr(static_cast<std::size_t>(offsets(i)),
                                               static_cast<std::size_t>(offsets(i + 1) - offsets(i)));
            tags.clear();
            while (!text.empty()) {
                const std::size_t end = std::min(text.find('\n'), text.size());
                tags.push_back(text.substr(0, end));
                text.remove_prefix(std::min(end + 1, text.size()));
            }
            bad_position = reader.read(tags, spans);
            if (bad_position >= 0) {
                bad_sentence = static_cast<std::int64_t>(i);
                break;
            }
            ends.push_back(static_cast<std::int64_t>(spans.size()));
        }
        for (const Span &span : spans) {
            flat.push_back(span.label);
            flat.push_back(span.begin);
            flat.push_back(span.end);
        }
    }
    nb::list names;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::string_view name = labels[static_cast<Id>(i)];
        names.append(nb::bytes(name.data(), name.size()));
    }
    const std::size_t count = flat.size() / 3, sentences = ends.size();
    return nb::make_tuple(to_numpy(std::move(flat), {count, std::size_t{3}}), to_numpy(std::move(ends), {sentences}), names,
                          nb::make_tuple(bad_sentence, bad_position));
}

std::vector<Span> spans_of(const Matrix<std::int64_t> &table) {
    if (table.shape(1) != 3) throw nb::value_error("a span is a label, a begin and an end");
    std::vector<Span> result;
    result.reserve(table.shape(0));
    for (std::size_t i = 0; i < table.shape(0); ++i) {
        if (table(i, 2) <= table(i, 1)) throw nb::value_error("a span ends before it begins");
        result.push_back({static_cast<Id>(table(i, 0)), table(i, 1), table(i, 2)});
    }
    return result;
}

// For each item the five counts of the four ways to match: strict, exact, partial, type.
nb::ndarray<nb::numpy, double> span_counts(Matrix<std::int64_t> gold, Vector<std::int64_t> gold_ends,
                                           Matrix<std::int64_t> system, Vector<std::int64_t> system_ends, double least,
                                           bool greedy) {
    const std::vector<Span> ours = spans_of(gold), theirs = spans_of(system);
    karat::bindings::check_offsets(gold_ends, ours.size());
    karat::bindings::check_offsets(system_ends, theirs.size());
    if (gold_ends.shape(0) != system_ends.shape(0)) throw nb::value_error("both sides need the same items");
    const std::size_t items = gold_ends.shape(0) - 1;
    std::vector<double> rows;
    {
        nb::gil_scoped_release release;
        rows.reserve(20 * items);
        SpanMatcher matcher(least);
        for (std::size_t i = 0; i < items; ++i) {
            const auto g = static_cast<std::size_t>(gold_ends(i)), s = static_cast<std::size_t>(system_ends(i));
            for (int match = 0; match < 4; ++match) {
                const std::size_t golds = static_cast<std::size_t>(gold_ends(i + 1)) - g;
                const std::size_t systems = static_cast<std::size_t>(system_ends(i + 1)) - s;
                const auto way = static_cast<SpanMatch>(match);
                const SpanCounts counts = greedy ? matcher.greedy(ours.data() + g, golds, theirs.data() + s, systems, way)
                                                 : matcher(ours.data() + g, golds, theirs.data() + s, systems, way);
                for (const std::int64_t each : counts) rows.push_back(static_cast<double>(each));
            }
        }
    }
    return to_numpy(std::move(rows), {items, std::size_t{20}});
}

}  // namespace

void bind_spans(nb::module_ &module) {
    using namespace nb::literals;
    module.def("tag_spans", &tag_spans, "data"_a, "offsets"_a, "scheme"_a, "The spans that tags of tokens mean.");
    module.def("span_counts", &span_counts, "gold"_a, "gold_ends"_a, "system"_a, "system_ends"_a, "least"_a, "greedy"_a,
               "Correct, incorrect, partial, missed and spurious spans, matched in four ways.");
}
