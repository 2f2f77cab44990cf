// What pages show of texts: which words differ, and the texts themselves as JSON.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "karat/deflate.hpp"
#include "karat/json_text.hpp"
#include "karat/word_marks.hpp"
#include "pieces.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::Pieces;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

nb::bytes deflated(nb::bytes data, int depth) {
    const std::string_view given(data.c_str(), data.size());
    std::string made;
    {
        nb::gil_scoped_release release;
        made = karat::Deflate(depth)(given);
    }
    return nb::bytes(made.data(), made.size());
}

void check_bounds(const Bounds &bounds, std::size_t texts, std::size_t references) {
    bool good = bounds.shape(0) == texts + 1 && bounds(0) >= 0;
    for (std::size_t i = 0; good && i < texts; ++i) good = bounds(i) <= bounds(i + 1);
    if (!good || static_cast<std::size_t>(bounds(texts)) > references) {
        throw nb::value_error("bounds must say which references each text has");
    }
}

nb::tuple compare(karat::WordMarks &marks, Bytes system, Bounds system_begin, Bounds system_end, Bytes gold,
                  Bounds gold_begin, Bounds gold_end, Bounds bounds, std::optional<Vector<std::uint8_t>> is_word,
                  std::size_t most) {
    const karat::Strings systems = karat::bindings::strings(system, system_begin, system_end);
    const karat::Strings golds = karat::bindings::strings(gold, gold_begin, gold_end);
    check_bounds(bounds, systems.count, golds.count);
    if (is_word && is_word->shape(0) != 0x110000) throw nb::value_error("is_word must know all characters");
    Pieces pieces;
    std::vector<std::int32_t> rows, found;
    {
        nb::gil_scoped_release release;
        karat::WordFinder finder(is_word ? is_word->data() : nullptr);
        for (std::size_t i = 0; i < systems.count; ++i) {
            marks.compare(finder, systems[i], golds, static_cast<std::size_t>(bounds(i)),
                          static_cast<std::size_t>(bounds(i + 1)), most, pieces.text, found);
            rows.resize(found.size(), static_cast<std::int32_t>(i));
            pieces.end();
        }
    }
    const std::size_t size = found.size();
    return nb::make_tuple(pieces.take(), to_numpy(std::move(rows), {size}), to_numpy(std::move(found), {size}));
}

// A word; none where the number is negative.
nb::str word(const karat::WordMarks &marks, std::int32_t name) {
    if (name >= static_cast<std::int32_t>(marks.names.size())) throw nb::index_error("there is no such word");
    const std::string_view text = name < 0 ? std::string_view() : marks.names[name];
    return karat::bindings::to_python(text);
}

nb::tuple fault(const karat::WordMarks &marks, std::size_t number) {
    if (number >= marks.faults.size()) throw nb::index_error("there is no such difference");
    const auto &each = marks.faults[number];
    return nb::make_tuple(each.kind, word(marks, each.gold), word(marks, each.system));
}

nb::list json_texts(Bytes data, Bounds begin, Bounds end, Bounds bounds, std::string_view before,
                    std::string_view between, std::string_view after) {
    const karat::Strings texts = karat::bindings::strings(data, begin, end);
    if (bounds.shape(0) == 0) throw nb::value_error("bounds must say which texts stand together");
    const std::size_t count = bounds.shape(0) - 1;
    check_bounds(bounds, count, texts.count);
    return karat::bindings::list_of(count, [&](std::size_t i, std::string &out) {
        out.append(before);
        for (auto j = bounds(i); j < bounds(i + 1); ++j) {
            if (j > bounds(i)) out.append(between);
            karat::append_json(texts[static_cast<std::size_t>(j)], out);
        }
        out.append(after);
    });
}

// Which pieces hold one of the parts.
nb::list holding(nb::list pieces, nb::list parts) {
    const auto texts = karat::bindings::views(pieces, pieces.size());
    const auto wanted = karat::bindings::views(parts, parts.size());
    std::vector<char> found(texts.size(), 0);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            for (const std::string_view part : wanted) found[i] |= static_cast<char>(karat::holds(texts[i], part));
        }
    }
    nb::list result;
    for (const char each : found) result.append(each != 0);
    return result;
}

// A number as cells have it: whole ones without a point, nothing for what is undefined, others as Python writes them.
void append_cell(double value, std::string &out) {
    if (std::isnan(value)) return;
    if (std::trunc(value) == value && std::abs(value) < 9e15) {
        karat::append_number(static_cast<std::int64_t>(value), out);
        return;
    }
    if (std::trunc(value) == value && !std::isinf(value)) {
        char digits[320];
        out.append(digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%.0f", value)));
        return;
    }
    char *written = PyOS_double_to_string(value, 'r', 0, 0, nullptr);
    if (written == nullptr) nb::raise_python_error();
    out.append(written);
    PyMem_Free(written);
}

// Numbers that were written before are not written again: scores of items are mostly shares of few parts.
class Cells {
  public:
    Cells() : known_(size) {}

    void append(double value, std::string &out) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        Known &own = known_[bits * 0x9e3779b97f4a7c15u >> 53];
        if (own.text.empty() || own.bits != bits) {
            own.bits = bits;
            own.text.clear();
            append_cell(value, own.text);
        }
        out.append(own.text);
    }

  private:
    static constexpr std::size_t size = 2048;
    struct Known {
        std::uint64_t bits = 0;
        std::string text;
    };
    std::vector<Known> known_;
};

nb::list number_rows(karat::bindings::Matrix<double> values) {
    Pieces pieces;
    Cells cells;
    for (std::size_t i = 0; i < values.shape(0); ++i) {
        for (std::size_t j = 0; j < values.shape(1); ++j) {
            if (j > 0) pieces.text.push_back('\t');
            cells.append(values(i, j), pieces.text);
        }
        pieces.end();
    }
    return pieces.take();
}

// Rows of values from columns of them, which have commas between; each value stands between two of some parts.
nb::list interleaved(nb::list around, nb::list columns) {
    const auto parts = karat::bindings::views(around, columns.size() + 1);
    auto left = karat::bindings::views(columns, columns.size());
    constexpr std::size_t none = std::string_view::npos;
    std::size_t rows = none;
    for (const std::string_view column : left) {
        const std::size_t values =
            column.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(column.begin(), column.end(), ','));
        if (rows != none && rows != values) throw nb::value_error("all columns must have as many values");
        rows = values;
    }
    return karat::bindings::list_of(rows == none ? 0 : rows, [&](std::size_t, std::string &out) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            const std::size_t size = std::min(left[i].find(','), left[i].size());
            out.append(parts[i]).append(left[i].substr(0, size));
            left[i].remove_prefix(std::min(size + 1, left[i].size()));
        }
        out.append(parts.back());
    });
}

}  // namespace

void bind_page(nb::module_ &module) {
    using namespace nb::literals;
    nb::class_<karat::WordMarks>(module, "WordMarks",
                                 "Which words of texts differ from their references, and how often which do.")
        .def(nb::init<>())
        .def("compare", &compare, "system"_a, "system_begin"_a, "system_end"_a, "gold"_a, "gold_begin"_a, "gold_end"_a,
             "bounds"_a, "is_word"_a.none(), "most"_a,
             R"(Marks of texts against the closest of their references: (marks, rows, faults).

marks    JSON of each text: kind, reference, begin and end in gold, begin and end in the text
rows     int32   for each difference that is counted the text that has it
faults   int32   its number, the same in all calls)")
        .def("fault", &fault, "number"_a, "The kind of a difference, and the words of gold and of the system.")
        .def("__len__", [](const karat::WordMarks &marks) { return marks.faults.size(); });
    module.def("number_rows", &number_rows, "values"_a,
               "Each row as cells between tabs: whole numbers without a point, nothing for NaN, others as repr().");
    module.def("interleaved", &interleaved, "around"_a, "columns"_a,
               "For each row the values of columns, which have commas between, each between two of the parts.");
    module.def("deflated", &deflated, "data"_a, "depth"_a = 4,
               "Bytes as a stream of DEFLATE (RFC 1951); `depth` says how many earlier places are looked at.");
    module.def("holding", &holding, "pieces"_a, "parts"_a, "For each of some bytes whether they hold one of the parts.");
    module.def("json_texts", &json_texts, "data"_a, "begin"_a, "end"_a, "bounds"_a, "before"_a, "between"_a, "after"_a,
               "Strings as JSON, those of each bound together, with what stands before, between and after them.");
}
