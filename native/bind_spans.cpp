#include <nanobind/stl/optional.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "karat/records/spans.hpp"
#include "karat/records/tag_columns.hpp"
#include "karat/records/plain_tags.hpp"
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

// The five counts of the four ways to match, one after the other.
class Counter {
  public:
    Counter(double least, bool greedy) : matcher_(least), greedy_(greedy) {}

    // Writes them to a row of zeros.
    void operator()(const Span *gold, std::size_t golds, const Span *system, std::size_t systems, double *row) {
        if (greedy_) {
            for (int match = 0; match < 4; ++match) {
                counts_[static_cast<std::size_t>(match)] =
                    matcher_.greedy(gold, golds, system, systems, static_cast<SpanMatch>(match));
            }
        } else {
            matcher_(gold, golds, system, systems, counts_);
        }
        for (const SpanCounts &counts : counts_) {
            for (const std::int64_t count : counts) *row++ = static_cast<double>(count);
        }
    }

    // The same for spans of which those of one side do not overlap: where the other side has the very
    // same span, it overlaps no other one.
    void disjoint(const std::vector<Span> &gold, const std::vector<Span> &system, double *row) {
        std::size_t first = 0, golds = gold.size(), systems = system.size();
        while (first < std::min(golds, systems) && gold[first] == system[first]) ++first;
        while (std::min(golds, systems) > first && gold[golds - 1] == system[systems - 1]) --golds, --systems;
        if (std::max(golds, systems) > first) {
            (*this)(gold.data() + first, golds - first, system.data() + first, systems - first, row);
        }
        for (std::size_t match = 0; match < 4; ++match) row[5 * match] += static_cast<double>(gold.size() - golds + first);
    }

  private:
    SpanMatcher matcher_;
    bool greedy_;
    std::array<SpanCounts, 4> counts_{};
};

// One side of pairs of sentences in columns.
struct TagFile {
    nb::bytes data;
    Vector<std::int64_t> begin, end;
    TagColumns columns;

    TagFile(nb::bytes given, Vector<std::int64_t> from, Vector<std::int64_t> to, std::int64_t column)
        : data(given), begin(from), end(to), columns(column) {
        if (begin.shape(0) != end.shape(0)) throw nb::value_error("each item needs its end");
        for (std::size_t i = 0; i < begin.shape(0); ++i) {
            if (begin(i) < 0 || begin(i) > end(i) || static_cast<std::size_t>(end(i)) > data.size()) {
                throw nb::value_error("an item is not in the data");
            }
        }
    }

    std::string_view text() const { return {data.c_str(), data.size()}; }
    std::string_view item(std::size_t i) const {
        return text().substr(static_cast<std::size_t>(begin(i)), static_cast<std::size_t>(end(i) - begin(i)));
    }
    bool read(std::size_t i) { return columns.read(item(i)); }
};

// For each pair of sentences 1, the spans of gold, those of the system, and their counts; None where a
// sentence cannot be read, or has CR LF in it, or other tokens.
std::optional<nb::ndarray<nb::numpy, double>> tag_column_counts(nb::bytes gold_data, Vector<std::int64_t> gold_begin, Vector<std::int64_t> gold_end,
                             std::int64_t gold_column, nb::bytes system_data, Vector<std::int64_t> system_begin,
                             Vector<std::int64_t> system_end, std::int64_t system_column, int scheme, double least,
                             bool greedy) {
    if (scheme < 0 || scheme > 4) throw nb::value_error("there is no such scheme");
    TagFile gold(gold_data, gold_begin, gold_end, gold_column);
    TagFile system(system_data, system_begin, system_end, system_column);
    if (gold.begin.shape(0) != system.begin.shape(0)) throw nb::value_error("both sides need the same items");
    const std::size_t items = gold.begin.shape(0);
    constexpr std::size_t columns = 23;
    std::vector<double> rows;
    bool fine = true;
    {
        nb::gil_scoped_release release;
        karat::Names labels;
        TagReader reader(static_cast<Tags>(scheme), labels);
        PlainTags plain(reader);
        const bool last = gold_column == -1 && system_column == -1;
        Counter counter(least, greedy);
        std::vector<Span> ours, theirs;
        rows.resize(columns * items);
        for (std::size_t i = 0; fine && i < items; ++i) {
            const std::string_view of_gold = gold.item(i), of_system = system.item(i);
            const bool same = gold_column == system_column && of_gold == of_system;
            ours.clear(), theirs.clear();
            const bool is_plain =
                last && (same || PlainTags::have_same_tokens(of_gold, of_system)) && plain.read(of_gold, ours) &&
                (same || plain.read(of_system, theirs));
            if (!is_plain) {
                ours.clear();
                fine = !has_returns(of_gold) && gold.read(i) && reader.read(gold.columns.tags, ours) < 0 &&
                       (same || (!has_returns(of_system) && system.read(i) &&
                                 gold.columns.tokens == system.columns.tokens &&
                                 reader.read(system.columns.tags, theirs) < 0));
                if (!fine) break;
            }
            double *const row = &rows[columns * i];
            const std::vector<Span> &found = same ? ours : theirs;
            row[0] = 1, row[1] = static_cast<double>(ours.size()), row[2] = static_cast<double>(found.size());
            counter.disjoint(ours, found, row + 3);
        }
    }
    if (!fine) return std::nullopt;
    return to_numpy(std::move(rows), {items, columns});
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
        rows.resize(20 * items);
        Counter counter(least, greedy);
        for (std::size_t i = 0; i < items; ++i) {
            const auto g = static_cast<std::size_t>(gold_ends(i)), s = static_cast<std::size_t>(system_ends(i));
            counter(ours.data() + g, static_cast<std::size_t>(gold_ends(i + 1)) - g, theirs.data() + s,
                    static_cast<std::size_t>(system_ends(i + 1)) - s, &rows[20 * i]);
        }
    }
    return to_numpy(std::move(rows), {items, std::size_t{20}});
}

}  // namespace

void bind_spans(nb::module_ &module) {
    using namespace nb::literals;
    module.def("tag_spans", &tag_spans, "data"_a, "offsets"_a, "scheme"_a, "The spans that tags of tokens mean.");
    module.def("tag_column_counts", &tag_column_counts, "gold_data"_a, "gold_begin"_a, "gold_end"_a, "gold_column"_a,
               "system_data"_a, "system_begin"_a, "system_end"_a, "system_column"_a, "scheme"_a, "least"_a, "greedy"_a,
               "1, spans of gold and system, and their counts, from sentences in columns; None where it cannot tell.");
    module.def("span_counts", &span_counts, "gold"_a, "gold_ends"_a, "system"_a, "system_ends"_a, "least"_a, "greedy"_a,
               "Correct, incorrect, partial, missed and spurious spans, matched in four ways.");
}
