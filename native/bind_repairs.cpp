// The steps that repair graphs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "graph_pairs.hpp"
#include "karat/mrp_repairs.hpp"
#include "spans.hpp"

namespace nb = nanobind;
namespace mrp = karat::mrp;
namespace repair = karat::repair;
using karat::bindings::Spans;
using karat::bindings::text_at;
using karat::bindings::to_numpy;
using karat::bindings::Vector;
using karat::bindings::view;
using Id = karat::matching::Id;

namespace {

using Lowered = std::vector<std::pair<nb::bytes, nb::bytes>>;

// What a metric repairs; the metric edm has a variant. What is counted may be more.
std::unique_ptr<mrp::PairRepair> repair_by(const std::string &metric, bool variant, bool counted, const Lowered &lowered) {
    std::unique_ptr<mrp::PlacedComparison> placed;
    if (metric == "edm") placed = std::make_unique<mrp::EdmComparison>(variant);
    else if (metric == "ucca-mrp") placed = std::make_unique<mrp::YieldComparison>(counted);
    else if (metric != "mrp" || counted) throw nb::value_error("no metric of this name is repaired here");
    auto pair = std::make_unique<mrp::PairRepair>(std::move(placed));
    for (const auto &[text, lower] : lowered) pair->reader().lower.known.emplace(view(text), view(lower));
    return pair;
}

nb::list asked_by(mrp::PairRepair &pair) {
    nb::list asked;
    for (const std::string &text : pair.reader().lower.asked) asked.append(nb::bytes(text.data(), text.size()));
    return asked;
}

// Where texts end in one stretch of bytes.
struct Texts {
    std::string text;
    std::vector<std::size_t> ends;

    nb::list take() const {
        nb::list result;
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            result.append(nb::str(text.data() + begin, end - begin));
            begin = end;
        }
        return result;
    }
};

nb::tuple repair_mrp(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans, const Lowered &lowered,
                     Vector<Id> mapping, Vector<std::int64_t> offsets, const std::string &metric, bool variant) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    const std::size_t count = gold_spans.shape(0);
    karat::bindings::check_offsets(offsets, count, mapping.shape(0));
    using Way = std::tuple<repair::Part, repair::Action, std::string, std::string, std::size_t>;
    std::map<Way, std::int64_t> ways;
    std::vector<std::int64_t> way_of, bounds{0};
    std::vector<std::uint8_t> plain(count), sums(count);
    Texts systems, golds;
    const std::unique_ptr<mrp::PairRepair> found = repair_by(metric, variant, false, lowered);
    mrp::PairRepair &pair = *found;
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < count; ++i) {
            const auto begin = static_cast<std::size_t>(offsets(i)), end = static_cast<std::size_t>(offsets(i + 1));
            plain[i] = pair.read(text_at(theirs, gold_spans, i), text_at(ours, system_spans, i),
                                 {mapping.data() + begin, end - begin});
            if (plain[i]) {
                sums[i] = pair.is_counted_once();
                for (std::size_t k = 0; k < pair.steps().size(); ++k) {
                    const repair::Step &step = pair.steps()[k];
                    const auto number = static_cast<std::int64_t>(ways.size());
                    way_of.push_back(ways.emplace(Way{step.part, step.action, pair.added(k), pair.removed(k),
                                                      step.missing.size() + step.surplus.size()},
                                                  number).first->second);
                    pair.tell(step, false, systems.text), systems.ends.push_back(systems.text.size());
                    pair.tell(step, true, golds.text), golds.ends.push_back(golds.text.size());
                }
            }
            bounds.push_back(static_cast<std::int64_t>(way_of.size()));
        }
    }
    static constexpr const char *parts[] = {"node", "top", "label", "property", "anchor", "edge", "attribute"};
    static constexpr const char *actions[] = {"add", "delete", "relabel", "reattach"};
    nb::list told;
    for (std::size_t i = 0; i < ways.size(); ++i) told.append(nb::none());
    for (const auto &[way, number] : ways) {
        const auto &[part, action, added, removed, single] = way;
        const std::string kind = std::string(parts[static_cast<std::size_t>(part)]) + " " + actions[static_cast<std::size_t>(action)];
        told[static_cast<std::size_t>(number)] =
            nb::make_tuple(kind, nb::bytes(added.data(), added.size()), nb::bytes(removed.data(), removed.size()), single);
    }
    const std::size_t edits = way_of.size();
    return nb::make_tuple(to_numpy(std::move(plain), {count}), to_numpy(std::move(sums), {count}), told,
                          to_numpy(std::move(way_of), {edits}), to_numpy(std::move(bounds), {count + 1}),
                          systems.take(), golds.take(), asked_by(pair));
}

nb::tuple count_repaired_mrp(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans,
                             const Lowered &lowered, const std::vector<std::vector<std::vector<std::uint32_t>>> &chosen,
                             const std::string &metric, bool variant) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    if (chosen.size() != gold_spans.shape(0)) throw nb::value_error("as many lists of steps as pairs");
    const std::unique_ptr<mrp::PairRepair> found = repair_by(metric, variant, true, lowered);
    mrp::PairRepair &pair = *found;
    const std::size_t columns = 3 * pair.kinds();
    std::vector<std::uint8_t> plain;
    std::vector<std::int64_t> counts;
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const bool good = pair.read(text_at(theirs, gold_spans, i), text_at(ours, system_spans, i), {});
            for (const repair::Numbers &each : chosen[i]) {
                counts.resize(counts.size() + columns);
                const bool known = std::all_of(each.begin(), each.end(), [&](auto n) { return n < pair.steps().size(); });
                plain.push_back(good && known && pair.count_after(each, counts.data() + counts.size() - columns));
            }
        }
    }
    const std::size_t rows = plain.size();
    return nb::make_tuple(to_numpy(std::move(plain), {rows}), to_numpy(std::move(counts), {rows, columns}), asked_by(pair));
}

constexpr const char *repair_doc =
    R"(The steps that repair pairs of MRP graphs: (plain, sums, ways, way, bounds, systems, golds, asked).

metric    mrp, which needs mappings, or edm (whose variant has constants as a kind of their own) or ucca-mrp
plain     uint8 (pairs,)      0 where a line needs the full reader, or the mapping is not one; it has no steps
sums      uint8 (pairs,)      whether all that steps add or take away is an item of its own
ways      (kind, added, removed, single) of steps: bytes are the kinds of what is counted, single all that changes
way       int64 (steps,)      the way of each step, of all pairs
bounds    int64 (pairs + 1,)  where the steps of each pair begin
systems   what each step takes away, golds what it adds, in words
asked     strings whose lower case has to be given in `lowered`, else the result says nothing)";

}  // namespace

void bind_repairs(nb::module_ &module) {
    using namespace nb::literals;
    module.def("repair_mrp", &repair_mrp, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, "lowered"_a,
               "mapping"_a, "offsets"_a, nb::kw_only(), "metric"_a, "variant"_a = false, repair_doc);
    module.def("count_repaired_mrp", &count_repaired_mrp, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a,
               "lowered"_a, "chosen"_a, nb::kw_only(), "metric"_a, "variant"_a = false,
               "By kind how many tuples gold, the system and both have after some steps, but not all, of each pair, for "
               "each list of them: (plain, counts, asked). The metric is edm or ucca-mrp.");
}
