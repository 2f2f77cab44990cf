// What pairs of graphs share under a mapping, as item files and the page show it.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "graph_pairs.hpp"
#include "karat/mrp_overlay.hpp"
#include "karat/penman_overlay.hpp"
#include "pieces.hpp"
#include "spans.hpp"

namespace nb = nanobind;
namespace mrp = karat::mrp;
namespace overlay = karat::overlay;
namespace penman = karat::penman;
using karat::bindings::Pieces;
using karat::bindings::Spans;
using karat::bindings::text_at;
using karat::bindings::to_numpy;
using karat::bindings::Vector;
using karat::bindings::view;
using Id = karat::matching::Id;

namespace {

using Lowered = std::vector<std::pair<nb::bytes, nb::bytes>>;
using Texts = std::vector<std::string>;

// The mappings of many pairs, one after the other.
class Mappings {
  public:
    Mappings(Vector<Id> nodes, Vector<std::int64_t> offsets, std::size_t pairs) : nodes_(nodes), offsets_(offsets) {
        karat::bindings::check_offsets(offsets, pairs, nodes.shape(0));
    }

    karat::matching::Span<Id> operator[](std::size_t i) const {
        const auto begin = static_cast<std::size_t>(offsets_(i)), end = static_cast<std::size_t>(offsets_(i + 1));
        return {nodes_.data() + begin, end - begin};
    }

  private:
    Vector<Id> nodes_;
    Vector<std::int64_t> offsets_;
};

// The errors of all pairs: where those of each begin, their numbers, and what these stand for.
nb::tuple taken(overlay::Faults &faults, std::vector<std::int64_t> &&bounds) {
    static constexpr const char *parts[] = {"labels", "anchors", "properties", "tops", "edges", "attributes"};
    nb::list told;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const overlay::Faults::Fault fault = faults[i];
        told.append(nb::make_tuple(parts[static_cast<std::size_t>(fault.look)], static_cast<int>(fault.mark),
                                   nb::str(fault.gold.data(), fault.gold.size()),
                                   nb::str(fault.system.data(), fault.system.size())));
    }
    const std::size_t count = faults.found.size(), pairs = bounds.size();
    return nb::make_tuple(to_numpy(std::move(bounds), {pairs}), to_numpy(std::move(faults.found), {count}), told);
}

// Both sides of all pairs of MRP graphs under their mappings; `take` is given those that are plain.
template <class Take>
nb::list read_mrp(const nb::bytes &system, const Spans &system_spans, const nb::bytes &gold, const Spans &gold_spans,
                  const Lowered &lowered, const Mappings &mappings, bool spelt, Take take) {
    mrp::Comparison pair;
    for (const auto &[text, lower] : lowered) pair.reader.lower.known.emplace(view(text), view(lower));
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < gold_spans.shape(0); ++i) {
            const bool plain = pair.read(text_at(theirs, gold_spans, i), text_at(ours, system_spans, i), spelt) &&
                               pair.compare(mappings[i]);
            take(pair, plain);
        }
    }
    nb::list asked;
    for (const std::string &text : pair.reader.lower.asked) asked.append(nb::bytes(text.data(), text.size()));
    return asked;
}

nb::tuple mrp_explanations(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans,
                           const Lowered &lowered, Vector<Id> mapping, Vector<std::int64_t> offsets) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    const Mappings mappings(mapping, offsets, gold_spans.shape(0));
    Pieces pieces;
    const nb::list asked = read_mrp(system, system_spans, gold, gold_spans, lowered, mappings, false,
                                    [&](const mrp::Comparison &pair, bool plain) {
                                        if (plain) pair.write_explanation(pieces.text);
                                        pieces.end();
                                    });
    return nb::make_tuple(pieces.take(), asked);
}

nb::tuple mrp_overlays(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans, const Lowered &lowered,
                       Vector<Id> mapping, Vector<std::int64_t> offsets) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    const Mappings mappings(mapping, offsets, gold_spans.shape(0));
    Pieces golds, systems, overlays;
    overlay::Faults faults;
    std::vector<std::int64_t> bounds{0};
    const nb::list asked = read_mrp(system, system_spans, gold, gold_spans, lowered, mappings, true,
                                    [&](mrp::Comparison &pair, bool plain) {
                                        if (plain) {
                                            pair.write_overlay(faults, golds.text, systems.text, overlays.text);
                                        }
                                        golds.end(), systems.end(), overlays.end();
                                        bounds.push_back(static_cast<std::int64_t>(faults.found.size()));
                                    });
    return nb::make_tuple(golds.take(), systems.take(), overlays.take(), taken(faults, std::move(bounds)), asked);
}

// The same for texts in PENMAN notation.
template <class Take>
void read_penman(const Texts &golds, const Texts &systems, bool top_is_concept, const Mappings &mappings, Take take) {
    nb::gil_scoped_release release;
    penman::Comparison pair;
    for (std::size_t i = 0; i < golds.size(); ++i) {
        take(pair, i, pair.read(golds[i], systems[i], top_is_concept, mappings[i]));
    }
}

nb::list penman_explanations(const Texts &golds, const Texts &systems, Vector<Id> mapping,
                             Vector<std::int64_t> offsets, bool top_is_concept) {
    if (golds.size() != systems.size()) throw nb::value_error("as many gold as system graphs");
    Pieces pieces;
    read_penman(golds, systems, top_is_concept, Mappings(mapping, offsets, golds.size()),
                [&](const penman::Comparison &pair, std::size_t, bool plain) {
                    if (plain) pair.write_explanation(pieces.text);
                    pieces.end();
                });
    return pieces.take();
}

nb::tuple penman_overlays(const Texts &golds, const Texts &systems, Vector<Id> mapping, Vector<std::int64_t> offsets,
                          bool top_is_concept) {
    if (golds.size() != systems.size()) throw nb::value_error("as many gold as system graphs");
    Pieces overlays;
    overlay::Faults faults;
    std::vector<std::int64_t> bounds{0};
    read_penman(golds, systems, top_is_concept, Mappings(mapping, offsets, golds.size()),
                [&](penman::Comparison &pair, std::size_t i, bool plain) {
                    if (plain) pair.write_overlay(golds[i], systems[i], faults, overlays.text);
                    overlays.end();
                    bounds.push_back(static_cast<std::int64_t>(faults.found.size()));
                });
    return nb::make_tuple(overlays.take(), taken(faults, std::move(bounds)));
}

constexpr const char *mrp_doc =
    R"(What pairs of MRP graphs share under mappings, as JSON of each pair: (explanations, asked).

Empty where a graph is not plain, or the mapping is not one of the pair. What is not ASCII is
lowered by the caller: what is `asked` has to be given in `lowered`, else the result says nothing.)";

constexpr const char *overlays_doc =
    R"(The same for pages: (golds, systems, overlays, faults, asked).

golds    source and gold contents, without brackets around them
faults   where those of each pair begin, their numbers, and what these stand for: part, kind, gold, system)";

}  // namespace

void bind_overlays(nb::module_ &module) {
    using namespace nb::literals;
    module.def("mrp_explanations", &mrp_explanations, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a,
               "lowered"_a, "mapping"_a, "offsets"_a, mrp_doc);
    module.def("mrp_overlays", &mrp_overlays, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, "lowered"_a,
               "mapping"_a, "offsets"_a, overlays_doc);
    module.def("penman_explanations", &penman_explanations, "golds"_a, "systems"_a, "mapping"_a, "offsets"_a,
               nb::kw_only(), "top_is_concept"_a,
               "What graphs in PENMAN notation share under mappings, as JSON; empty where one is not plain.");
    module.def("penman_overlays", &penman_overlays, "golds"_a, "systems"_a, "mapping"_a, "offsets"_a, nb::kw_only(),
               "top_is_concept"_a, "The same for pages: (overlays, faults).");
}
