#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <utility>

#include "karat/mrp.hpp"
#include "spans.hpp"
#include "tuple_tables.hpp"

namespace nb = nanobind;
namespace mrp = karat::mrp;
using karat::bindings::Spans;
using karat::bindings::text_at;
using karat::bindings::to_numpy;
using karat::bindings::view;

namespace {

// What items are grouped by: framework, language, source.
using Told = std::array<mrp::Text, 3>;

nb::object text_of(const mrp::Text &text) {
    if (!text.present) return nb::none();
    return nb::str(text.value.data(), text.value.size());
}

nb::tuple mrp_tuples(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans,
                     const std::vector<std::pair<nb::bytes, nb::bytes>> &lowered, bool lenient) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    const std::size_t count = gold_spans.shape(0);
    std::vector<std::uint8_t> plain(count);
    std::vector<karat::matching::Id> nodes(2 * count, 0), modes(count, 0);
    std::vector<std::int64_t> words(count, -1);
    std::vector<Told> told(count);
    karat::bindings::TupleTables gold_tables, system_tables;
    mrp::PairReader reader;
    for (const auto &[text, lower] : lowered) reader.lower.known.emplace(view(text), view(lower));
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < count; ++i) {
            plain[i] = reader.read(text_at(theirs, gold_spans, i), text_at(ours, system_spans, i), lenient);
            if (plain[i]) {
                const mrp::Graph &graph = reader.gold;
                modes[i] = mrp::is_ordered(graph);
                told[i] = {graph.framework, graph.language, graph.source};
                if (graph.input.present) words[i] = mrp::count_words(graph.input.value);
            }
            nodes[2 * i] = reader.gold_tuples.nodes, nodes[2 * i + 1] = reader.system_tuples.nodes;
            gold_tables.add(reader.gold_tuples), system_tables.add(reader.system_tuples);
        }
    }
    nb::list fields, asked;
    for (const Told &each : told) fields.append(nb::make_tuple(text_of(each[0]), text_of(each[1]), text_of(each[2])));
    for (const std::string &text : reader.lower.asked) asked.append(nb::bytes(text.data(), text.size()));
    return nb::make_tuple(to_numpy(std::move(plain), {count}), to_numpy(std::move(nodes), {count, 2}),
                          to_numpy(std::move(modes), {count}), gold_tables.take(), system_tables.take(),
                          to_numpy(std::move(words), {count}), fields, asked);
}

constexpr const char *tuples_doc =
    R"(Tuples of graphs in the MRP format: (plain, nodes, modes, gold, system, words, fields, asked).

plain    uint8 (pairs,)     0 where a line needs the full reader; its tables are empty
nodes    int32 (pairs, 2)   numbers of gold and system nodes
modes    int32 (pairs,)     1 where correspondences keep the order of nodes
gold     features int32 (., 3), their offsets, edges int32 (., 4), their offsets; so system
words    int64 (pairs,)     how many words the input of gold has; -1 without input
fields   framework, language and source of gold, or None
asked    strings whose lower case has to be given in `lowered`; without it the numbers say nothing

With `lenient`, what the full reader puts right with a notice does not need it.)";

}  // namespace

void bind_mrp(nb::module_ &module) {
    using namespace nb::literals;
    module.def("mrp_tuples", &mrp_tuples, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, "lowered"_a,
               nb::kw_only(), "lenient"_a = false, tuples_doc);
}
