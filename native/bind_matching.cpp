#include "graph_pairs.hpp"
#include "karat/matching.hpp"
#include "karat/parallel.hpp"

namespace nb = nanobind;
namespace matching = karat::matching;
using karat::bindings::check_offsets;
using karat::bindings::Interruption;
using karat::bindings::Matrix;
using karat::bindings::Pairs;
using karat::bindings::Vector;
using matching::Id;
using matching::Value;

namespace {

// Solves all pairs, each by solve(solver, pair, kinds, tick, context).
template <class Solve>
nb::tuple solve_pairs(const Pairs &pairs, std::size_t threads, Solve solve) {
    const std::size_t count = pairs.count(), kinds = pairs.kinds().size();
    const std::vector<std::size_t> first = pairs.gold_offsets();
    std::vector<Id> mapping(first[count]);
    std::vector<Value> value(count), bound(count), work(count), counts(count * 3 * kinds, 0), offsets(count + 1, 0);
    std::vector<std::uint8_t> settled(count);
    std::vector<std::vector<Value>> certificates(count);
    Interruption interruption;
    interruption.guard([&] {
        karat::parallel_for(count, threads, [&] {
            return [&, solver = matching::Solver()](std::size_t i) mutable {
                matching::Solution solution =
                    solve(solver, pairs[i], pairs.kinds(), &Interruption::tick, &interruption);
                std::copy(solution.mapping.begin(), solution.mapping.end(), mapping.begin() + first[i]);
                value[i] = solution.value, bound[i] = solution.bound, work[i] = solution.work;
                settled[i] = solution.settled;
                certificates[i] = std::move(solution.certificate);
                Value *row = counts.data() + i * 3 * kinds;
                solver.gold().count(row);
                solver.system().count(row + kinds);
                matching::count_matches(solver.gold(), solver.system(), solution.mapping.data(), row + 2 * kinds);
                Interruption::tick(&interruption);
            };
        });
    });
    std::vector<Value> certificate;
    for (std::size_t i = 0; i < count; ++i) {
        certificate.insert(certificate.end(), certificates[i].begin(), certificates[i].end());
        offsets[i + 1] = static_cast<Value>(certificate.size());
    }
    using karat::bindings::to_numpy;
    const std::size_t size = certificate.size(), nodes = mapping.size();
    return nb::make_tuple(to_numpy(std::move(mapping), {nodes}), to_numpy(std::move(value), {count}),
                          to_numpy(std::move(bound), {count}), to_numpy(std::move(settled), {count}),
                          to_numpy(std::move(work), {count}), to_numpy(std::move(counts), {count, 3, kinds}),
                          to_numpy(std::move(certificate), {size}), to_numpy(std::move(offsets), {count + 1}));
}

nb::tuple match_pairs(const Pairs &pairs, Value budget, Value tie_budget, std::size_t threads) {
    if (budget < 0 || tie_budget < 0) throw nb::value_error("budgets must not be negative");
    pairs.check();
    return solve_pairs(pairs, threads, [&](auto &solver, const auto &pair, const auto &kinds, auto tick, void *context) {
        return solver.solve(pair, kinds, {budget, tie_budget}, tick, context);
    });
}

nb::tuple climb_pairs(const Pairs &pairs, Value budget, Id restarts, std::uint64_t seed, std::size_t threads) {
    if (budget < 0 || restarts < 0) throw nb::value_error("budget and restarts must not be negative");
    pairs.check();
    for (std::size_t i = 0; i < pairs.count(); ++i) {
        if (pairs[i].mode != matching::Mode::free) throw nb::value_error("climbing knows no constraints");
    }
    return solve_pairs(pairs, threads, [&](auto &solver, const auto &pair, const auto &kinds, auto tick, void *context) {
        return solver.climb(pair, kinds, {restarts, seed}, budget, tick, context);
    });
}

nb::tuple check_pairs(const Pairs &pairs, const Vector<Id> &mapping, const Vector<Value> &certificate,
                      const Vector<Value> &certificate_offsets, std::size_t threads) {
    pairs.check();
    const std::size_t count = pairs.count();
    const std::vector<std::size_t> first = pairs.gold_offsets();
    if (mapping.shape(0) != first[count]) throw nb::value_error("one mapping entry for each gold node");
    check_offsets(certificate_offsets, count, certificate.shape(0));
    std::vector<std::uint8_t> valid(count);
    std::vector<Value> value(count), bound(count);
    Interruption interruption;
    interruption.guard([&] {
        karat::parallel_for(count, threads, [&] {
            return [&, solver = matching::Solver()](std::size_t i) mutable {
                const matching::Verdict verdict = solver.check(
                    pairs[i], pairs.kinds(), {mapping.data() + first[i], first[i + 1] - first[i]},
                    {certificate.data() + certificate_offsets(i),
                     static_cast<std::size_t>(certificate_offsets(i + 1) - certificate_offsets(i))});
                valid[i] = verdict.valid, value[i] = verdict.value, bound[i] = verdict.bound;
                Interruption::tick(&interruption);
            };
        });
    });
    using karat::bindings::to_numpy;
    return nb::make_tuple(to_numpy(std::move(valid), {count}), to_numpy(std::move(value), {count}),
                          to_numpy(std::move(bound), {count}));
}

constexpr const char *pairs_doc =
    R"(Pairs of graphs to match, as flat arrays.

nodes            int32 (pairs, 2)  numbers of gold and system nodes
modes            int32 (pairs,)    0 free; 1 order-preserving: i < i' both paired implies j < j';
                                   2 dominated: i' below i both paired implies j' below j, and
                                   nodes that dominate nothing pair only with such nodes
*_features       int32 (., 3)      node, kind, value
*_edges          int32 (., 4)      source, target, kind, value; loops match loops only
*_below          int32 (., 2)      upper, lower: the transitive closure, used in mode 2 only
*_offsets        int64 (pairs + 1,) where the rows of each pair begin, for the table before it
weights          int64 (kinds,)    what a match of each kind is worth, 0 to 2^20
ranks            int32 (kinds,)    among mappings of equal value: more matches of rank 1, then 2, ...
                                   rank 0 takes no part

Tuples match when kind and value agree and their nodes are paired. What occurs twice on one
side counts once.)";

constexpr const char *match_doc =
    R"(Best mappings of all pairs: (mapping, value, bound, settled, work, counts, certificate, offsets).

mapping      int32, one entry for each gold node of each pair: system node or -1
value        int64 (pairs,)  what the mapping earns
bound        int64 (pairs,)  no mapping earns more; equal to value: proven optimal
settled      uint8 (pairs,)  1: no mapping of equal value is preferred by the ranks
work         int64 (pairs,)  elementary operations spent
counts       int64 (pairs, 3, kinds)  distinct tuples of gold, of system, and matched ones
certificate  int64, offsets int64 (pairs + 1,)  multipliers for check_pairs

`budget` and `tie_budget` are elementary operations for each pair, so that results do not
depend on machine or threads.)";

constexpr const char *climb_doc =
    R"(Good mappings of all pairs by hill climbing, as match_pairs gives them, without certificates.

The first climb begins with pairs of nodes that share most, `restarts` more with random ones.
`bound` holds for all mappings; where it is above `value` nothing is proven. The same seed
gives the same result for a pair, whatever pairs stand beside it.)";

constexpr const char *check_doc =
    R"(Recomputes (valid, value, bound) of all pairs from mappings and certificates, without a search.

valid is 0 where a mapping breaks its mode or a certificate does not fit its pair. A pair that
needed branch and bound has a certificate whose bound lies above its value.)";

}  // namespace

void bind_matching(nb::module_ &module) {
    using namespace nb::literals;
    using I = Matrix<Id>;
    using O = Vector<Value>;
    nb::class_<Pairs>(module, "GraphPairs", pairs_doc)
        .def(nb::init<I, Vector<Id>, I, O, I, O, I, O, I, O, I, O, I, O, Vector<Value>, Vector<Id>>(), nb::kw_only(),
             "nodes"_a, "modes"_a, "gold_features"_a, "gold_feature_offsets"_a, "system_features"_a,
             "system_feature_offsets"_a, "gold_edges"_a, "gold_edge_offsets"_a, "system_edges"_a,
             "system_edge_offsets"_a, "gold_below"_a, "gold_below_offsets"_a, "system_below"_a,
             "system_below_offsets"_a, "weights"_a, "ranks"_a);
    module.def("match_pairs", &match_pairs, "pairs"_a, nb::kw_only(), "budget"_a, "tie_budget"_a, "threads"_a = 1,
               match_doc);
    module.def("climb_pairs", &climb_pairs, "pairs"_a, nb::kw_only(), "budget"_a, "restarts"_a, "seed"_a,
               "threads"_a = 1, climb_doc);
    module.def("check_pairs", &check_pairs, "pairs"_a, "mapping"_a, "certificate"_a, "certificate_offsets"_a,
               nb::kw_only(), "threads"_a = 1, check_doc);
}
