// Explanations of the edits between texts, as JSON.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/word_marks.hpp"
#include "pieces.hpp"
#include "referenced.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::Strings;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::strings;

namespace {

using WordIds = std::vector<std::int32_t>;

// The words of two texts, and how they differ.
class SameWordsWriter {
  public:
    // The edits are left out where the words that differ make more than `most` pairs.
    void operator()(std::string_view system, std::string_view gold, std::size_t most, std::string &out) {
        names_.clear();
        read(system, ours_);
        read(gold, theirs_);
        const std::size_t n = theirs_.size(), m = ours_.size();
        std::size_t front, back;
        trim(front, back);
        const bool same = front == n && front == m;
        out.append(same ? "{\"correct\":true" : "{\"correct\":false").append(",\"tokens\":{\"system\":");
        words(ours_, 0, m, out);
        out.append(",\"gold\":");
        words(theirs_, 0, n, out);
        out.push_back('}');
        if (!same) {
            out.append(",\"first_difference\":{\"position\":");
            karat::append_number(static_cast<std::int64_t>(front), out);
            out.append(",\"system\":");
            word_at(ours_, front, out);
            out.append(",\"gold\":");
            word_at(theirs_, front, out);
            out.push_back('}');
        }
        if ((n - front - back) * (m - front - back) <= most) {
            out.append(",\"edits\":[");
            append_edits(out);
        }
        out.push_back('}');
    }

    // The number of edits, and the edits alone; nothing where words make more pairs.
    void edits(std::string_view system, std::string_view gold, bool characters, std::size_t most, std::string &out) {
        names_.clear();
        read(system, ours_, characters);
        read(gold, theirs_, characters);
        std::size_t front, back;
        trim(front, back);
        if ((theirs_.size() - front - back) * (ours_.size() - front - back) > most) return;
        out.append("{\"distance\":");
        const std::size_t at = out.size();
        out.append(",\"edits\":[");
        append_edits(out);
        out.push_back('}');
        number_.clear();
        karat::append_number(count_, number_);
        out.insert(at, number_);
    }

  private:
    void read(std::string_view text, WordIds &into, bool characters = false) {
        into.clear();
        const auto take = [&](std::string_view word) { into.push_back(names_(word)); };
        if (!characters) return karat::split_at_spaces(text, take);
        for (const char *at = text.data(), *const end = at + text.size(); at < end;) {
            const std::size_t size = karat::character_size(at, end);
            take({at, size});
            at += size;
        }
    }

    // How many words are the same at both ends.
    void trim(std::size_t &front, std::size_t &back) const {
        const std::size_t n = theirs_.size(), m = ours_.size();
        front = back = 0;
        while (front < n && front < m && theirs_[front] == ours_[front]) ++front;
        while (back + front < n && back + front < m && theirs_[n - 1 - back] == ours_[m - 1 - back]) ++back;
    }

    // Appends the edits and the bracket behind them.
    void append_edits(std::string &out) {
        count_ = 0;
        for (const auto &step : align_(theirs_, ours_)) {
            const auto i = static_cast<std::size_t>(step.gold_begin), j = static_cast<std::size_t>(step.system_begin);
            const auto lost = static_cast<std::size_t>(step.gold_end) - i;
            const auto added = static_cast<std::size_t>(step.system_end) - j;
            for (std::size_t k = 0; k < std::max(lost, added); ++k) {
                edit(i + (lost > 0 ? k : 0), lost > 0, j + (added > 0 ? k : 0), added > 0, out);
                ++count_;
            }
        }
        if (out.back() == ',') out.pop_back();
        out.push_back(']');
    }

    void words(const WordIds &side, std::size_t first, std::size_t count, std::string &out) const {
        out.push_back('[');
        for (std::size_t i = first; i < first + count; ++i) {
            if (i > first) out.push_back(',');
            karat::append_json(names_[side[i]], out);
        }
        out.push_back(']');
    }

    void word_at(const WordIds &side, std::size_t place, std::string &out) const {
        if (place < side.size()) karat::append_json(names_[side[place]], out);
        else out.append("null");
    }

    void edit(std::size_t i, bool lost, std::size_t j, bool added, std::string &out) const {
        out.append("{\"edit\":\"").append(lost && added ? "replace" : lost ? "delete" : "insert");
        out.append("\",\"gold\":");
        words(theirs_, i, lost ? 1 : 0, out);
        out.append(",\"system\":");
        words(ours_, j, added ? 1 : 0, out);
        out.append(",\"position\":");
        karat::append_number(static_cast<std::int64_t>(i), out);
        out.append("},");
    }

    karat::Names names_;
    WordIds ours_, theirs_;
    karat::WordAligner align_;
    std::int64_t count_ = 0;
    std::string number_;
};

nb::list same_words_explained(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end,
                              std::size_t most) {
    const Strings systems = strings(data, begin, end), golds = strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("as many texts on both sides");
    SameWordsWriter write;
    return karat::bindings::list_of(
        systems.count, [&](std::size_t i, std::string &out) { write(systems[i], golds[i], most, out); });
}

nb::list edits_explained(Bytes data, Bounds begin, Bounds end, Bytes gold_data, Bounds gold_begin, Bounds gold_end,
                         bool characters, std::size_t most) {
    const Strings systems = strings(data, begin, end), golds = strings(gold_data, gold_begin, gold_end);
    if (systems.count != golds.count) throw nb::value_error("as many texts on both sides");
    SameWordsWriter write;
    return karat::bindings::list_of(systems.count, [&](std::size_t i, std::string &out) {
        write.edits(systems[i], golds[i], characters, most, out);
    });
}

// The shifts and edits that make the closest reference of a text.
class TerWriter {
  public:
    // Appends nothing where a reference makes more than `most_cells` pairs of words with the text.
    void operator()(const karat::Referenced &texts, std::size_t i, std::string_view scores, std::string_view length,
                    std::size_t most_cells, std::string &out) {
        names_.clear(), written_.clear();
        read(texts.systems[i], words_);
        const std::size_t count = texts.count(i);
        if (references_.size() < count) references_.resize(count);
        found_.clear();
        std::size_t best = 0;
        for (std::size_t r = 0; r < count; ++r) {
            read(texts.references[texts.first(i) + r], references_[r]);
            if (!words_.empty() && references_[r].size() > most_cells / words_.size()) return;
            found_.push_back(edits_(view(words_), view(references_[r])));
            if (r > 0 && found_[r] >= found_[best]) continue;
            best = r, moves_ = edits_.moves(), steps_ = edits_.steps();
        }
        out.append("{\"scores\":").append(scores).append(",\"reference\":{\"number\":");
        karat::append_number(static_cast<std::int64_t>(best) + 1, out);
        out.append(",\"words\":");
        append_words(references_[best], 0, references_[best].size(), out);
        out.append("},\"reference_edits\":");
        for (std::size_t r = 0; r < count; ++r) {
            out.push_back(r > 0 ? ',' : '[');
            karat::append_number(found_[r], out);
        }
        out.append("],\"length\":").append(length).append(",\"system\":");
        append_words(words_, 0, words_.size(), out);
        out.append(",\"edits\":");
        karat::append_number(found_[best], out);
        append_shifts(out);
        append_alignment(references_[best], out);
        out.push_back('}');
    }

  private:
    static karat::Words view(const WordIds &words) { return {words.data(), static_cast<std::ptrdiff_t>(words.size())}; }

    // Words are numbered, and written once as JSON.
    void read(std::string_view text, WordIds &into) {
        into.clear();
        karat::split_at_spaces(text, [&](std::string_view word) {
            into.push_back(names_(word));
            if (static_cast<std::size_t>(into.back()) < written_.ends.size()) return;
            karat::append_json(word, written_.text);
            written_.end();
        });
    }

    void append_words(const WordIds &words, std::size_t first, std::size_t count, std::string &out) const {
        out.push_back('[');
        for (std::size_t i = first; i < first + count; ++i) {
            if (i > first) out.push_back(',');
            const auto word = static_cast<std::size_t>(words[i]);
            const std::size_t from = word > 0 ? written_.ends[word - 1] : 0;
            out.append(written_.text, from, written_.ends[word] - from);
        }
        out.push_back(']');
    }

    // The words are in their new order afterwards.
    void append_shifts(std::string &out) {
        out.append(",\"shifts\":[");
        const auto size = static_cast<std::ptrdiff_t>(words_.size());
        for (const auto &move : moves_) {
            const std::ptrdiff_t past = move.target > move.start + move.length ? move.target - move.length : move.target;
            const std::ptrdiff_t place = std::min(past, size - move.length);
            if (out.back() != '[') out.push_back(',');
            out.append("{\"words\":");
            append_words(words_, static_cast<std::size_t>(move.start), static_cast<std::size_t>(move.length), out);
            out.append(",\"from\":");
            karat::append_number(move.start, out);
            out.append(",\"to\":");
            karat::append_number(place, out);
            out.push_back('}');
            const auto at = words_.begin();
            if (place < move.start) std::rotate(at + place, at + move.start, at + move.start + move.length);
            else std::rotate(at + move.start, at + move.start + move.length, at + place + move.length);
        }
        out.push_back(']');
    }

    void append_alignment(const WordIds &gold, std::string &out) const {
        out.append(",\"alignment\":[");
        std::size_t i = 0, j = 0;
        for (const char step : steps_) {
            const std::size_t ours = step != 'i', theirs = step != 'd';
            if (i + j > 0) out.push_back(',');
            out.append("{\"edit\":\"")
                .append(step == '=' ? "keep" : step == 's' ? "substitute" : step == 'd' ? "delete" : "insert")
                .append("\",\"system\":");
            append_words(words_, i, ours, out);
            out.append(",\"gold\":");
            append_words(gold, j, theirs, out);
            out.push_back('}');
            i += ours, j += theirs;
        }
        out.push_back(']');
    }

    karat::Names names_;
    karat::TextPieces written_;  // the words by number
    karat::TranslationEdits edits_;
    WordIds words_;
    std::vector<WordIds> references_;
    std::vector<std::int64_t> found_;
    std::vector<karat::TranslationEdits::Move> moves_;
    std::string steps_;
};

nb::list ter_explained(Bytes data, Bounds begin, Bounds end, Bytes reference_data, Bounds reference_begin,
                       Bounds reference_end, Bounds bounds, std::size_t most_cells, nb::list scores, nb::list lengths) {
    const auto texts = karat::bindings::referenced(
        strings(data, begin, end), strings(reference_data, reference_begin, reference_end), bounds);
    const auto own = karat::bindings::views(scores, texts.systems.count);
    const auto sizes = karat::bindings::views(lengths, texts.systems.count);
    TerWriter write;
    return karat::bindings::list_of(texts.systems.count, [&](std::size_t i, std::string &out) {
        write(texts, i, own[i], sizes[i], most_cells, out);
    });
}

}  // namespace

void bind_told_edits(nb::module_ &module) {
    using namespace nb::literals;
    module.def("same_words_explained", &same_words_explained, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a,
               "gold_end"_a, "most"_a,
               "For each pair of texts, as JSON, whether they have the same words, these words, the first difference, and "
               "the edits between them, unless the words that differ make more than `most` pairs.");
    module.def("edits_explained", &edits_explained, "data"_a, "begin"_a, "end"_a, "gold_data"_a, "gold_begin"_a,
               "gold_end"_a, "characters"_a, "most"_a,
               "For each pair of texts, as JSON, the edits of words or characters that make the system's text of gold, and "
               "how many there are; empty where those that differ make more than `most` pairs.");
    module.def("ter_explained", &ter_explained, "data"_a, "begin"_a, "end"_a, "reference_data"_a, "reference_begin"_a,
               "reference_end"_a, "bounds"_a, "most_cells"_a, "scores"_a, "lengths"_a,
               "Explanations of texts and their references, as JSON: scores and mean lengths of references, which are JSON "
               "already, and the shifts and edits that make the closest reference; empty where a text makes more than "
               "`most_cells` pairs of words with a reference.");
}
