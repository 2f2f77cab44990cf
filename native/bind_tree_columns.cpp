#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "karat/attachment_look.hpp"
#include "karat/enhanced_look.hpp"
#include "karat/ned_look.hpp"
#include "karat/tree_columns.hpp"
#include "karat/tree_pairs.hpp"
#include "karat/ud_counts.hpp"
#include "karat/ud_look.hpp"
#include "pieces.hpp"

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
        rules.tagged = nb::cast<bool>(given[6]);
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
    karat::TreeRules known = rules(width, true, true);
    known.loose = true;  // it was read before
    karat::TreeReader reader(known);
    if (reader.read(data, 0, data.size(), trees).fault != TreeFault::none) throw nb::value_error("this is no tree");
    return tuple_of(trees.words.size(), [&](std::size_t i) {
        return text(karat::TreeColumns::cell(data, trees.words[i], column));
    });
}

// Reads both sides; false where that cannot be.
bool read_ud(karat::UdChunk &chunk, const Side &ours, const Side &theirs, bool single_root) {
    const std::string_view our_data = view(ours.data), their_data = view(theirs.data);
    if (ours.rules.width != 10 || theirs.rules.width != 10) throw nb::value_error("UD has ten columns");
    nb::gil_scoped_release release;
    return chunk.read({our_data, ours.rules, ours.begin.data(), ours.end.data(), ours.size()},
                      {their_data, theirs.rules, theirs.begin.data(), theirs.end.data(), theirs.size()}, single_root);
}

// Python knows what is lower case of what; few words need it.
std::vector<std::string> lowered_forms(const karat::UdChunk &chunk) {
    std::vector<std::string> lowered;
    for (std::size_t i = 0; i < chunk.forms().size(); ++i) {
        lowered.push_back(nb::cast<std::string>(text(chunk.forms()[static_cast<std::int32_t>(i)]).attr("lower")()));
    }
    return lowered;
}

std::optional<nb::ndarray<nb::numpy, double>> ud_rows(nb::tuple system, nb::tuple gold, bool single_root) {
    const Side ours(system), theirs(gold);
    karat::UdChunk chunk;
    if (!read_ud(chunk, ours, theirs, single_root)) return std::nullopt;
    const std::vector<std::string> lowered = lowered_forms(chunk);
    std::vector<double> rows;
    {
        nb::gil_scoped_release release;
        rows = chunk.rows(lowered);
    }
    return to_numpy(std::move(rows), {theirs.size(), karat::UdChunk::columns});
}

// Parsed sentences of both sides, whose trees are not checked again.
std::array<karat::UdChunk::Sentences, 2> parsed(Side &ours, Side &theirs) {
    const auto loose = [](Side &side) -> karat::UdChunk::Sentences {
        side.rules.loose = true;
        return {view(side.data), side.rules, side.begin.data(), side.end.data(), side.size()};
    };
    return {loose(ours), loose(theirs)};
}

nb::tuple align_trees(nb::tuple system, nb::tuple gold) {
    using Refusal = karat::UdChunk::Refusal;
    constexpr std::size_t shown = 20;
    Side ours(system), theirs(gold);
    const auto [our_sentences, their_sentences] = parsed(ours, theirs);
    karat::UdChunk chunk;
    bool fine;
    {
        nb::gil_scoped_release release;
        fine = chunk.read(our_sentences, their_sentences, false);
    }
    if (!fine) {
        const Refusal &refusal = chunk.refusal();
        if (refusal.kind == Refusal::region) return nb::make_tuple("region", refusal.place, refusal.other);
        if (refusal.kind == Refusal::text) {
            const auto found = chunk.difference(shown);
            return nb::make_tuple("text", found.of_gold, found.sentence, text(found.system), text(found.gold));
        }
        if (refusal.place < 0) throw nb::value_error("a sentence cannot be read");
        return nb::make_tuple("form", refusal.kind == Refusal::gold_form, refusal.place);
    }
    auto found = chunk.alignment(lowered_forms(chunk));
    const std::size_t words = found.partners.size();
    return nb::make_tuple("", to_numpy(std::move(found.partners), {words}), to_numpy(std::move(found.homes), {words}),
                          to_numpy(std::move(found.spans), {theirs.size(), 4}));
}

nb::tuple ud_agreements(nb::tuple system, nb::tuple gold, Vector<std::int32_t> partners) {
    Side ours(system), theirs(gold);
    const auto [our_sentences, their_sentences] = parsed(ours, theirs);
    karat::UdChunk::Agreements found;
    {
        nb::gil_scoped_release release;
        karat::UdChunk chunk;
        if (chunk.read_aligned(our_sentences, their_sentences, partners.data(), partners.shape(0))) {
            found = chunk.agreements();
        }
    }
    const std::size_t words = found.system_content.size(), golds = found.gold_content.size();
    if (words != partners.shape(0)) throw nb::value_error("sentences or partners are wrong");
    return nb::make_tuple(to_numpy(std::move(found.same), {words, karat::UdChunk::compared}),
                          to_numpy(std::move(found.system_content), {words}),
                          to_numpy(std::move(found.gold_content), {golds}));
}

using By = karat::PunctuationRule::By;

By by_name(const std::string &name) {
    if (name.empty()) return By::nothing;
    if (name == "tag") return By::tag;
    if (name == "upos") return By::upos;
    if (name == "label") return By::label;
    throw nb::value_error("punctuation is told by tag, upos or label");
}

// Pairs of trees over the same words; false where something is wrong with one.
template <class Pairs>
std::optional<Pairs> read_pairs(const Side &ours, const Side &theirs, const std::string &punctuation_by,
                                std::vector<std::string> punctuation, bool compare_tags, bool single_root,
                                bool ignore_subtypes) {
    const std::string_view our_data = view(ours.data), their_data = view(theirs.data);
    if (ours.size() != theirs.size()) throw nb::value_error("as many sentences of the system as of gold");
    std::optional<Pairs> pairs;
    pairs.emplace(karat::TreePairs::Sentences{our_data, ours.rules, ours.begin.data(), ours.end.data()},
                  karat::TreePairs::Sentences{their_data, theirs.rules, theirs.begin.data(), theirs.end.data()},
                  karat::TreePairs::Options{{by_name(punctuation_by), std::move(punctuation)}, compare_tags, single_root,
                                            ignore_subtypes});
    bool fine;
    {
        nb::gil_scoped_release release;
        fine = pairs->read(theirs.size());
    }
    if (!fine) pairs.reset();
    return pairs;
}

nb::tuple columns(karat::TreePairs &&pairs) {
    const std::size_t words = pairs.punctuation.size(), sentences = pairs.offsets.size();
    return nb::make_tuple(to_numpy(std::move(pairs.offsets), {sentences}),
                          to_numpy(std::move(pairs.system_parents), {words + 1}),
                          to_numpy(std::move(pairs.gold_parents), {words + 1}),
                          to_numpy(std::move(pairs.punctuation), {words}), to_numpy(std::move(pairs.same_label), {words}),
                          pairs.has_labels());
}

std::optional<nb::tuple> tree_pairs(nb::tuple system, nb::tuple gold, const std::string &punctuation_by,
                                    std::vector<std::string> punctuation, bool compare_tags, bool single_root,
                                    bool ignore_subtypes) {
    const Side ours(system), theirs(gold);
    auto found = read_pairs<karat::TreePairs>(ours, theirs, punctuation_by, std::move(punctuation), compare_tags,
                                              single_root, ignore_subtypes);
    if (!found) return std::nullopt;
    return columns(std::move(*found));
}

// Pairs of trees to look at, with the bytes that they are read from.
template <class Look>
struct Looked {
    Side system, gold;
    Look look;

    Looked(Side system, Side gold, Look look)
        : system(std::move(system)), gold(std::move(gold)), look(std::move(look)) {}
    Looked(const Looked &) = delete;

    nb::list explanations() const {
        karat::TextPieces pieces;
        {
            nb::gil_scoped_release release;
            look.explain(pieces);
        }
        return karat::bindings::to_python(pieces);
    }

    nb::tuple shown() const {
        karat::ShownPairs pairs;
        {
            nb::gil_scoped_release release;
            look.show(pairs);
        }
        return karat::bindings::to_python(std::move(pairs), nb::list(), true);
    }
};

std::unique_ptr<Looked<karat::UdLook>> look_at_ud(nb::tuple system, nb::tuple gold, bool single_root) {
    auto looked = std::make_unique<Looked<karat::UdLook>>(Side(system), Side(gold), karat::UdLook());
    karat::UdLook &look = looked->look;
    if (!read_ud(look, looked->system, looked->gold, single_root)) return nullptr;
    const std::vector<std::string> lowered = lowered_forms(look);
    nb::gil_scoped_release release;
    look.judge(lowered);
    return looked;
}

// Reads words that were aligned before.
template <class Look>
void read_aligned(Looked<Look> &looked, const Vector<std::int32_t> &partners, const Vector<std::int32_t> &homes) {
    const auto [our_sentences, their_sentences] = parsed(looked.system, looked.gold);
    bool fine = homes.shape(0) == partners.shape(0);
    if (fine) {
        nb::gil_scoped_release release;
        fine = looked.look.read_aligned(our_sentences, their_sentences, partners.data(), partners.shape(0));
    }
    for (std::size_t s = 0; fine && s < homes.shape(0); ++s) {
        fine = homes(s) >= -1 && homes(s) < static_cast<std::int32_t>(looked.gold.size());
    }
    if (!fine) throw nb::value_error("sentences or partners are wrong");
}

std::unique_ptr<Looked<karat::UdLook>> look_at_aligned(nb::tuple system, nb::tuple gold, Vector<std::int32_t> partners,
                                                       Vector<std::int32_t> homes) {
    auto looked = std::make_unique<Looked<karat::UdLook>>(Side(system), Side(gold), karat::UdLook());
    read_aligned(*looked, partners, homes);
    nb::gil_scoped_release release;
    looked->look.judge(homes.data());
    return looked;
}

using LookedEnhanced = Looked<karat::EnhancedLook>;

std::unique_ptr<LookedEnhanced> look_at_enhanced(nb::tuple system, nb::tuple gold, bool multiply) {
    auto looked = std::make_unique<LookedEnhanced>(Side(system), Side(gold), karat::EnhancedLook(multiply));
    if (!read_ud(looked->look, looked->system, looked->gold, false)) return nullptr;
    const std::vector<std::string> lowered = lowered_forms(looked->look);
    nb::gil_scoped_release release;
    return looked->look.judge(lowered, false) ? std::move(looked) : nullptr;
}

std::unique_ptr<LookedEnhanced> look_at_enhanced_aligned(nb::tuple system, nb::tuple gold,
                                                         Vector<std::int32_t> partners, Vector<std::int32_t> homes,
                                                         bool multiply, bool unequal) {
    auto looked = std::make_unique<LookedEnhanced>(Side(system), Side(gold), karat::EnhancedLook(multiply));
    read_aligned(*looked, partners, homes);
    bool fine;
    {
        nb::gil_scoped_release release;
        fine = looked->look.judge(homes.data(), unequal);
    }
    if (!fine) throw nb::value_error("enhanced dependencies are wrong");
    return looked;
}

nb::ndarray<nb::numpy, double> enhanced_rows(const LookedEnhanced &looked) {
    return to_numpy(looked.look.rows(), {looked.gold.size(), karat::EnhancedLook::columns});
}

std::unique_ptr<Looked<karat::AttachmentLook>> look_at_attachments(
    nb::tuple system, nb::tuple gold, const std::string &punctuation_by, std::vector<std::string> punctuation,
    bool compare_tags, bool single_root, bool ignore_subtypes) {
    Side ours(system), theirs(gold);
    auto found = read_pairs<karat::AttachmentLook>(ours, theirs, punctuation_by, std::move(punctuation), compare_tags,
                                                   single_root, ignore_subtypes);
    if (!found) return nullptr;
    return std::make_unique<Looked<karat::AttachmentLook>>(std::move(ours), std::move(theirs), std::move(*found));
}

using LookedNed = Looked<karat::NedLook>;

std::unique_ptr<LookedNed> look_at_ned(nb::tuple system, nb::tuple gold, const std::string &punctuation_by,
                                       std::vector<std::string> punctuation, bool compare_tags, bool single_root,
                                       bool ignore_subtypes) {
    Side ours(system), theirs(gold);
    auto found = read_pairs<karat::NedLook>(ours, theirs, punctuation_by, std::move(punctuation), compare_tags,
                                            single_root, ignore_subtypes);
    if (!found) return nullptr;
    return std::make_unique<LookedNed>(std::move(ours), std::move(theirs), std::move(*found));
}

void judge_ned(LookedNed &looked, Vector<std::uint8_t> how, Vector<std::uint8_t> skipped) {
    if (how.shape(0) != looked.look.words() || skipped.shape(0) != looked.look.sentences()) {
        throw nb::value_error("each word and each sentence must be judged");
    }
    for (std::size_t i = 0; i < how.shape(0); ++i) {
        if (how(i) >= karat::NedLook::ways) throw nb::value_error("there is no such way to be right");
    }
    looked.look.judge(how.data(), skipped.data());
}

std::optional<nb::list> tree_arcs(nb::tuple sentences) {
    const Side side(sentences);
    const std::string_view data = view(side.data);
    karat::TreeColumns trees;
    {
        nb::gil_scoped_release release;
        karat::TreeReader reader(side.rules);
        for (std::size_t i = 0; i < side.size(); ++i) {
            const auto begin = static_cast<std::size_t>(side.begin(i)), end = static_cast<std::size_t>(side.end(i));
            if (reader.read(data, begin, end, trees).fault != TreeFault::none) break;
        }
    }
    if (trees.size() != side.size()) return std::nullopt;
    return karat::bindings::list_of(side.size(), [&](std::size_t i, std::string &out) {
        const karat::TreeView tree(data, side.rules, &trees.words[trees.first_word[i]], trees.size(i));
        karat::append_tree(tree, [](std::size_t) { return karat::Mark::matched; }, out);
    });
}

nb::list edits(const Looked<karat::UdLook> &looked) {
    std::vector<karat::UdLook::Edit> found;
    {
        nb::gil_scoped_release release;
        found = looked.look.edits();
    }
    nb::list result;
    auto edit = found.begin();
    for (std::size_t i = 0; i < looked.gold.size(); ++i) {
        nb::list own;
        for (; edit != found.end() && edit->sentence == i; ++edit) {
            own.append(nb::make_tuple(edit->word, text(edit->kind), edit->place, text(edit->system), text(edit->gold)));
        }
        result.append(own);
    }
    return result;
}

template <class Look>
nb::class_<Looked<Look>> bind_looked(nb::module_ &module, const char *name) {
    return nb::class_<Looked<Look>>(module, name, "Pairs of trees to look at.")
        .def("explanations", &Looked<Look>::explanations, "What is wrong in each pair, as JSON.")
        .def("shown", &Looked<Look>::shown, "The members of ShownPairs.");
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
    module.def("align_trees", align_trees, "system"_a, "gold"_a,
               "The alignment of parsed sentences over the same characters: '', for each word of the system its partner "
               "among gold's words or -1, the gold sentence that each starts in, and for each gold sentence the "
               "system's tokens that start in it, those equal to gold's, and the same of sentences. Else what is wrong: "
               "'form', whether gold's, which word; 'text', whether the sentence is gold's, which, what the system "
               "and gold have there; 'region', its words in gold and in the system.");
    module.def("ud_agreements", ud_agreements, "system"_a, "gold"_a, "partners"_a,
               "For each word of parsed sentences which columns of ud_rows, from 'words' on, it counts in with its "
               "partner, and which words of the system and of gold are content words.");
    module.def("tree_pairs", tree_pairs, "system"_a, "gold"_a, "punctuation_by"_a, "punctuation"_a, "compare_tags"_a,
               "single_root"_a, "ignore_subtypes"_a,
               "Pairs of sentences as columns: the first word of each, the parents of the system's and of gold's words "
               "(the last number is the root), which words are punctuation, which have the same label, and whether "
               "there are labels. None where something is wrong with a pair.");
    bind_looked<karat::UdLook>(module, "UdLook")
        .def("edits", edits,
             "For each gold sentence what to change: a word of it, from 1; head, label, both or the name of a column, or "
             "segmentation where the system's sentence lacks gold's head; the place of its partner in the drawing; what "
             "the system says of it, and what gold says.");
    bind_looked<karat::AttachmentLook>(module, "AttachmentLook");
    bind_looked<karat::NedLook>(module, "NedLook")
        .def("columns", [](const LookedNed &looked) { return columns(karat::TreePairs(looked.look)); },
             "What tree_pairs gives of the pairs.")
        .def("judge", judge_ned, "how"_a, "skipped"_a,
             "Tells in which way each word is right (0 wrong, 1 parent, 2 child, 3 grandparent, 4 excluded), and which "
             "sentences are left out, before anything is asked of the pairs.");
    module.def("look_at_ud", look_at_ud, "system"_a, "gold"_a, "single_root"_a,
               "The same sentences as ud_rows takes, to look at; None where it gives none.");
    module.def("look_at_aligned", look_at_aligned, "system"_a, "gold"_a, "partners"_a, "homes"_a,
               "The same sentences as ud_agreements takes, to look at; `homes` are the gold sentences that words of the "
               "system count for, or -1.");
    module.def("look_at_attachments", look_at_attachments, "system"_a, "gold"_a, "punctuation_by"_a, "punctuation"_a,
               "compare_tags"_a, "single_root"_a, "ignore_subtypes"_a,
               "The same pairs as tree_pairs takes, to look at; None where it gives none.");
    module.def("look_at_ned", look_at_ned, "system"_a, "gold"_a, "punctuation_by"_a, "punctuation"_a, "compare_tags"_a,
               "single_root"_a, "ignore_subtypes"_a, "The same, to be judged and looked at.");
    bind_looked<karat::EnhancedLook>(module, "EnhancedLook")
        .def("rows", enhanced_rows,
             "For each gold sentence the edges of gold and of the system, those that are correct, with subtypes and "
             "without, those written twice, and gold's words.");
    module.def("look_at_enhanced", look_at_enhanced, "system"_a, "gold"_a, "multiply"_a,
               "The enhanced dependencies of the sentences that ud_rows takes, to look at; with `multiply` equal edges "
               "are correct as often as there are pairs of them. None where a sentence, the characters or the "
               "dependencies are wrong, or come from empty nodes.");
    module.def("look_at_enhanced_aligned", look_at_enhanced_aligned, "system"_a, "gold"_a, "partners"_a, "homes"_a,
             "multiply"_a, "unequal"_a,
             "The same of sentences that look_at_aligned takes; a head may be '-' where some are `unequal` to all. A "
               "ValueError where something is wrong.");
    module.def("tree_arcs", tree_arcs, "sentences"_a,
               "Each sentence of a side as pages draw it, as JSON; None where one cannot be read.");
}
