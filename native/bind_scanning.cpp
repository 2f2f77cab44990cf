#include "arrays.hpp"
#include "karat/partners.hpp"
#include "karat/scanning.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

using Places = Vector<std::int64_t>;

std::string_view view(const nb::bytes &data) { return {data.c_str(), data.size()}; }

void check_spans(const Places &begin, const Places &end, std::size_t size) {
    if (begin.shape(0) != end.shape(0)) throw nb::value_error("as many ends as begins");
    for (std::size_t i = 0; i < begin.shape(0); ++i) {
        if (begin(i) < 0 || begin(i) > end(i) || static_cast<std::size_t>(end(i)) > size) {
            throw nb::value_error("a span is not inside the data");
        }
    }
}

std::size_t utf8_fault(nb::bytes data) {
    const std::string_view text = view(data);
    nb::gil_scoped_release release;
    return karat::utf8_fault(text);
}

std::size_t line_ends(nb::bytes data) {
    const std::string_view text = view(data);
    nb::gil_scoped_release release;
    return karat::line_ends(text);
}

nb::tuple scan_lines(nb::bytes data, bool skip_blank) {
    karat::Lines found;
    {
        const std::string_view text = view(data);
        nb::gil_scoped_release release;
        found = karat::scan_lines(text, skip_blank);
    }
    const std::size_t count = found.begin.size();
    return nb::make_tuple(to_numpy(std::move(found.begin), {count}), to_numpy(std::move(found.end), {count}),
                          to_numpy(std::move(found.line), {count}));
}

nb::tuple scan_blocks(nb::bytes data, bool final, bool spaces, nb::bytes comment, bool indented, std::int64_t blanks,
                      std::int64_t base, std::int64_t line) {
    if (comment.size() > 1) throw nb::value_error("a comment begins with one character");
    const karat::BlockRules rules{spaces, comment.size() == 1 ? comment.c_str()[0] : '\0', indented};
    constexpr std::size_t columns = karat::Blocks::columns;
    karat::Blocks found;
    std::vector<std::int64_t> table;
    std::size_t count = 0;
    {
        const std::string_view text = view(data);
        nb::gil_scoped_release release;
        found = karat::scan_blocks(text, final, rules, blanks);
        count = found.rows.size() / columns;
        table.resize(found.rows.size());
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t *const row = &found.rows[columns * i];
            const std::int64_t values[columns] = {row[0] + base, row[1] - row[0], row[2] + base, row[3] + line,
                                                  row[4] + line, row[5], row[6]};
            for (std::size_t k = 0; k < columns; ++k) table[k * count + i] = values[k];
        }
    }
    return nb::make_tuple(to_numpy(std::move(table), {columns, count}), found.consumed, found.lines, found.blanks);
}

nb::object comment_keys(nb::bytes data, Places begin, Places body, nb::bytes name) {
    check_spans(begin, body, data.size());
    const std::string_view text = view(data), wanted = view(name);
    nb::list keys;
    bool any = false;
    for (std::size_t i = 0; i < begin.shape(0); ++i) {
        const auto from = static_cast<std::size_t>(begin(i)), to = static_cast<std::size_t>(body(i));
        const std::string_view value = karat::comment_value(text.substr(from, to - from), wanted);
        any = any || !value.empty();
        if (value.empty()) keys.append(nb::none());
        else keys.append(nb::make_tuple(nb::str(value.data(), value.size())));
    }
    return any ? nb::object(keys) : nb::none();
}

nb::ndarray<nb::numpy, std::int64_t> token_characters(nb::bytes data, Places body, Places end) {
    check_spans(body, end, data.size());
    const std::size_t count = body.shape(0);
    std::vector<std::int64_t> found;
    {
        const std::string_view text = view(data);
        nb::gil_scoped_release release;
        found = karat::token_characters(text, body.data(), end.data(), count);
    }
    return to_numpy(std::move(found), {count, 3});
}

nb::object graph_names(nb::bytes data, Places begin, Places body, Places end) {
    check_spans(begin, body, data.size());
    check_spans(body, end, data.size());
    const std::string_view text = view(data);
    const std::size_t count = begin.shape(0);
    std::vector<std::int64_t> spans(2 * count);
    bool all = true;
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < count && all; ++i) {
            const auto from = static_cast<std::size_t>(begin(i)), middle = static_cast<std::size_t>(body(i)),
                       to = static_cast<std::size_t>(end(i));
            const std::string_view name =
                karat::graph_name(text.substr(from, middle - from), text.substr(middle, to - middle));
            all = !name.empty();
            spans[2 * i] = name.data() - text.data();
            spans[2 * i + 1] = spans[2 * i] + static_cast<std::int64_t>(name.size());
        }
    }
    if (!all) return nb::none();
    return nb::cast(to_numpy(std::move(spans), {count, 2}));
}

nb::object name_partners(karat::bindings::Bytes golds, karat::bindings::Bounds gold_begin,
                         karat::bindings::Bounds gold_end, karat::bindings::Bytes systems,
                         karat::bindings::Bounds system_begin, karat::bindings::Bounds system_end) {
    const karat::Strings ours = karat::bindings::strings(golds, gold_begin, gold_end),
                         theirs = karat::bindings::strings(systems, system_begin, system_end);
    std::vector<std::int64_t> partner;
    bool plain;
    {
        nb::gil_scoped_release release;
        plain = karat::name_partners(ours, theirs, partner);
    }
    if (!plain) return nb::none();
    return nb::cast(to_numpy(std::move(partner), {ours.count}));
}

}  // namespace

void bind_scanning(nb::module_ &module) {
    using namespace nb::literals;
    module.def("utf8_fault", utf8_fault, "data"_a,
               "The place of the first byte that is not UTF-8 text; the size where all is.");
    module.def("line_ends", line_ends, "data"_a, "How many LF there are.");
    module.def("scan_lines", scan_lines, "data"_a, "skip_blank"_a = false,
               "Begin, end (before LF or CR LF) and number from 0 of each line; what follows the last LF is a line.");
    module.def("scan_blocks", scan_blocks, "data"_a, "final"_a, "spaces"_a, "comment"_a, "indented"_a, "blanks"_a,
               "base"_a, "line"_a,
               "The blocks between blank lines of data that begin at a place and line of a file, a column each: begin, "
               "the bytes before the first line that is no comment, end, the numbers of these lines, blank lines "
               "before, whether one follows. Then how many bytes and lines were consumed, and how many blank lines "
               "came last.");
    module.def("comment_keys", comment_keys, "data"_a, "begin"_a, "body"_a, "name"_a,
               nb::sig("def comment_keys(data: bytes, begin: NDArray[numpy.int64], body: NDArray[numpy.int64], name: "
                       "bytes) -> list[tuple[str | None, ...] | None] | None"),
               "The value of the first comment `# name = value` of each block, as a key; None where a block has none, "
               "and where no block has any.");
    module.def("graph_names", graph_names, "data"_a, "begin"_a, "body"_a, "end"_a,
               nb::sig("def graph_names(data: bytes, begin: NDArray[numpy.int64], body: NDArray[numpy.int64], end: "
                       "NDArray[numpy.int64]) -> NDArray[numpy.int64] | None"),
               "Where the name of each graph is whose comments begin with `# ::id NAME`; None where one has to be looked "
               "at more closely.");
    module.def("name_partners", name_partners, "golds"_a, "gold_begin"_a, "gold_end"_a, "systems"_a, "system_begin"_a,
               "system_end"_a,
               nb::sig("def name_partners(golds: NDArray[numpy.uint8], gold_begin: NDArray[numpy.int64], gold_end: "
                       "NDArray[numpy.int64], systems: NDArray[numpy.uint8], system_begin: NDArray[numpy.int64], "
                       "system_end: NDArray[numpy.int64]) -> NDArray[numpy.int64] | None"),
               "The place of the system name that each gold name is, or -1; None where names come twice on a side, or "
               "gold lacks one of the system's.");
    module.def("token_characters", token_characters, "data"_a, "body"_a, "end"_a,
               "For sentences of ten columns: the characters of all tokens, of the last, and whether that is a "
               "multiword token.");
}
