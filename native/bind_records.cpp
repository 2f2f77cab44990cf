#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "karat/records/anls.hpp"
#include "karat/records/batch.hpp"
#include "karat/records/look.hpp"
#include "pieces.hpp"

namespace nb = nanobind;
using karat::bindings::Matrix;
using karat::bindings::to_numpy;
using karat::bindings::Vector;
using namespace karat::records;

namespace {

std::vector<std::string_view> views(const nb::list &texts) {
    std::vector<std::string_view> result;
    result.reserve(nb::len(texts));
    for (const nb::handle each : texts) {
        const auto text = nb::cast<nb::bytes>(each);
        result.emplace_back(text.c_str(), text.size());
    }
    return result;
}

nb::bytes bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

Decimal decimal(const nb::handle &text) {
    const auto given = nb::cast<std::string>(text);
    std::vector<Node> nodes;
    Failure failure;
    karat::Names strings, numbers;
    Reader reader(strings, numbers);
    if (!reader.whole(given, nodes, failure) || nodes.size() != 1 || nodes[0].kind != Kind::number || given[0] == '-') {
        throw nb::value_error("a tolerance must be a number of at least 0");
    }
    return decimal_of(canonical_number(numbers[nodes[0].text]));
}

void check_documents(const Batch &batch, const Matrix<std::int32_t> &pairs) {
    if (pairs.shape(1) != 2) throw nb::value_error("pairs must have two columns");
    for (std::size_t i = 0; i < pairs.shape(0); ++i) {
        for (std::size_t side = 0; side < 2; ++side) {
            if (pairs(i, side) < 0 || static_cast<std::size_t>(pairs(i, side)) >= batch.documents()) {
                throw nb::value_error("a pair names a document that is not there");
            }
        }
    }
}

void read_texts(Batch &batch, const nb::list &texts, int way) {
    if (way < 0 || way > 3) throw nb::value_error("unknown way of extraction");
    const std::vector<std::string_view> given = views(texts);
    nb::gil_scoped_release release;
    for (const std::string_view text : given) batch.read(text, static_cast<Extract>(way));
}

nb::tuple foreign(Batch &batch) {
    std::vector<Id> ids;
    {
        nb::gil_scoped_release release;
        ids = batch.foreign();
    }
    nb::list texts;
    for (const Id id : ids) texts.append(bytes(batch.string(id)));
    const std::size_t size = ids.size();
    return nb::make_tuple(to_numpy(std::move(ids), {size}), texts);
}

void normalize(Batch &batch, Vector<Id> ids, const nb::list &own, const nb::list &text, bool needs_text) {
    const std::vector<Id> given(ids.data(), ids.data() + ids.shape(0));
    const auto nfc = views(own), lowered = views(text);
    if (nfc.size() != given.size() || (needs_text && lowered.size() != given.size())) {
        throw nb::value_error("each string needs its normal forms");
    }
    nb::gil_scoped_release release;
    batch.normalize(given, nfc, lowered, needs_text);
}

void set_dates(Batch &batch, const nb::list &days) {
    batch.forms().dates.clear();
    for (const nb::handle each : days) {
        const auto column = nb::cast<Vector<Id>>(each);
        if (column.shape(0) < batch.strings()) throw nb::value_error("each string needs its day");
        batch.forms().dates.emplace_back(column.data(), column.data() + column.shape(0));
    }
}

// The documents of gold that are no gold, with the reason.
nb::list build(Batch &batch, Vector<std::uint8_t> is_gold) {
    if (is_gold.shape(0) != batch.documents()) throw nb::value_error("each document is of gold or of the system");
    const std::vector<char> gold(is_gold.data(), is_gold.data() + is_gold.shape(0));
    {
        nb::gil_scoped_release release;
        batch.build(gold);
    }
    nb::list errors;
    for (std::size_t i = 0; i < batch.documents(); ++i) {
        if (batch.document(i).error) errors.append(nb::make_tuple(i, batch.document(i).error));
    }
    return errors;
}

// What became of each document: parsed, extracted, would be read by extraction, has doubled keys.
nb::ndarray<nb::numpy, double> states(const Batch &batch) {
    std::vector<double> result;
    for (std::size_t i = 0; i < batch.documents(); ++i) {
        const Document &document = batch.document(i);
        for (const bool each : {document.parsed, document.extracted, document.extractable, document.duplicates}) {
            result.push_back(each ? 1 : 0);
        }
    }
    return to_numpy(std::move(result), {batch.documents(), std::size_t{4}});
}

nb::typed<nb::tuple, nb::str, int> failure(const Batch &batch, std::size_t i) {
    if (i >= batch.documents()) throw nb::value_error("there is no such document");
    const Document &document = batch.document(i);
    const char *const message = document.parsed ? "" : document.failure.message;
    return nb::make_tuple(message, document.failure.offset);
}

nb::list paths(const Batch &batch) {
    nb::list result;
    for (std::size_t i = 0; i < batch.paths().size(); ++i) {
        const auto &[parent, step] = batch.paths()[i];
        nb::object name = step < 0 ? nb::none() : nb::object(bytes(batch.string(step)));
        result.append(nb::make_tuple(parent, name));
    }
    return result;
}

void settle(Batch &batch, const nb::list &settings, Vector<Id> setting_of_path, std::int64_t denominator, Id longest) {
    std::vector<Setting> known;
    for (const nb::handle each : settings) {
        Setting setting;
        setting.compare = static_cast<Compare>(nb::cast<int>(each["compare"]));
        setting.list = static_cast<List>(nb::cast<int>(each["list"]));
        setting.loose = nb::cast<bool>(each["loose"]);
        setting.abs = decimal(each["abs"]), setting.rel = decimal(each["rel"]);
        setting.tolerant = !setting.abs.digits.empty() || !setting.rel.digits.empty();
        setting.least = nb::cast<std::int64_t>(each["least"]), setting.of = nb::cast<std::int64_t>(each["of"]);
        setting.dates = nb::cast<std::size_t>(each["dates"]);
        setting.weight = nb::cast<std::int64_t>(each["weight"]);
        for (const nb::handle key : nb::cast<nb::list>(each["keys"])) {
            const auto name = nb::cast<nb::bytes>(key);
            setting.keys.push_back(batch.names()(std::string_view(name.c_str(), name.size())));
        }
        if (setting.compare == Compare::date && setting.dates >= batch.forms().dates.size()) {
            throw nb::value_error("the days of the strings are not there");
        }
        known.push_back(std::move(setting));
    }
    // Keys that no document has are new strings, and their own normal forms.
    for (auto i = batch.forms().own.size(); i < batch.strings(); ++i) batch.forms().own.push_back(static_cast<Id>(i));
    if (setting_of_path.shape(0) != batch.paths().size()) throw nb::value_error("each path needs its setting");
    std::vector<Id> of_path(setting_of_path.data(), setting_of_path.data() + setting_of_path.shape(0));
    for (const Id each : of_path) {
        if (each < 0 || static_cast<std::size_t>(each) >= known.size()) throw nb::value_error("there is no such setting");
    }
    nb::gil_scoped_release release;
    batch.settle(std::move(known), std::move(of_path), denominator, longest);
}

nb::tuple compare(Batch &batch, Matrix<std::int32_t> pairs) {
    check_documents(batch, pairs);
    const std::size_t count = pairs.shape(0);
    std::vector<double> rows;
    std::vector<std::pair<std::size_t, std::string>> errors;
    {
        nb::gil_scoped_release release;
        rows.reserve(8 * count);
        for (std::size_t i = 0; i < count; ++i) {
            Counts found;
            try {
                found = batch.compare(static_cast<std::size_t>(pairs(i, 0)), static_cast<std::size_t>(pairs(i, 1)));
            } catch (const TooLong &error) {
                errors.emplace_back(i, error.what());
            }
            for (const double each : {found.gold, found.system, found.matched, found.records_gold, found.records_system,
                                      found.records_equal, found.exact ? 1.0 : 0.0, found.shared ? 1.0 : 0.0}) {
                rows.push_back(each);
            }
        }
    }
    nb::list failed;
    for (const auto &[i, message] : errors) failed.append(nb::make_tuple(i, message));
    return nb::make_tuple(to_numpy(std::move(rows), {count, std::size_t{8}}), failed);
}

nb::object leaf(const Batch &batch, Id value) {
    if (value < 0) return nb::none();
    const Value &v = batch.values()[value];
    std::string_view text;
    if (v.type == Type::string) text = batch.string(v.text);
    if (v.type == Type::number) text = const_cast<Batch &>(batch).numbers()[v.text];
    return nb::make_tuple(static_cast<int>(v.type), bytes(text), v.path, batch.weight(v.path));
}

std::vector<Event> traced(Batch &batch, std::size_t gold, std::size_t system, std::int64_t *matched = nullptr) {
    if (gold >= batch.documents() || system >= batch.documents()) throw nb::value_error("there is no such document");
    std::string error;
    {
        nb::gil_scoped_release release;
        try {
            return batch.trace(gold, system, matched);
        } catch (const TooLong &problem) {
            error = problem.what();
        }
    }
    throw nb::value_error(error.c_str());
}

nb::tuple event(const Batch &batch, const Event &found) {
    return nb::make_tuple(leaf(batch, found.gold), leaf(batch, found.system),
                          static_cast<double>(found.similarity) / static_cast<double>(unit), found.optional,
                          bytes(found.gold_at), bytes(found.system_at));
}

nb::list events(Batch &batch, std::size_t gold, std::size_t system) {
    nb::list result;
    for (const Event &each : traced(batch, gold, system)) result.append(event(batch, each));
    return result;
}

nb::tuple told(Batch &batch, std::size_t gold, std::size_t system) {
    nb::list left;
    std::int64_t matched = 0;
    for (const Event &each : traced(batch, gold, system, &matched)) left.append(event(batch, each));
    return nb::make_tuple(batch.in_leaves(matched), left);
}

std::optional<nb::tuple> record_lines(nb::bytes text, int way, bool drop, nb::list pointers) {
    if (way < 0 || way > 3) throw nb::value_error("unknown way of extraction");
    karat::Names strings, numbers;
    Reader reader(strings, numbers);
    Document document;
    Lines lines;
    read_document(reader, {text.c_str(), text.size()}, static_cast<Extract>(way), document);
    if (!document.parsed && !document.extracted) return std::nullopt;
    if (!lines.write(document.nodes, strings, numbers, drop)) return std::nullopt;
    nb::list places;
    for (const std::string_view each : views(pointers)) {
        const auto [begin, end] = lines.at(each);
        places.append(nb::make_tuple(begin, end));
    }
    return nb::make_tuple(bytes('"' + lines.text() + '"'), places);
}

nb::tuple look_at(Batch &batch, Matrix<std::int32_t> pairs, const nb::list &patterns,
                  std::optional<Vector<std::uint8_t>> printable, bool drop, bool told, bool shown) {
    check_documents(batch, pairs);
    const auto paths = views(patterns);
    const std::size_t count = pairs.shape(0);
    if (paths.size() != batch.paths().size()) throw nb::value_error("each path needs its name");
    if (printable && printable->shape(0) != 0x110000) throw nb::value_error("printable must know all characters");
    karat::bindings::Pieces explanations;
    karat::ShownPairs pages;
    bool has_layer = false;
    {
        nb::gil_scoped_release release;
        Look look(batch, paths, printable ? printable->data() : nullptr);
        for (std::size_t i = 0; i < count; ++i) {
            try {
                look.compare(static_cast<std::size_t>(pairs(i, 0)), static_cast<std::size_t>(pairs(i, 1)));
                if (told) look.write_explanation(explanations.text);
                if (shown) look.write_shown(drop, pages, has_layer);
            } catch (const TooLong &) {
                // Left to Python, which words the error.
            }
            explanations.end(), pages.end();
        }
    }
    nb::object first = nb::none(), second = nb::none();
    if (told) first = explanations.take();
    if (shown) {
        nb::list layers;
        if (has_layer) layers.append("fields");
        second = karat::bindings::to_python(std::move(pages), layers, false);
    }
    return nb::make_tuple(first, second);
}

nb::list texts(const karat::Names &names) {
    nb::list result;
    for (std::size_t i = 0; i < names.size(); ++i) result.append(bytes(names[static_cast<Id>(i)]));
    return result;
}

std::vector<std::vector<std::int32_t>> characters(const nb::list &given) {
    std::vector<std::vector<std::int32_t>> result;
    for (const nb::handle each : given) {
        const auto text = nb::cast<Vector<std::int32_t>>(each);
        result.emplace_back(text.data(), text.data() + text.shape(0));
        for (const std::int32_t code : result.back()) {
            if (code < 0 || code >= 0x110000) throw nb::value_error("there is no such character");
        }
    }
    return result;
}

// ANLS* of pairs of documents; NaN where the gold is a choice between nothing.
nb::ndarray<nb::numpy, double> anls(Batch &batch, Matrix<std::int32_t> pairs, const nb::list &strings,
                                    const nb::list &numbers, Vector<std::int32_t> classes) {
    check_documents(batch, pairs);
    AnlsForms forms{characters(strings), characters(numbers), {classes.data(), classes.data() + classes.shape(0)}, -1};
    if (forms.string_text.size() != batch.strings() || forms.number_text.size() != batch.numbers().size() ||
        forms.number_class.size() != batch.numbers().size()) {
        throw nb::value_error("each string and number needs its form");
    }
    forms.empty_string = batch.names().find("");
    const Id any = batch.names().find("$any");
    std::vector<double> scores(pairs.shape(0), std::numeric_limits<double>::quiet_NaN());
    {
        nb::gil_scoped_release release;
        Anls measure(forms);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const Document &gold = batch.document(static_cast<std::size_t>(pairs(i, 0)));
            const Document &system = batch.document(static_cast<std::size_t>(pairs(i, 1)));
            if (gold.nodes.empty()) continue;
            if (system.nodes.empty()) {
                scores[i] = 0;
                continue;
            }
            double score;
            if (measure(gold.nodes, system.nodes, any, score)) scores[i] = score;
        }
    }
    const std::size_t count = scores.size();
    return to_numpy(std::move(scores), {count});
}

}  // namespace

void bind_records(nb::module_ &module) {
    using namespace nb::literals;
    nb::class_<Batch>(module, "RecordBatch", "JSON documents that are read and compared together.")
        .def(
            "__init__",
            [](Batch *batch, bool drop, bool literal, bool root_only) { new (batch) Batch({drop, literal, root_only}); },
            "drop"_a, "literal"_a, "root_only"_a)
        .def("read", &read_texts, "texts"_a, "way"_a, "Reads documents; what is no JSON stays empty.")
        .def("foreign", &foreign, "The strings that are not ASCII: their numbers, and they themselves.")
        .def("normalize", &normalize, "ids"_a, "own"_a, "text"_a, "needs_text"_a, "Gives strings their normal forms.")
        .def("set_dates", &set_dates, "days"_a, "For each list of date formats the day of each string, or -1.")
        .def("build", &build, "is_gold"_a, "Makes values of documents; what is wrong with gold.")
        .def("states", &states, "Parsed, extracted, extractable, doubled keys: a row for each document.")
        .def("failure", &failure, "document"_a, "Why a document is no JSON, and where; nothing where it is.")
        .def(
            "text",
            [](const Batch &batch, std::size_t i) {
                if (i >= batch.documents()) throw nb::value_error("there is no such document");
                return bytes(batch.text(i));
            },
            "document"_a, "A document as JSON again.")
        .def("paths", &paths, "The paths of all values: parent and last step, None for elements of lists.")
        .def("settle", &settle, "settings"_a, "setting_of_path"_a, "denominator"_a, "longest"_a,
             "Gives every path its setting.")
        .def("compare", &compare, "pairs"_a, "The counts of pairs (gold, system), and errors of some.")
        .def("events", &events, "gold"_a, "system"_a, "The leaves of the chosen alignment.")
        .def("told", &told, "gold"_a, "system"_a,
             "The weight of gold that is matched, and the leaves that are not, or not entirely.")
        .def("look_at", &look_at, "pairs"_a, "patterns"_a, "printable"_a.none(), "drop"_a, "told"_a, "shown"_a,
             "Pairs of documents (gold, system) as item files and the page show them, with the names of all paths: "
             "(explanations, members of ShownPairs). What is not asked for is None, what is left to Python "
             "empty. `printable` says which characters that are not ASCII repr() shows as they are.")
        .def("strings", [](Batch &batch) { return texts(batch.names()); }, "All strings.")
        .def("numbers", [](Batch &batch) { return texts(batch.numbers()); }, "All numbers.")
        .def("anls", &anls, "pairs"_a, "strings"_a, "numbers"_a, "classes"_a, "ANLS* of pairs (gold, system).")
        .def(
            "is_even",
            [](Batch &batch, std::size_t i) {
                if (i >= batch.documents()) throw nb::value_error("there is no such document");
                return batch.is_even(batch.document(i).root);
            },
            "document"_a, "Whether the choices of a gold document weigh the same.")
        .def(
            "leaves",
            [](Batch &batch, std::size_t i) {
                if (i >= batch.documents()) throw nb::value_error("there is no such document");
                std::vector<Id> found;
                if (batch.document(i).root >= 0) batch.leaves(batch.document(i).root, found);
                const std::size_t size = found.size() / 2;
                return to_numpy(std::move(found), {size, std::size_t{2}});
            },
            "document"_a, "Path and type of the leaves of a document.");
    module.def("record_lines", &record_lines, "text"_a, "way"_a, "drop"_a, "pointers"_a,
               "A document on indented lines, as a JSON string, without null and empty containers if these are dropped, "
               "and where the values of pointers stand in it, in UTF-16; None for what is no JSON or nested too deeply.");
}
