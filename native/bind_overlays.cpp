// What pairs of graphs share under a mapping, as item files and the page show it.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "graph_pairs.hpp"
#include "karat/error_profile.hpp"
#include "karat/frequent_errors.hpp"
#include "karat/mrp_overlay.hpp"
#include "karat/mrp_places.hpp"
#include "karat/penman_lists.hpp"
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
using Reifications = std::vector<std::array<std::string, 4>>;

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

// What is made of many pairs: explanations where they are to be `told`, and what a page shows of them where they are
// to be `shown`.
struct Looked {
    Looked(bool is_told, bool is_shown) : told(is_told), shown(is_shown) {}

    bool told, shown;
    Pieces explanations, golds, systems, overlays;
    overlay::Faults faults;
    std::vector<std::int64_t> bounds{0};

    void end() {
        explanations.end(), golds.end(), systems.end(), overlays.end();
        bounds.push_back(static_cast<std::int64_t>(faults.found.size()));
    }

    nb::object taken_explanations() const {
        if (!told) return nb::none();
        return explanations.take();
    }
};

// What a metric compares; some have a variant.
std::unique_ptr<mrp::Comparison> comparison_of(const std::string &metric, bool variant) {
    if (metric == "mrp") return std::make_unique<mrp::TupleComparison>();
    if (metric == "smatch") return std::make_unique<mrp::TripleComparison>(variant);
    if (metric == "edm") return std::make_unique<mrp::EdmComparison>(variant);
    if (metric == "ucca-mrp") return std::make_unique<mrp::YieldComparison>(false);
    if (metric == "sdp") return std::make_unique<mrp::DependencyComparison>();
    throw nb::value_error("no metric of this name compares graphs here");
}

nb::tuple look_at_mrp(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans, const Lowered &lowered,
                      Vector<Id> mapping, Vector<std::int64_t> offsets, bool told, bool shown,
                      const std::string &metric, bool variant, bool from_file) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    const Mappings mappings(mapping, offsets, gold_spans.shape(0));
    const std::unique_ptr<mrp::Comparison> found = comparison_of(metric, variant);
    mrp::Comparison &pair = *found;
    for (const auto &[text, lower] : lowered) pair.reader.lower.known.emplace(view(text), view(lower));
    Looked all(told, shown);
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < gold_spans.shape(0); ++i) {
            const bool plain =
                pair.read(text_at(theirs, gold_spans, i), text_at(ours, system_spans, i), shown, from_file) &&
                pair.compare(mappings[i]);
            if (plain && told) pair.write_explanation(all.explanations.text);
            if (plain && shown && pair.can_be_drawn) {
                pair.write_overlay(all.faults, all.golds.text, all.systems.text, all.overlays.text);
            }
            all.end();
        }
    }
    nb::list asked;
    for (const std::string &text : pair.reader.lower.asked) asked.append(nb::bytes(text.data(), text.size()));
    if (!shown) return nb::make_tuple(all.taken_explanations(), nb::none(), asked);
    return nb::make_tuple(all.taken_explanations(),
                          nb::make_tuple(all.golds.take(), all.systems.take(), all.overlays.take(),
                                         taken(all.faults, std::move(all.bounds))),
                          asked);
}

// The tuples of gold, of the system's graph and of both, by kind.
nb::tuple count_mrp(nb::bytes system, Spans system_spans, nb::bytes gold, Spans gold_spans, const Lowered &lowered,
                    const std::string &metric, bool variant) {
    karat::bindings::check_sides(system_spans, system.size(), gold_spans, gold.size());
    const std::size_t count = gold_spans.shape(0);
    std::unique_ptr<mrp::PlacedComparison> found;
    if (metric == "edm") found = std::make_unique<mrp::EdmComparison>(variant);
    else if (metric == "ucca-mrp") found = std::make_unique<mrp::YieldComparison>(true);
    else throw nb::value_error("no metric of this name is counted here");
    mrp::PlacedComparison &pair = *found;
    for (const auto &[text, lower] : lowered) pair.reader.lower.known.emplace(view(text), view(lower));
    std::vector<std::uint8_t> plain(count);
    const std::size_t columns = 3 * pair.kinds();
    std::vector<std::int64_t> counts(columns * count, 0);
    {
        const std::string_view ours = view(system), theirs = view(gold);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < count; ++i) {
            plain[i] = pair.read(text_at(theirs, gold_spans, i), text_at(ours, system_spans, i), false, false) &&
                       pair.compare({});
            if (plain[i]) pair.count(counts.data() + columns * i);
        }
    }
    nb::list asked;
    for (const std::string &text : pair.reader.lower.asked) asked.append(nb::bytes(text.data(), text.size()));
    return nb::make_tuple(to_numpy(std::move(plain), {count}), to_numpy(std::move(counts), {count, columns}), asked);
}

// What pairs of texts in PENMAN notation share.
nb::tuple look_at_penman(const Texts &golds, const Texts &systems, Vector<Id> mapping, Vector<std::int64_t> offsets,
                         bool top_is_concept, bool told, bool shown, std::optional<Reifications> reifications) {
    if (golds.size() != systems.size()) throw nb::value_error("as many gold as system graphs");
    const Mappings mappings(mapping, offsets, golds.size());
    Looked all(told, shown);
    {
        nb::gil_scoped_release release;
        std::unique_ptr<penman::Comparison> pair = std::make_unique<penman::TripleComparison>(top_is_concept);
        if (reifications) {
            std::vector<karat::statements::Reification> known;
            for (const auto &[name, role, first, second] : *reifications) known.push_back({name, role, first, second});
            pair = std::make_unique<penman::StatementComparison>(known);
        }
        for (std::size_t i = 0; i < golds.size(); ++i) {
            if (pair->read(golds[i], systems[i], mappings[i])) {
                if (told) pair->write_explanation(all.explanations.text);
                if (shown) pair->write_overlay(golds[i], systems[i], all.faults, all.overlays.text);
            }
            all.end();
        }
    }
    if (!shown) return nb::make_tuple(all.taken_explanations(), nb::none());
    return nb::make_tuple(all.taken_explanations(),
                          nb::make_tuple(all.overlays.take(), taken(all.faults, std::move(all.bounds))));
}

// What graphs have in common and alone, as lists: explanations, and notes on what is alone.
nb::tuple look_at_lists(const Texts &golds, const Texts &systems, const std::string &metric, std::size_t orders,
                        bool variant) {
    if (golds.size() != systems.size()) throw nb::value_error("as many gold as system graphs");
    std::unique_ptr<penman::ListComparison> pair;
    if (metric == "sembleu") pair = std::make_unique<penman::PathComparison>(orders);
    else if (metric == "sema") pair = std::make_unique<penman::ConceptTripleComparison>(variant);
    else throw nb::value_error("no metric of this name compares lists here");
    Pieces explanations, notes;
    {
        nb::gil_scoped_release release;
        std::string scratch;
        for (std::size_t i = 0; i < golds.size(); ++i) {
            if (pair->compare(golds[i], systems[i])) {
                explanations.text.push_back('{');
                notes.text.push_back('[');
                for (const penman::NameLists &each : pair->lists) {
                    karat::separate(explanations.text, '{');
                    each.write(explanations.text);
                    each.write_notes(scratch, notes.text);
                }
                explanations.text.push_back('}');
                notes.text.push_back(']');
            }
            explanations.end(), notes.end();
        }
    }
    return nb::make_tuple(explanations.take(), notes.take());
}

template <class Profile>
void add_explanations(Profile &profile, nb::list explanations) {
    const auto texts = karat::bindings::views(explanations, explanations.size());
    nb::gil_scoped_release release;
    for (const std::string_view text : texts) {
        if (!profile.add(text)) throw nb::value_error("an explanation is not what metrics write");
    }
}

// A profile as it is written: at most `most` errors of each kind, or all for 0, and what these leave out.
template <class Profile>
nb::dict profile_of(const Profile &profile, std::size_t most) {
    nb::dict result, left_out;
    const std::pair<const char *, const karat::CountedKinds &> sides[] = {
        {"missing", profile.missing}, {"surplus", profile.surplus}, {"confusions", profile.confusions}};
    for (const auto &[side, kinds] : sides) {
        nb::dict listed, others;
        for (std::size_t i = 0; i < kinds.counts.size(); ++i) {
            const karat::CountedNames &counts = kinds.counts[i];
            const nb::str kind = karat::bindings::to_python(kinds.names[static_cast<std::int32_t>(i)]);
            std::int64_t left = 0;
            for (std::size_t number = 0; number < counts.size(); ++number) left += counts[number].times;
            nb::list entries;
            for (const std::uint32_t number : counts.ranked(most)) {
                const auto &entry = counts[number];
                nb::dict error;
                if (&kinds == &profile.confusions) {
                    const auto [gold, system] = karat::split_confusion(entry.name);
                    error["gold"] = karat::bindings::to_python(gold);
                    error["system"] = karat::bindings::to_python(system);
                } else {
                    error["what"] = karat::bindings::to_python(entry.name);
                }
                error["count"] = entry.times;
                left -= entry.times;
                entries.append(error);
            }
            if (entries.size() < counts.size()) {
                nb::dict numbers;
                numbers["entries"] = counts.size() - entries.size();
                numbers["occurrences"] = left;
                others[kind] = numbers;
            }
            listed[kind] = entries;
        }
        result[side] = listed;
        if (others.size() > 0) left_out[side] = others;
    }
    if (left_out.size() > 0) result["left_out"] = left_out;
    return result;
}

constexpr const char *profile_doc =
    "By what is missing, surplus, and taken for what, and by kind: errors and their counts, the most frequent first. "
    "At most `most` of a kind, or all for 0; `left_out` counts the others.";

constexpr const char *look_doc =
    R"(What pairs of MRP graphs share by a metric, under mappings where it needs them: (explanations, shown, asked).

metric         mrp, smatch, edm, ucca-mrp or sdp; those that know nodes by their anchors need no mappings
variant        of smatch that tops hold concepts, of edm that constants are a kind of their own
from_file      whether lines come from a file, where what can be put right is, or were made of graphs

explanations   JSON of each pair, or None unless they are to be `told`; empty where a graph is not plain,
               or the mapping is not one of the pair
shown          (golds, systems, overlays, faults), or None unless pairs are to be `shown`
golds          source and gold contents, without brackets around them
faults         where those of each pair begin, their numbers, and what these stand for: part, kind, gold, system
asked          what is not ASCII and has to be given in `lowered`, else the result says nothing)";

}  // namespace

void bind_overlays(nb::module_ &module) {
    using namespace nb::literals;
    nb::class_<karat::FrequentErrors>(module, "FrequentErrors",
                                      "Counts what explanations of any metric, which are JSON, list as errors.")
        .def(nb::init<>())
        .def("add", &add_explanations<karat::FrequentErrors>, "explanations"_a)
        .def_ro("listed", &karat::FrequentErrors::listed, "Whether any explanation lists errors.")
        .def("profile", &profile_of<karat::FrequentErrors>, "most"_a = 0, profile_doc,
             nb::sig("def profile(self, most: int = 0) -> dict[str, typing.Any]"));
    nb::class_<karat::ErrorProfile>(module, "ErrorProfile", "Counts errors in explanations of graphs, which are JSON.")
        .def(nb::init<std::vector<std::string>>(), "kinds"_a,
             "Confusions are counted of these kinds.")
        .def("add", &add_explanations<karat::ErrorProfile>, "explanations"_a)
        .def("profile", &profile_of<karat::ErrorProfile>, "most"_a = 0, profile_doc,
             nb::sig("def profile(self, most: int = 0) -> dict[str, typing.Any]"));
    module.def("look_at_mrp", &look_at_mrp, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, "lowered"_a,
               "mapping"_a, "offsets"_a, "told"_a, "shown"_a, nb::kw_only(), "metric"_a = "mrp", "variant"_a = false,
               "from_file"_a = true, look_doc);
    module.def("count_mrp", &count_mrp, "system"_a, "system_spans"_a, "gold"_a, "gold_spans"_a, "lowered"_a, nb::kw_only(),
               "metric"_a, "variant"_a = false,
               "Which pairs of graphs, as lines that were made of them, are plain, and by kind how many tuples gold, the "
               "system and both have: (plain, counts, asked). The metric is edm or ucca-mrp.");
    module.def("look_at_penman", &look_at_penman, "golds"_a, "systems"_a, "mapping"_a, "offsets"_a, nb::kw_only(),
               "top_is_concept"_a, "told"_a, "shown"_a, "reifications"_a = nb::none(),
               "The same for graphs in PENMAN notation: (explanations, (overlays, faults)). With reifications, they are "
               "standardised as smatch++ does with AMR.");
    module.def("look_at_lists", &look_at_lists, "golds"_a, "systems"_a, nb::kw_only(), "metric"_a, "orders"_a = 0,
               "variant"_a = false,
               "Explanations of sembleu, of so many orders, or of sema, whose root may count twice, and notes on them, as "
               "JSON; both are empty where a graph is not plain.");
}
