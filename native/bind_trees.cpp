#include <algorithm>

#include "arrays.hpp"
#include "karat/derp.hpp"
#include "karat/derp_text.hpp"
#include "karat/parallel.hpp"
#include "karat/tree_edit.hpp"
#include "pieces.hpp"

namespace nb = nanobind;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

using Ints = Vector<std::int32_t>;
using Offsets = Vector<std::int64_t>;

void check_offsets(const Offsets &offsets, std::size_t pairs, std::size_t size) {
    if (offsets.shape(0) != pairs + 1 || offsets(0) != 0) throw nb::value_error("an offset for each pair, from 0");
    for (std::size_t i = 0; i < pairs; ++i) {
        if (offsets(i + 1) < offsets(i)) throw nb::value_error("offsets must not decrease");
    }
    if (static_cast<std::size_t>(offsets(pairs)) != size) throw nb::value_error("the last offset must be the size");
}

// Trees that lie one after the other.
struct Trees {
    Ints heads, labels;
    Offsets offsets;

    std::size_t size(std::size_t i) const { return static_cast<std::size_t>(offsets(i + 1) - offsets(i)); }

    karat::LabelledTree operator[](std::size_t i) const {
        return {heads.data() + offsets(i), labels.data() + offsets(i), size(i)};
    }

    // Every head must be 0 or a word, and every word must reach 0.
    void check(std::size_t pairs) const {
        check_offsets(offsets, pairs, heads.shape(0));
        if (labels.shape(0) != heads.shape(0)) throw nb::value_error("as many labels as heads");
        std::vector<std::int32_t> visited;
        for (std::size_t i = 0; i < pairs; ++i) {
            const karat::LabelledTree tree = (*this)[i];
            const auto last = static_cast<std::int32_t>(tree.size);
            for (std::size_t w = 0; w < tree.size; ++w) {
                if (tree.heads[w] < 0 || tree.heads[w] > last) throw nb::value_error("a head is out of range");
            }
            visited.assign(tree.size + 1, 0);
            visited[0] = -1;
            for (std::int32_t start = 1; start <= last; ++start) {
                std::int32_t word = start;
                for (; visited[word] == 0; word = tree.heads[word - 1]) visited[word] = start;
                if (visited[word] == start) throw nb::value_error("a tree has a cycle");
                for (word = start; visited[word] == start; word = tree.heads[word - 1]) visited[word] = -1;
            }
        }
    }
};

// Pairs of words, without doubles: of the hypothesis and of the reference.
struct Links {
    Ints hypothesis, reference;
    Offsets offsets;

    void check(const Trees &hypotheses, const Trees &references, std::size_t pairs) const {
        check_offsets(offsets, pairs, hypothesis.shape(0));
        if (reference.shape(0) != hypothesis.shape(0)) throw nb::value_error("links are pairs");
        for (std::size_t i = 0; i < pairs; ++i) {
            const auto last_hypothesis = static_cast<std::int32_t>(hypotheses.size(i));
            const auto last_reference = static_cast<std::int32_t>(references.size(i));
            for (auto k = offsets(i); k < offsets(i + 1); ++k) {
                if (hypothesis(k) < 1 || hypothesis(k) > last_hypothesis || reference(k) < 1 ||
                    reference(k) > last_reference) {
                    throw nb::value_error("a link is out of range");
                }
            }
        }
    }

    void copy(std::size_t i, std::vector<karat::Link> &links) const {
        links.clear();
        for (auto k = offsets(i); k < offsets(i + 1); ++k) links.push_back({hypothesis(k), reference(k)});
    }
};

// Pairs of trees, and the results of all of them.
struct DerpPairs {
    Trees references, hypotheses;
    Links links;
    std::vector<karat::DerpResult> results;

    DerpPairs(Trees references, Trees hypotheses, Links links, std::size_t threads)
        : references(std::move(references)), hypotheses(std::move(hypotheses)), links(std::move(links)) {
        const std::size_t offsets = this->references.offsets.shape(0), pairs = offsets ? offsets - 1 : 0;
        this->references.check(pairs);
        this->hypotheses.check(pairs);
        this->links.check(this->hypotheses, this->references, pairs);
        results.resize(pairs);
        nb::gil_scoped_release release;
        karat::parallel_for(pairs, threads, [&] {
            return [&, measure = karat::Derp(), own = std::vector<karat::Link>()](std::size_t i) mutable {
                this->links.copy(i, own);
                results[i] = measure(this->references[i], this->hypotheses[i], own.data(), own.size());
            };
        });
    }
};

nb::tuple derp(Ints reference_heads, Ints reference_labels, Offsets reference_offsets, Ints hypothesis_heads,
               Ints hypothesis_labels, Offsets hypothesis_offsets, Ints link_hypotheses, Ints link_references,
               Offsets link_offsets, std::size_t threads) {
    const DerpPairs pairs({reference_heads, reference_labels, reference_offsets},
                          {hypothesis_heads, hypothesis_labels, hypothesis_offsets},
                          {link_hypotheses, link_references, link_offsets}, threads);
    std::vector<std::int64_t> rows, offsets{0};
    std::vector<std::int32_t> edges;
    for (const karat::DerpResult &result : pairs.results) {
        rows.insert(rows.end(), {result.base_is_hypothesis, static_cast<std::int64_t>(result.nodes),
                                 result.disparity, result.largest});
        for (const karat::MetaEdge &edge : result.edges) {
            edges.insert(edges.end(), {edge.n, edge.m, edge.n_other, edge.m_other, edge.disparity, edge.largest});
        }
        offsets.push_back(static_cast<std::int64_t>(edges.size() / 6));
    }
    const std::size_t edge_count = edges.size() / 6;
    return nb::make_tuple(to_numpy(std::move(rows), {pairs.results.size(), 4}),
                          to_numpy(std::move(edges), {edge_count, 6}),
                          to_numpy(std::move(offsets), {pairs.results.size() + 1}));
}

// The texts in a list, which has to outlive them.
std::vector<std::string_view> texts(const nb::list &given, std::size_t least) {
    std::vector<std::string_view> result;
    for (const nb::handle each : given) {
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(each.ptr(), &size);
        if (data == nullptr) nb::raise_python_error();
        result.emplace_back(data, static_cast<std::size_t>(size));
    }
    if (result.size() < least) throw nb::value_error("there are too few texts");
    return result;
}

std::size_t names_in(const Ints &labels) {
    std::int32_t most = -1;
    for (std::size_t i = 0; i < labels.shape(0); ++i) {
        if (labels(i) < 0) throw nb::value_error("a label has no name");
        most = std::max(most, labels(i));
    }
    return static_cast<std::size_t>(most + 1);
}

nb::list derp_texts(nb::list labels, nb::list reference_forms, nb::list hypothesis_forms, nb::list scores,
                    Ints reference_heads, Ints reference_labels, Offsets reference_offsets, Ints hypothesis_heads,
                    Ints hypothesis_labels, Offsets hypothesis_offsets, Ints link_hypotheses, Ints link_references,
                    Offsets link_offsets, std::size_t threads) {
    const DerpPairs pairs({reference_heads, reference_labels, reference_offsets},
                          {hypothesis_heads, hypothesis_labels, hypothesis_offsets},
                          {link_hypotheses, link_references, link_offsets}, threads);
    const auto names = texts(labels, std::max(names_in(reference_labels), names_in(hypothesis_labels)));
    const auto theirs = texts(reference_forms, reference_heads.shape(0));
    const auto ours = texts(hypothesis_forms, hypothesis_heads.shape(0));
    const auto known = karat::bindings::views(scores, pairs.results.size());
    karat::DerpText text(names);
    std::vector<karat::Link> own;
    return karat::bindings::list_of(pairs.results.size(), [&](std::size_t i, std::string &out) {
        pairs.links.copy(i, own);
        text.append({pairs.references[i], theirs.data() + pairs.references.offsets(i)},
                    {pairs.hypotheses[i], ours.data() + pairs.hypotheses.offsets(i)}, pairs.results[i], own.data(),
                    own.size(), known[i], out);
    });
}

nb::ndarray<nb::numpy, std::int64_t> tree_edits(Ints reference_heads, Ints reference_labels,
                                                Offsets reference_offsets, Ints hypothesis_heads,
                                                Ints hypothesis_labels, Offsets hypothesis_offsets,
                                                Ints link_hypotheses, Ints link_references, Offsets link_offsets,
                                                bool by_label, std::int32_t mismatch, std::size_t threads) {
    const Trees references{reference_heads, reference_labels, reference_offsets};
    const Trees hypotheses{hypothesis_heads, hypothesis_labels, hypothesis_offsets};
    const Links links{link_hypotheses, link_references, link_offsets};
    const std::size_t pairs = reference_offsets.shape(0) ? reference_offsets.shape(0) - 1 : 0;
    references.check(pairs);
    hypotheses.check(pairs);
    links.check(hypotheses, references, pairs);
    if (mismatch < 0) throw nb::value_error("costs must not be negative");
    std::vector<std::int64_t> rows(pairs * 5);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(pairs, threads, [&] {
            return [&, edit = karat::TreeEdit(), matches = std::vector<bool>()](std::size_t i) mutable {
                const karat::LabelledTree a = hypotheses[i], b = references[i];
                const std::size_t columns = b.size + 1;
                matches.assign(by_label ? 0 : (a.size + 1) * columns, false);
                if (!by_label) {
                    for (auto k = link_offsets(i); k < link_offsets(i + 1); ++k) {
                        matches[static_cast<std::size_t>(link_hypotheses(k)) * columns + link_references(k)] = true;
                    }
                }
                const auto cost = [&](std::int32_t v, std::int32_t w) {
                    const bool same = by_label ? a.labels[v - 1] == b.labels[w - 1]
                                               : matches[static_cast<std::size_t>(v) * columns + w];
                    return same ? 0 : mismatch;
                };
                const karat::EditCounts counts = edit(a.heads, a.size, b.heads, b.size, cost);
                const std::int64_t row[] = {counts.distance, counts.inserted, counts.deleted, counts.renamed,
                                            counts.kept};
                std::copy(std::begin(row), std::end(row), rows.begin() + static_cast<std::ptrdiff_t>(5 * i));
            };
        });
    }
    return to_numpy(std::move(rows), {pairs, 5});
}

}  // namespace

void bind_trees(nb::module_ &module) {
    using namespace nb::literals;
    module.def("derp", &derp, "reference_heads"_a, "reference_labels"_a, "reference_offsets"_a, "hypothesis_heads"_a,
               "hypothesis_labels"_a, "hypothesis_offsets"_a, "link_hypotheses"_a, "link_references"_a,
               "link_offsets"_a, "threads"_a = 1,
               "For each pair whether the hypothesis is the base, the number of nodes, L and Lmax; the chosen edges "
               "(n, m, n', m', L, Lmax) of all pairs; and where those of each pair begin.");
    module.def("derp_texts", &derp_texts, "labels"_a, "reference_forms"_a, "hypothesis_forms"_a, "scores"_a,
               "reference_heads"_a, "reference_labels"_a, "reference_offsets"_a, "hypothesis_heads"_a,
               "hypothesis_labels"_a, "hypothesis_offsets"_a, "link_hypotheses"_a, "link_references"_a,
               "link_offsets"_a, "threads"_a = 1,
               "The same of each pair as JSON, with names of labels and words, and with members that follow the counts.");
    module.def("tree_edits", &tree_edits, "reference_heads"_a, "reference_labels"_a, "reference_offsets"_a,
               "hypothesis_heads"_a, "hypothesis_labels"_a, "hypothesis_offsets"_a, "link_hypotheses"_a,
               "link_references"_a, "link_offsets"_a, "by_label"_a, "mismatch"_a, "threads"_a = 1,
               "For each pair the edit distance from hypothesis to reference, and the numbers of inserted, deleted, "
               "renamed and kept nodes of an optimal script.");
}
