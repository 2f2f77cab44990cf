#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "karat/logic/diagnosis.hpp"
#include "karat/logic/measuring.hpp"
#include "karat/parallel.hpp"
#include "pieces.hpp"
#include "spans.hpp"

namespace nb = nanobind;
namespace logic = karat::logic;
using karat::bindings::check_sides;
using karat::bindings::check_spans;
using karat::bindings::Spans;
using karat::bindings::text_at;
using karat::bindings::to_numpy;
using karat::bindings::view;

namespace {

logic::Dialect dialect_of(const std::string &name) {
    static const char *const names[] = {"cogs", "slog", "recogs", "reduced", "varfree"};
    for (int i = 0; i < 5; ++i) {
        if (name == names[i]) return static_cast<logic::Dialect>(i);
    }
    throw nb::value_error("no such dialect");
}

logic::Group group_of(const std::string &name) {
    static const char *const names[] = {"exact",    "well_formed", "order", "order_set",
                                        "semantic", "edits",       "bleu",  "parts"};
    for (int i = 0; i < 8; ++i) {
        if (name == names[i]) return static_cast<logic::Group>(i);
    }
    throw nb::value_error("no such group of columns");
}

nb::tuple measure_forms(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans,
                        const std::vector<std::string> &groups, const std::string &dialect, bool strict, bool sets,
                        bool legacy, std::size_t threads) {
    check_sides(system_spans, system.size(), gold_spans, gold.size());
    logic::Options options{dialect_of(dialect), strict, sets, legacy, {}};
    std::size_t columns = 1;
    for (const std::string &name : groups) {
        options.groups.push_back(group_of(name));
        columns += logic::columns_of(options.groups.back(), options);
    }
    if (options.dialect == logic::Dialect::varfree && strict) throw nb::value_error("trees have no strict rules");
    const std::size_t count = system_spans.shape(0);
    std::vector<double> rows(count * columns, 0.0);
    std::vector<std::uint8_t> status(count);
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        const auto run = [&](auto make) {
            karat::parallel_for(count, threads, [&] {
                return [&, measure = make()](std::size_t i) {
                    double *row = rows.data() + i * columns;
                    row[0] = 1;
                    status[i] = (*measure)(text_at(ours, system_spans, i), text_at(theirs, gold_spans, i), row + 1);
                };
            });
        };
        using Forms = logic::Measure<logic::FormSide, logic::FormReader>;
        using Trees = logic::Measure<logic::TreeSide, logic::TreeReader>;
        if (options.dialect == logic::Dialect::varfree) run([&] { return std::make_shared<Trees>(options); });
        else run([&] { return std::make_shared<Forms>(options); });
    }
    return nb::make_tuple(to_numpy(std::move(rows), {count, columns}), to_numpy(std::move(status), {count}));
}

using karat::Names;

// A string of ASCII, as all terminals are.
nb::str string_of(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::object argument_of(const Names &names, std::int32_t argument) {
    const std::string text(names[argument / 2]);
    if (!logic::is_constant(argument)) return string_of(text);
    return nb::steal(PyLong_FromString(text.c_str(), nullptr, 10));
}

nb::list terms_of(const Names &names, const std::vector<logic::Term> &terms) {
    nb::list found;
    for (const logic::Term &term : terms) {
        const nb::object first = argument_of(names, term.first);
        nb::object arguments = term.second < 0 ? nb::make_tuple(first)
                                               : nb::make_tuple(first, argument_of(names, term.second));
        found.append(nb::make_tuple(string_of(names[term.predicate]), arguments));
    }
    return found;
}

nb::list strings_of(const Names &names, const std::vector<std::int32_t> &numbers) {
    nb::list found;
    for (const std::int32_t number : numbers) found.append(number < 0 ? nb::str("") : string_of(names[number]));
    return found;
}

nb::tuple parts_of(const Names &names, const logic::Form &form) {
    static const char *const types[] = {"name", "lambda", "iota"};
    nb::list binders;
    for (const std::int32_t letter : form.binders) binders.append(string_of(names[letter / 2]));
    return nb::make_tuple(types[static_cast<int>(form.type)], terms_of(names, form.conjuncts),
                          terms_of(names, form.definite), binders,
                          form.name < 0 ? nb::str("") : string_of(names[form.name]));
}

nb::tuple flaw_of(const logic::Flaw &flaw, std::string_view text) {
    return nb::make_tuple(flaw.at - text.data(), flaw.expected);
}

nb::tuple read_form(nb::bytes text, const std::string &dialect) {
    const std::string_view bytes = view(text);
    Names names;
    logic::Form form;
    logic::Starts starts;
    logic::FormReader reader(dialect_of(dialect), names);
    reader.starts = &starts;
    if (!reader.read(bytes, form)) return nb::make_tuple(flaw_of(reader.flaw, bytes), nb::none(), nb::none());
    nb::list places;
    for (const char *const at : starts.definite) places.append(at - bytes.data());
    for (const char *const at : starts.conjuncts) places.append(at - bytes.data());
    return nb::make_tuple(nb::none(), parts_of(names, form), form.strict ? nb::object(nb::none()) : places);
}

nb::tuple read_tree(nb::bytes text) {
    const std::string_view bytes = view(text);
    Names names;
    logic::Tree tree;
    logic::TreeReader reader(names);
    if (!reader.read(bytes, tree)) return nb::make_tuple(flaw_of(reader.flaw, bytes), nb::none(), nb::none());
    if (tree.is_form) return nb::make_tuple(nb::none(), nb::none(), parts_of(names, tree.form));
    nb::list parents;
    for (const std::int32_t parent : tree.parents) parents.append(parent);
    return nb::make_tuple(nb::none(), nb::make_tuple(strings_of(names, tree.labels), parents, strings_of(names, tree.roles)),
                          nb::none());
}

bool is_form(nb::bytes text, const std::string &dialect, bool strict) {
    const std::string_view bytes = view(text);
    const logic::Dialect wanted = dialect_of(dialect);
    karat::Names names;
    if (wanted == logic::Dialect::varfree) {
        logic::Tree tree;
        return logic::TreeReader(names).read(bytes, tree);
    }
    logic::Form form;
    return logic::FormReader(wanted, names).read(bytes, form) && (!strict || form.strict);
}

// The number of the system's constant for each of gold, None where the meaning is another; and whether that is decided.
nb::tuple rename_constants(const std::vector<logic::OpenTerm> &system, const std::vector<logic::OpenTerm> &gold,
                           std::int64_t steps) {
    logic::RenamingSearch search;
    const logic::Meaning found = search(system, gold, steps);
    const nb::object partners = found == logic::Meaning::same ? nb::cast(search.partners) : nb::object(nb::none());
    return nb::make_tuple(partners, found != logic::Meaning::open);
}

// Explanations and what a page shows of pairs; None where a gold form is ill-formed.
nb::object look_at_forms(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans,
                         const std::string &dialect, bool strict, bool told, bool shown) {
    check_sides(system_spans, system.size(), gold_spans, gold.size());
    const logic::Dialect wanted = dialect_of(dialect);
    if (wanted == logic::Dialect::varfree) throw nb::value_error("trees have no terms");
    logic::FormLook look(wanted, strict, told, shown);
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; look.good && i < system_spans.shape(0); ++i) {
            look.add(text_at(ours, system_spans, i), text_at(theirs, gold_spans, i));
        }
    }
    if (!look.good) return nb::none();
    using karat::bindings::to_python;
    look.shown.golds = std::move(look.golds);
    look.shown.systems = std::move(look.systems);
    look.shown.views = std::move(look.views);
    nb::list layers;
    if (look.marked) layers.append("terms");
    return nb::make_tuple(to_python(look.explanations), to_python(std::move(look.shown), layers, look.drawn));
}

// The cells of lines that have so many, separated by tabs; -1 where a line has more or less.
nb::ndarray<nb::numpy, std::int64_t> tab_cells(nb::bytes data, Spans lines, std::size_t columns) {
    check_spans(lines, data.size());
    if (columns == 0) throw nb::value_error("a line has one cell at least");
    const std::size_t count = lines.shape(0);
    std::vector<std::int64_t> cells(count * columns * 2);
    {
        const std::string_view text = view(data);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t *const first = cells.data() + i * columns * 2, *const last = first + columns * 2;
            std::int64_t *cell = first;
            const std::string_view line = text_at(text, lines, i);
            std::size_t begin = 0, tab = 0;
            while (cell != last && tab != std::string_view::npos) {
                tab = line.find('\t', begin);
                *cell++ = lines(i, 0) + static_cast<std::int64_t>(begin);
                *cell++ = tab == std::string_view::npos ? lines(i, 1) : lines(i, 0) + static_cast<std::int64_t>(tab);
                begin = tab + 1;
            }
            if (cell != last || tab != std::string_view::npos) std::fill(first, last, -1);
        }
    }
    return to_numpy(std::move(cells), {count, columns, 2});
}

// Whether texts are the same, pair by pair.
bool same_texts(nb::bytes a, Spans a_spans, nb::bytes b, Spans b_spans) {
    check_sides(a_spans, a.size(), b_spans, b.size());
    const std::string_view ours = view(a), theirs = view(b);
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < a_spans.shape(0); ++i) {
        if (text_at(ours, a_spans, i) != text_at(theirs, b_spans, i)) return false;
    }
    return true;
}

constexpr const char *measure_doc =
    R"(Counts of pairs of logical forms, from their texts in UTF-8: (rows, status).

spans    int64 (pairs, 2)    where the form of each pair begins and ends in the data
groups   names of groups of columns: exact, well_formed, order, order_set, semantic, edits, bleu, parts
rows     float64             a one, then the columns of the groups
status   uint8 (pairs,)      1: gold is ill-formed, and the row says nothing; 2: the system is)";

constexpr const char *read_doc =
    R"(A logical form in UTF-8: (flaw, form, places).

flaw     (offset, what is expected there); None for a well-formed text
form     (type, conjuncts, definite, binders, name), a term being (predicate, arguments)
places   where the terms begin, definite ones first, if the form breaks the strict rules)";

constexpr const char *look_doc =
    R"(What is wrong with forms, where that is asked for: (explanations, members of ShownPairs).

Both are JSON, and empty for pairs whose system's form is ill-formed. The golds lack the source. None where a gold form is
ill-formed.)";

constexpr const char *rename_doc =
    R"(The renaming by which terms are the same up to order: (partners, decided).

system, gold   (label, arguments) of each term; a constant is its number, from 0 in order of appearance,
               any other argument is below 0
partners       for each constant of gold that of the system; None where there is no such renaming
decided        whether the steps were enough)";

}  // namespace

void bind_logic(nb::module_ &module) {
    using namespace nb::literals;
    module.def("measure_forms", &measure_forms, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, "groups"_a,
               nb::kw_only(), "dialect"_a, "strict"_a = false, "sets"_a = false, "legacy"_a = false, "threads"_a = 1,
               measure_doc);
    module.def("is_form", &is_form, "text"_a, nb::kw_only(), "dialect"_a, "strict"_a = false,
               "Whether a text in UTF-8 is a well-formed logical form.");
    module.def("read_form", &read_form, "text"_a, "dialect"_a, read_doc);
    module.def("read_tree", &read_tree, "text"_a,
               "A variable-free form: (flaw, (labels, parents, roles), form), of which one is not None.");
    module.def("look_at_forms", &look_at_forms, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, nb::kw_only(),
               "dialect"_a, "strict"_a, "told"_a, "shown"_a, look_doc);
    module.def("rename_constants", &rename_constants, "system"_a, "gold"_a, "steps"_a, rename_doc);
    module.def("tab_cells", &tab_cells, "data"_a, "lines"_a, "columns"_a,
               "Begin and end of each cell of lines, int64 (lines, columns, 2); -1 where a line has another number.");
    module.def("same_texts", &same_texts, "a"_a, "a_spans"_a, "b"_a, "b_spans"_a,
               "Whether the texts of all pairs are the same.");
}
