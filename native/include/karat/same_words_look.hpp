// Two trees over the same words, with what was judged of each word, as JSON for pages.
#pragma once

#include "karat/tree_json.hpp"
#include "karat/tree_pairs.hpp"

namespace karat {

// Words with their tags, and the arcs to them, whose kinds `kind_of` gives.
template <class KindOf>
void append_tree(const TreeView &tree, KindOf kind_of, std::string &out) {
    out.append("[\"arcs\",[");
    for (std::size_t w = 0; w < tree.size(); ++w) {
        separate(out, '[');
        tree.append_word(w, Mark::matched, {}, out);
    }
    out.append("],[");
    for (std::size_t w = 0; w < tree.size(); ++w) {
        separate(out, '[');
        tree.append_arc(w, kind_of(w), 0, out);
    }
    out.append("]]");
}

class SameWordsLook : public TreePairs {
  public:
    using TreePairs::TreePairs;

    // False where something is wrong with a pair.
    bool read(std::size_t count) {
        return TreePairs::read(count, [&](const TreeColumns &system, const TreeColumns &gold) {
            systems_.push_back(system.words);
            golds_.push_back(gold.words);
        });
    }

    void show(ShownPairs &pairs) const {
        std::string scratch;
        for (std::size_t i = 0; i < golds_.size(); ++i) {
            const TreeView system = system_view(i), gold = gold_view(i);
            pairs.golds.text.append("null,[");
            append_arcs(i, gold, Mark::missing, pairs.golds.text);
            pairs.golds.text.push_back(']');
            append_arcs(i, system, Mark::surplus, pairs.systems.text);
            std::string &notes = pairs.views.text;
            notes.append("{},null,[");
            for (std::size_t w = 0; w < gold.size(); ++w) {
                if (judged(i, w) != Judged::wrong) continue;
                add_edge_faults(gold, w, system, w, true, !has_same_head(i, w), pairs);
                separate(notes, '[');
                append_edge_note(gold, w, system, w, scratch, notes);
            }
            notes.push_back(']');
            pairs.end();
        }
    }

  protected:
    // Words may be right though their heads differ.
    enum class Judged : std::uint8_t { right, wrong, excluded, accepted };

    TreeView system_view(std::size_t i) const { return view(system_, systems_[i]); }
    TreeView gold_view(std::size_t i) const { return view(gold_, golds_[i]); }

    std::size_t place(std::size_t i, std::size_t w) const { return static_cast<std::size_t>(offsets[i]) + w; }
    Judged judged(std::size_t i, std::size_t w) const { return judged_[place(i, w)]; }
    bool has_same_head(std::size_t i, std::size_t w) const { return systems_[i][w].head == golds_[i][w].head; }

    std::vector<std::vector<TreeWord>> systems_, golds_;
    std::vector<Judged> judged_;  // of all words

  private:
    static TreeView view(const Sentences &side, const std::vector<TreeWord> &words) {
        return {side.data, side.rules, words.data(), words.size()};
    }

    void append_arcs(std::size_t i, const TreeView &tree, Mark other, std::string &out) const {
        append_tree(
            tree,
            [&](std::size_t w) {
                switch (judged(i, w)) {
                    case Judged::excluded: return Mark::ignored;
                    case Judged::wrong: return has_same_head(i, w) ? Mark::changed : other;
                    case Judged::accepted: return other == Mark::surplus ? Mark::synonym : Mark::matched;
                    default: return Mark::matched;
                }
            },
            out);
    }
};

}  // namespace karat
