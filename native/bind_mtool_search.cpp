#include "graph_pairs.hpp"
#include "karat/matching/mtool_search.hpp"
#include "karat/matching/tuples.hpp"
#include "karat/parallel.hpp"

namespace nb = nanobind;
namespace matching = karat::matching;
using karat::bindings::check_offsets;
using karat::bindings::Interruption;
using karat::bindings::Pairs;
using karat::bindings::to_numpy;
using karat::bindings::Vector;
using matching::Id;
using matching::Value;

namespace {

nb::tuple search_like_mtool(const Pairs &pairs, const Vector<Id> &overlaps, const Vector<Value> &overlap_offsets,
                            const Vector<Id> &starts, const Vector<Value> &start_offsets, Value limit,
                            std::size_t threads) {
    pairs.check();
    const std::size_t count = pairs.count();
    const std::vector<std::size_t> first = pairs.gold_offsets();
    check_offsets(overlap_offsets, count, overlaps.shape(0));
    check_offsets(start_offsets, count, starts.shape(0));
    const auto part = [](const Vector<Id> &values, const Vector<Value> &offsets, std::size_t i) {
        return matching::Span<Id>{values.data() + offsets(i), static_cast<std::size_t>(offsets(i + 1) - offsets(i))};
    };
    for (std::size_t i = 0; i < count; ++i) {
        const matching::Pair pair = pairs[i];
        const auto gold = static_cast<std::size_t>(pair.gold.nodes), system = static_cast<std::size_t>(pair.system.nodes);
        const auto overlap = part(overlaps, overlap_offsets, i), start = part(starts, start_offsets, i);
        if (overlap.size && overlap.size != gold * system) throw nb::value_error("one overlap for each pair of nodes");
        if (start.size && start.size != gold) throw nb::value_error("one initial partner for each gold node");
        for (const Id j : start) {
            if (j < -1 || j >= pair.system.nodes) throw nb::value_error("an initial partner is out of range");
        }
    }
    std::vector<Id> mapping(first[count]);
    std::vector<Value> steps(count);
    Interruption interruption;
    interruption.guard([&] {
        karat::parallel_for(count, threads, [&] {
            return [&, search = matching::MtoolSearch()](std::size_t i) mutable {
                const matching::SearchResult found = search.run(pairs[i], part(overlaps, overlap_offsets, i),
                                                                part(starts, start_offsets, i), limit);
                std::copy(found.mapping.begin(), found.mapping.end(), mapping.begin() + first[i]);
                steps[i] = found.steps;
                Interruption::tick(&interruption);
            };
        });
    });
    const std::size_t nodes = mapping.size();
    return nb::make_tuple(to_numpy(std::move(mapping), {nodes}), to_numpy(std::move(steps), {count}));
}

nb::ndarray<nb::numpy, Value> count_pairs(const Pairs &pairs, const Vector<Id> &mapping) {
    pairs.check();
    const std::size_t count = pairs.count(), kinds = pairs.kinds().size();
    const std::vector<std::size_t> first = pairs.gold_offsets();
    if (mapping.shape(0) != first[count]) throw nb::value_error("one mapping entry for each gold node");
    std::vector<Value> counts(count * 3 * kinds, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const matching::Pair pair = pairs[i];
        for (std::size_t node = first[i]; node < first[i + 1]; ++node) {
            if (mapping(node) < -1 || mapping(node) >= pair.system.nodes) {
                throw nb::value_error("a mapping entry is out of range");
            }
        }
        matching::Tuples gold, system;
        gold.assign(pair.gold), system.assign(pair.system);
        Value *row = counts.data() + i * 3 * kinds;
        gold.count(row), system.count(row + kinds);
        matching::count_matches(gold, system, mapping.data() + first[i], row + 2 * kinds);
    }
    return to_numpy(std::move(counts), {count, 3, kinds});
}

constexpr const char *search_doc =
    R"(What mtool's search finds for all pairs: (mapping, steps).

The kinds of `pairs` are tops, labels, properties, anchors, edges, attributes (name and value)
and nodes without label, in this order. Mode 1 is bilexical, mode 2 has the constraint of UCCA.

overlaps   int32  for each pair nothing, or the overlap of yields for each gold and system node
starts     int32  for each pair nothing, or the initial partner of each gold node, -1 for none
limit      tentative pairings for each pair; more than that in steps means it did not finish)";

constexpr const char *count_doc =
    R"(int64 (pairs, 3, kinds): distinct tuples of gold, of system, and those that mappings match.)";

}  // namespace

void bind_mtool_search(nb::module_ &module) {
    using namespace nb::literals;
    module.def("search_like_mtool", &search_like_mtool, "pairs"_a, nb::kw_only(), "overlaps"_a, "overlap_offsets"_a,
               "starts"_a, "start_offsets"_a, "limit"_a, "threads"_a = 1, search_doc);
    module.def("count_pairs", &count_pairs, "pairs"_a, "mapping"_a, count_doc);
}
