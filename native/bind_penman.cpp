#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "karat/penman.hpp"

namespace nb = nanobind;
namespace penman = karat::penman;
using karat::bindings::to_numpy;
using Id = karat::matching::Id;

namespace {

// The triples of one side of all pairs, in flat tables.
class Tables {
  public:
    void add(const penman::Triples &triples) {
        for (const auto &f : triples.features) features_.insert(features_.end(), {f.node, f.kind, f.value});
        for (const auto &e : triples.edges) edges_.insert(edges_.end(), {e.source, e.target, e.kind, e.value});
        feature_offsets_.push_back(static_cast<std::int64_t>(features_.size() / 3));
        edge_offsets_.push_back(static_cast<std::int64_t>(edges_.size() / 4));
    }

    nb::tuple take() {
        const std::size_t features = features_.size() / 3, edges = edges_.size() / 4, size = feature_offsets_.size();
        return nb::make_tuple(to_numpy(std::move(features_), {features, 3}),
                              to_numpy(std::move(feature_offsets_), {size}),
                              to_numpy(std::move(edges_), {edges, 4}), to_numpy(std::move(edge_offsets_), {size}));
    }

  private:
    std::vector<Id> features_, edges_;
    std::vector<std::int64_t> feature_offsets_{0}, edge_offsets_{0};
};

nb::tuple penman_triples(const std::vector<std::string> &golds, const std::vector<std::string> &systems,
                         bool top_is_concept) {
    if (golds.size() != systems.size()) throw nb::value_error("as many gold as system graphs");
    const std::size_t count = golds.size();
    std::vector<std::uint8_t> plain(count);
    std::vector<Id> nodes(2 * count, 0);
    Tables gold_tables, system_tables;
    {
        nb::gil_scoped_release release;
        penman::Reader reader;
        penman::Names names;
        for (std::size_t i = 0; i < count; ++i) {
            names.clear();
            penman::Triples gold, system;
            plain[i] = reader.read(golds[i], names, top_is_concept, gold) &&
                       reader.read(systems[i], names, top_is_concept, system);
            if (!plain[i]) gold = system = penman::Triples();
            nodes[2 * i] = gold.nodes, nodes[2 * i + 1] = system.nodes;
            gold_tables.add(gold), system_tables.add(system);
        }
    }
    return nb::make_tuple(to_numpy(std::move(plain), {count}), to_numpy(std::move(nodes), {count, 2}),
                          gold_tables.take(), system_tables.take());
}

bool is_plain_penman(const std::string &text) {
    return penman::Reader().parse(text);
}

constexpr const char *triples_doc =
    R"(Triples of AMR graphs in PENMAN notation: (plain, nodes, gold tables, system tables).

plain   uint8 (pairs,)     0 where a text needs the full reader; its tables are empty
nodes   int32 (pairs, 2)   numbers of gold and system variables
tables  features int32 (., 3), their offsets, edges int32 (., 4), their offsets

Kinds are 0 for instances, 1 for attributes, 2 for relations; values are numbers that agree
within a pair.)";

}  // namespace

void bind_penman(nb::module_ &module) {
    using namespace nb::literals;
    module.def("penman_triples", &penman_triples, "golds"_a, "systems"_a, nb::kw_only(), "top_is_concept"_a,
               triples_doc);
    module.def("is_plain_penman", &is_plain_penman, "text"_a,
               "Whether a text is a graph that penman_triples reads by itself.");
}
