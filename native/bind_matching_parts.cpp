// Pieces of the matcher by themselves, for the tests that hold each against a slow twin.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "graph_pairs.hpp"
#include "karat/matching.hpp"

namespace nb = nanobind;
namespace matching = karat::matching;
using karat::bindings::Pairs;
using matching::Code;
using matching::Id;
using matching::Value;

namespace {

using Ids = std::vector<Id>;
using Values = std::vector<Value>;
using Codes = std::vector<Code>;

matching::Budget unlimited() { return matching::Budget(std::numeric_limits<Value>::max()); }

// The first pair, its tuples and what of them can match.
struct Given {
    matching::Pair pair;
    matching::Tuples gold, system;
    matching::Incidence incidence;

    explicit Given(const Pairs &pairs) {
        pairs.check();
        if (pairs.count() != 1) throw nb::value_error("one pair at a time");
        pair = pairs[0];
        if (pair.mode != matching::Mode::free) throw nb::value_error("for pairs without constraints");
        gold.assign(pair.gold);
        system.assign(pair.system);
        incidence.assign(pair, gold, system, pairs.kinds().weight.data);
    }

    // The problem on candidates given as codes.
    matching::Problem on(const Codes &codes) const {
        const auto cells = static_cast<Code>(pair.gold.nodes) * static_cast<Code>(pair.system.nodes);
        for (std::size_t at = 0; at < codes.size(); ++at) {
            if (codes[at] >= cells || (at > 0 && codes[at] <= codes[at - 1])) throw nb::value_error("codes in order");
        }
        matching::Problem problem;
        matching::build_on(incidence, codes, problem);
        return problem;
    }
};

void check_order(const Ids &order, Id nodes) {
    std::vector<char> seen(static_cast<std::size_t>(nodes), 0);
    for (const Id node : order) {
        if (node < 0 || node >= nodes || seen[static_cast<std::size_t>(node)]++) throw nb::value_error("no order");
    }
    if (order.size() != seen.size()) throw nb::value_error("no order");
}

// Both halves of each link from the one at its lower end.
Values both_halves(const matching::Problem &problem, const Values &lower, Value scale) {
    if (2 * lower.size() != problem.slot_other.size()) throw nb::value_error("one multiplier for each link");
    Values halves(problem.slot_other.size());
    std::size_t at = 0;
    for (Id s = 0; s < problem.slots(); ++s) {
        const Id mate = problem.slot_mate[s];
        if (s > mate) continue;
        halves[s] = lower[at++];
        halves[mate] = problem.slot_weight[s] * scale - halves[s];
    }
    return halves;
}

using Sides = std::vector<std::pair<std::vector<Ids>, std::vector<std::vector<std::pair<Id, Id>>>>>;

std::tuple<Sides, Values, Values, Value> incidence(const Pairs &pairs) {
    const Given given(pairs);
    Sides sides;
    for (const auto *side : {&given.incidence.gold, &given.incidence.system}) {
        sides.emplace_back();
        for (Id node = 0; node < side->nodes; ++node) {
            const auto features = side->features[node];
            sides.back().first.emplace_back(features.begin(), features.end());
            sides.back().second.emplace_back();
            for (const auto &half : side->halves[node]) sides.back().second.back().push_back({half.key, half.other});
        }
    }
    return {sides, given.incidence.feature_weight, given.incidence.half_weight, given.incidence.products};
}

std::pair<Ids, Ids> canonical_orders(const Pairs &pairs) {
    const Given given(pairs);
    matching::CanonicalOrder order;
    auto budget = unlimited();
    order.find(given.incidence, budget);
    return {order.gold, order.system};
}

Ids seeds(const Pairs &pairs) {
    const Given given(pairs);
    matching::Seeds seeds;
    auto budget = unlimited();
    return seeds.find(given.incidence, budget);
}

using Rows = std::vector<std::vector<Id>>;

std::tuple<std::vector<Rows>, Ids, Codes, Values> renumbered(const Pairs &pairs, const Ids &gold, const Ids &system,
                                                             const Ids &mapping, const Codes &codes,
                                                             const Values &multipliers, Value scale) {
    const Given given(pairs);
    check_order(gold, given.pair.gold.nodes);
    check_order(system, given.pair.system.nodes);
    for (const Id j : mapping) {
        if (j < -1 || j >= given.pair.system.nodes) throw nb::value_error("no mapping");
    }
    if (mapping.size() != gold.size()) throw nb::value_error("no mapping");
    matching::Renumbering renumbering;
    renumbering.assign(given.pair, gold, system);
    const matching::Pair &pair = renumbering.pair();
    std::vector<Rows> tables;
    for (const auto *side : {&pair.gold, &pair.system}) {
        tables.emplace_back();
        for (const auto &f : side->features) tables.back().push_back({f.node, f.kind, f.value});
        tables.emplace_back();
        for (const auto &e : side->edges) tables.back().push_back({e.source, e.target, e.kind, e.value});
    }
    Given ordered(pairs);
    ordered.pair = pair;
    ordered.gold.assign(pair.gold);
    ordered.system.assign(pair.system);
    ordered.incidence.assign(pair, ordered.gold, ordered.system, pairs.kinds().weight.data);
    const matching::Problem problem = ordered.on(codes);
    return {tables, renumbering.original_mapping(mapping), renumbering.original_codes(problem),
            renumbering.original_multipliers(problem, both_halves(problem, multipliers, scale))};
}

std::pair<Values, std::vector<std::tuple<Id, Id, Value>>> core(const Pairs &pairs, const Codes &codes) {
    const matching::Problem problem = Given(pairs).on(codes);
    std::vector<std::tuple<Id, Id, Value>> links;
    for (Id c = 0; c < problem.candidates(); ++c) {
        for (Id s = problem.slot_begin[c]; s < problem.slot_begin[c + 1]; ++s) {
            links.push_back({c, problem.slot_other[s], problem.slot_weight[s]});
        }
    }
    return {problem.reward, links};
}

std::tuple<Value, Values, Codes, Codes> priced_core(const Pairs &pairs, const Codes &codes, const Values &multipliers,
                                                    const Values &column, Value need, Value scale) {
    const Given given(pairs);
    if (column.size() != static_cast<std::size_t>(given.pair.system.nodes)) throw nb::value_error("a price per column");
    const matching::Problem problem = given.on(codes);
    const Values halves = both_halves(problem, multipliers, scale);
    auto budget = unlimited();
    matching::Dual dual;
    dual.build(problem, scale, &halves);
    matching::Sifting sifting;
    sifting.build(given.incidence, scale);
    const Values profit = dual.refresh(budget);
    const auto priced = sifting.price(problem, profit, column, budget);
    Codes survivors;
    sifting.survivors(problem, profit, column, priced, need, std::numeric_limits<std::size_t>::max(), survivors, budget);
    return {priced.bound, priced.row, priced.violating, survivors};
}

}  // namespace

void bind_matching_parts(nb::module_ &module) {
    using namespace nb::literals;
    module.def("matching_incidence", &incidence, "pairs"_a,
               "Features and halves of the nodes of both sides, weights of their keys, and pairs that could match.");
    module.def("matching_canonical_orders", &canonical_orders, "pairs"_a, "The nodes of both sides in canonical order.");
    module.def("matching_seeds", &seeds, "pairs"_a, "The first mapping that colour refinement gives.");
    module.def("matching_renumbered", &renumbered, "pairs"_a, "gold"_a, "system"_a, "mapping"_a, "codes"_a, "multipliers"_a,
               "scale"_a,
               "Tables of the pair in another order; mapping, codes and multipliers in that order brought back.");
    module.def("matching_core", &core, "pairs"_a, "codes"_a, "Rewards of candidates, and the links between them.");
    module.def("matching_priced_core", &priced_core, "pairs"_a, "codes"_a, "multipliers"_a, "column"_a, "need"_a, "scale"_a,
               "Bound, prices of rows, violating candidates and survivors, from what a core's multipliers prove.");
}
