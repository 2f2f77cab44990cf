#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "karat/penman.hpp"
#include "karat/penman_triples.hpp"
#include "karat/statements.hpp"
#include "tuple_tables.hpp"

namespace nb = nanobind;
namespace penman = karat::penman;
namespace statements = karat::statements;
using karat::bindings::to_numpy;
using Id = karat::matching::Id;

namespace {

// Both sides of all pairs, by a reader that gives false for a text which is not plain.
template <class Read>
nb::tuple triples_of_pairs(const std::vector<std::string> &golds, const std::vector<std::string> &systems, Read read) {
    if (golds.size() != systems.size()) throw nb::value_error("as many gold as system graphs");
    const std::size_t count = golds.size();
    std::vector<std::uint8_t> plain(count);
    std::vector<Id> nodes(2 * count, 0);
    karat::bindings::TupleTables gold_tables, system_tables;
    {
        nb::gil_scoped_release release;
        penman::Triples gold, system;
        for (std::size_t i = 0; i < count; ++i) {
            plain[i] = read(golds[i], gold) && read(systems[i], system);
            if (!plain[i]) gold.clear(), system.clear();
            nodes[2 * i] = gold.nodes, nodes[2 * i + 1] = system.nodes;
            gold_tables.add(gold), system_tables.add(system);
        }
    }
    return nb::make_tuple(to_numpy(std::move(plain), {count}), to_numpy(std::move(nodes), {count, 2}),
                          gold_tables.take(), system_tables.take());
}

nb::tuple penman_triples(const std::vector<std::string> &golds, const std::vector<std::string> &systems,
                         bool top_is_concept) {
    penman::TripleReader reader;
    karat::Names names;
    return triples_of_pairs(golds, systems, [&](const std::string &text, penman::Triples &triples) {
        return reader.read(text, names, top_is_concept, triples);
    });
}

using Reifications = std::vector<std::array<std::string, 4>>;

nb::tuple standardized_triples(const std::vector<std::string> &golds, const std::vector<std::string> &systems,
                               const std::string &style, bool as_tool, const Reifications &reifications,
                               const Reifications &reified) {
    using statements::Style;
    if (style != "none" && style != "generic" && style != "amr") throw nb::value_error("no such style");
    const auto known = [](const Reifications &given) {
        std::vector<statements::Reification> found;
        for (const auto &[concept_name, role, first, second] : given) {
            found.push_back({concept_name, role, first, second});
        }
        return found;
    };
    statements::Standardizer standardizer(
        style == "none" ? Style::none : style == "generic" ? Style::generic : Style::amr, as_tool,
        known(reifications), known(reified));
    return triples_of_pairs(golds, systems, [&](const std::string &text, penman::Triples &triples) {
        return standardizer.read(text, triples);
    });
}

bool is_plain_penman(std::string_view text) {
    thread_local penman::PlainReader reader;
    return reader.parse(text);
}

// Text from UTF-8; half a surrogate pair, which UTF-8 has no way to write, stays what it is.
nb::object text_of(std::string_view text, bool escaped = false) {
    const std::string plain = escaped ? penman::unescaped(text) : std::string();
    if (escaped) text = plain;
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

// As many characters as there are before a place.
std::size_t characters_before(std::string_view text, std::size_t place) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

constexpr const char *names_of_problems[] = {"",           "surplus",    "unclosed",   "no graph", "no variable",
                                             "twice",      "no concept", "unexpected", "no value", "after the end"};

nb::tuple read_penman(nb::str given, bool chinese, bool strict) {
    const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(given.ptr(), "utf-8", "surrogatepass"));
    if (!encoded.is_valid()) throw nb::python_error();
    char *bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(encoded.ptr(), &bytes, &size) < 0) throw nb::python_error();
    const std::string_view text(bytes, static_cast<std::size_t>(size));
    thread_local penman::Reader reader;
    const bool good = reader.parse(text, chinese, strict);
    nb::list variables, concepts, roles;
    if (good) {
        for (const penman::Node &node : reader.nodes()) {
            variables.append(text_of(node.variable));
            if (node.has_concept) concepts.append(text_of(node.concept_name, node.escaped));
            else concepts.append(nb::none());
        }
        const nb::str kinds[] = {nb::str("variable"), nb::str("string"), nb::str("symbol")};
        for (const penman::Role &role : reader.roles()) {
            roles.append(nb::make_tuple(role.source, text_of(role.name), text_of(role.value, role.escaped),
                                        kinds[static_cast<int>(role.kind)], role.nested));
        }
    }
    const char *problem = names_of_problems[static_cast<int>(reader.problem())];
    const nb::object found = good ? nb::str("") : text_of(reader.found());
    return nb::make_tuple(variables, concepts, roles, problem, good ? 0 : characters_before(text, reader.place()),
                          found);
}

constexpr const char *read_doc =
    R"(A graph in PENMAN notation: (variables, concepts, roles, problem, place, found).

Roles are (number of the source, name, value, kind, nested); alignments are left out. The problem is
"" where there is none, and "surplus" or "unclosed" brackets are tolerated unless strict; any other
one comes with its place in the text, in characters, what is found there, and no graph.)";

constexpr const char *triples_doc =
    R"(Triples of AMR graphs in PENMAN notation: (plain, nodes, gold tables, system tables).

plain   uint8 (pairs,)     0 where a text needs the full reader; its tables are empty
nodes   int32 (pairs, 2)   numbers of gold and system variables
tables  features int32 (., 3), their offsets, edges int32 (., 4), their offsets

Kinds are 0 for instances, 1 for attributes, 2 for relations; values are numbers that agree
within a pair.)";

constexpr const char *standardized_doc =
    R"(Triples of AMR graphs in PENMAN notation, standardised as smatch++ does; tables as above.

style          none, generic or amr
as_tool        read as smatch++ does, words between blanks and brackets
reifications   concept, role, and the roles of its two ends, for concepts that become edges
reified        the same for roles whose edges become nodes

The last node of each side stands for what is said of no variable.)";

}  // namespace

void bind_penman(nb::module_ &module) {
    using namespace nb::literals;
    module.def("penman_triples", &penman_triples, "golds"_a, "systems"_a, nb::kw_only(), "top_is_concept"_a,
               triples_doc);
    module.def("standardized_triples", &standardized_triples, "golds"_a, "systems"_a, nb::kw_only(), "style"_a,
               "as_tool"_a, "reifications"_a, "reified"_a, standardized_doc);
    module.def("read_penman", &read_penman, "text"_a, nb::kw_only(), "chinese"_a = false, "strict"_a = false,
               read_doc);
    module.def("is_plain_penman", &is_plain_penman, "text"_a,
               "Whether a text is a graph that penman_triples reads by itself.");
}
