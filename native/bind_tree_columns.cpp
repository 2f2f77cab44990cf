#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "karat/tree_columns.hpp"
#include "karat/tree_pairs.hpp"
#include "karat/ud_counts.hpp"

namespace nb = nanobind;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

using Places = Vector<std::int64_t>;
using karat::TreeFault;

karat::TreeRules rules(std::size_t width, bool conllu, bool minus_one_is_root) {
    if (width != 0 && width != 1 && width != 3 && width != 10) throw nb::value_error("there are 1, 3 or 10 columns");
    return {width, conllu, minus_one_is_root};
}

std::string_view view(const nb::bytes &data) {
    if (data.size() > karat::TreeReader::most_data) throw nb::value_error("there is too much data");
    return {data.c_str(), data.size()};
}

// Sentences of one file, as they come from Python.
struct Side {
    nb::bytes data;
    Places begin, end;
    karat::TreeRules rules;

    Side(nb::tuple given)
        : data(nb::cast<nb::bytes>(given[0])),
          begin(nb::cast<Places>(given[1])),
          end(nb::cast<Places>(given[2])),
          rules(::rules(nb::cast<std::size_t>(given[3]), nb::cast<bool>(given[4]), nb::cast<bool>(given[5]))) {
        if (begin.shape(0) != end.shape(0)) throw nb::value_error("as many ends as begins");
        for (std::size_t i = 0; i < begin.shape(0); ++i) {
            if (begin(i) < 0 || begin(i) > end(i) || static_cast<std::size_t>(end(i)) > data.size()) {
                throw nb::value_error("a span is not inside the data");
            }
        }
    }

    std::size_t size() const { return begin.shape(0); }
};

template <class Make>
nb::tuple tuple_of(std::size_t size, Make make) {
    nb::tuple result = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(size)));
    if (!result.is_valid()) nb::raise_python_error();
    for (std::size_t i = 0; i < size; ++i) {
        PyTuple_SetItem(result.ptr(), static_cast<Py_ssize_t>(i), make(i).release().ptr());
    }
    return result;
}

nb::object text(std::string_view bytes) {
    PyObject *made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
    if (made == nullptr) nb::raise_python_error();
    return nb::steal(made);
}

// Id, heads, lines and multiword tokens of the only sentence that was read.
nb::tuple tree(nb::object id, std::string_view data, const karat::TreeColumns &trees) {
    const auto &words = trees.words;
    const bool all_lines = words.back().row + 1 == static_cast<std::int32_t>(words.size());
    nb::object rows = nb::none();
    if (!all_lines) rows = tuple_of(words.size(), [&](std::size_t i) { return nb::int_(words[i].row); });
    return nb::make_tuple(
        id, tuple_of(words.size(), [&](std::size_t i) { return nb::int_(words[i].head); }), rows,
        tuple_of(trees.tokens.size(), [&](std::size_t i) {
            const karat::TreeToken &token = trees.tokens[i];
            return nb::make_tuple(token.first, token.last,
                                  text(data.substr(token.form_begin, token.form_end - token.form_begin)));
        }));
}

nb::list read_trees(nb::sequence sentences, Places body, std::size_t width, bool conllu, bool minus_one_is_root) {
    karat::TreeReader reader(rules(width, conllu, minus_one_is_root));
    nb::list result;
    std::size_t i = 0;
    for (nb::handle each : sentences) {
        const auto bytes = nb::cast<nb::bytes>(each);
        const std::string_view data = view(bytes);
        if (i >= body.shape(0) || body(i) < 0 || static_cast<std::size_t>(body(i)) > data.size()) {
            throw nb::value_error("a place in each sentence");
        }
        const auto begin = static_cast<std::size_t>(body(i++));
        const nb::object id = text(karat::comment_value(data.substr(0, begin), "sent_id"));
        karat::TreeColumns trees;
        const auto outcome = reader.read(data, begin, data.size(), trees);
        if (outcome.fault == TreeFault::none) {
            result.append(tree(id, data, trees));
        } else {
            result.append(nb::make_tuple(id, static_cast<int>(outcome.fault), outcome.row));
        }
    }
    return result;
}

nb::tuple tree_column(nb::bytes sentence, std::size_t width, std::size_t column) {
    if (column + 1 >= karat::TreeWord::most_bounds || column >= width) throw nb::value_error("there is no such column");
    const std::string_view data = view(sentence);
    karat::TreeColumns trees;
    karat::TreeReader reader(rules(width, true, true));
    if (reader.read(data, 0, data.size(), trees).fault != TreeFault::none) throw nb::value_error("this is no tree");
    return tuple_of(trees.words.size(), [&](std::size_t i) {
        return text(karat::TreeColumns::cell(data, trees.words[i], column));
    });
}

std::optional<nb::ndarray<nb::numpy, double>> ud_rows(nb::tuple system, nb::tuple gold, bool single_root) {
    const Side ours(system), theirs(gold);
    const std::string_view our_data = view(ours.data), their_data = view(theirs.data);
    if (ours.rules.width != 10 || theirs.rules.width != 10) throw nb::value_error("UD has ten columns");
    karat::UdChunk chunk;
    bool fine;
    {
        nb::gil_scoped_release release;
        fine = chunk.read({our_data, ours.rules, ours.begin.data(), ours.end.data(), ours.size()},
                          {their_data, theirs.rules, theirs.begin.data(), theirs.end.data(), theirs.size()},
                          single_root);
    }
    if (!fine) return std::nullopt;
    // Python knows what is lower case of what; few words need it.
    std::vector<std::string> lowered;
    for (std::size_t i = 0; i < chunk.forms().size(); ++i) {
        lowered.push_back(nb::cast<std::string>(text(chunk.forms()[static_cast<std::int32_t>(i)]).attr("lower")()));
    }
    std::vector<double> rows;
    {
        nb::gil_scoped_release release;
        rows = chunk.rows(lowered);
    }
    return to_numpy(std::move(rows), {theirs.size(), karat::UdChunk::columns});
}

std::optional<nb::tuple> tree_pairs(nb::tuple system, nb::tuple gold, const std::string &punctuation_by,
                                    std::vector<std::string> punctuation, bool compare_tags, bool single_root,
                                    bool ignore_subtypes) {
    using By = karat::PunctuationRule::By;
    const Side ours(system), theirs(gold);
    const std::string_view our_data = view(ours.data), their_data = view(theirs.data);
    if (ours.size() != theirs.size()) throw nb::value_error("as many sentences of the system as of gold");
    By by = By::nothing;
    if (punctuation_by == "tag") by = By::tag;
    else if (punctuation_by == "upos") by = By::upos;
    else if (punctuation_by == "label") by = By::label;
    else if (!punctuation_by.empty()) throw nb::value_error("punctuation is told by tag, upos or label");
    karat::TreePairs pairs({our_data, ours.rules, ours.begin.data(), ours.end.data()},
                           {their_data, theirs.rules, theirs.begin.data(), theirs.end.data()},
                           {{by, std::move(punctuation)}, compare_tags, single_root, ignore_subtypes});
    bool fine;
    {
        nb::gil_scoped_release release;
        fine = pairs.read(theirs.size());
    }
    if (!fine) return std::nullopt;
    const std::size_t words = pairs.punctuation.size();
    return nb::make_tuple(to_numpy(std::move(pairs.offsets), {theirs.size() + 1}),
                          to_numpy(std::move(pairs.system_parents), {words + 1}),
                          to_numpy(std::move(pairs.gold_parents), {words + 1}),
                          to_numpy(std::move(pairs.punctuation), {words}), to_numpy(std::move(pairs.same_label), {words}),
                          pairs.has_labels());
}

}  // namespace

void bind_tree_columns(nb::module_ &module) {
    using namespace nb::literals;
    module.def("read_trees", read_trees, "sentences"_a, "body"_a, "width"_a, "conllu"_a, "minus_one_is_root"_a,
               "For each sentence, whose words begin at `body`, its id, heads, the lines of its words from 0 (None: "
               "all), and its multiword tokens; or the id, what is wrong, as a number, and on which line.");
    module.def("tree_column", tree_column, "sentence"_a, "width"_a, "column"_a,
               "The cells of a column, one for each word, of a sentence that can be read.");
    module.def("ud_rows", ud_rows, "system"_a, "gold"_a, "single_root"_a,
               "The counts of the CoNLL 2018 shared task for each gold sentence. A side is (data, begin, end, width, "
               "conllu, minus_one_is_root). None where a sentence or the characters are wrong.");
    module.def("tree_pairs", tree_pairs, "system"_a, "gold"_a, "punctuation_by"_a, "punctuation"_a, "compare_tags"_a,
               "single_root"_a, "ignore_subtypes"_a,
               "Pairs of sentences as columns: the first word of each, the parents of the system's and of gold's words "
               "(the last number is the root), which words are punctuation, which have the same label, and whether "
               "there are labels. None where something is wrong with a pair.");
}
