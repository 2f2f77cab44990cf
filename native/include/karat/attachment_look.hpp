// Which words of two trees have another head or label, as JSON for people and for pages.
#pragma once

#include "karat/tree_json.hpp"
#include "karat/tree_pairs.hpp"

namespace karat {

class AttachmentLook : public TreePairs {
  public:
    using TreePairs::TreePairs;

    // False where something is wrong with a pair.
    bool read(std::size_t count) {
        return TreePairs::read(count, [&](const TreeColumns &system, const TreeColumns &gold) {
            systems_.push_back(system.words);
            golds_.push_back(gold.words);
        });
    }

    void explain(TextPieces &pieces) const {
        for (std::size_t i = 0; i < golds_.size(); ++i) {
            const TreeView system = view(system_, systems_[i]), gold = view(gold_, golds_[i]);
            std::string &out = pieces.text;
            std::int64_t excluded = 0;
            out.append("{\"wrong\":[");
            for (std::size_t w = 0; w < gold.size(); ++w) {
                excluded += is_excluded(i, w);
                if (!is_wrong(i, w)) continue;
                separate(out, '[');
                out.append("{\"word\":");
                append_number(static_cast<std::int64_t>(w + 1), out);
                out.append(",\"form\":");
                append_json(gold.form(w), out);
                out.append(",\"gold\":");
                append_edge(gold, w, out);
                out.append(",\"system\":");
                append_edge(system, w, out);
                out.push_back('}');
            }
            out.append("],\"excluded\":");
            append_number(excluded, out);
            out.push_back('}');
            pieces.end();
        }
    }

    void show(ShownPairs &pairs) const {
        std::string scratch;
        for (std::size_t i = 0; i < golds_.size(); ++i) {
            const TreeView system = view(system_, systems_[i]), gold = view(gold_, golds_[i]);
            pairs.golds.text.append("null,[");
            append_arcs(i, gold, Mark::missing, pairs.golds.text);
            pairs.golds.text.push_back(']');
            append_arcs(i, system, Mark::surplus, pairs.systems.text);
            std::string &notes = pairs.views.text;
            notes.append("{},null,[");
            for (std::size_t w = 0; w < gold.size(); ++w) {
                if (!is_wrong(i, w)) continue;
                add_edge_faults(gold, w, system, w, true, !has_same_head(i, w), pairs);
                separate(notes, '[');
                append_edge_note(gold, w, system, w, scratch, notes);
            }
            notes.push_back(']');
            pairs.end();
        }
    }

  private:
    static TreeView view(const Sentences &side, const std::vector<TreeWord> &words) {
        return {side.data, side.rules, words.data(), words.size()};
    }

    std::size_t place(std::size_t i, std::size_t w) const { return static_cast<std::size_t>(offsets[i]) + w; }
    bool is_excluded(std::size_t i, std::size_t w) const { return punctuation[place(i, w)] != 0; }
    bool has_same_head(std::size_t i, std::size_t w) const { return systems_[i][w].head == golds_[i][w].head; }

    bool is_wrong(std::size_t i, std::size_t w) const {
        return !is_excluded(i, w) && (!has_same_head(i, w) || (has_labels() && same_label[place(i, w)] == 0));
    }

    static void append_edge(const TreeView &tree, std::size_t w, std::string &out) {
        out.push_back('[');
        append_number(tree.head(w), out);
        out.push_back(',');
        if (tree.has_labels()) append_json(tree.label(w), out);
        else out.append("null");
        out.push_back(']');
    }

    void append_arcs(std::size_t i, const TreeView &tree, Mark other, std::string &out) const {
        out.append("[\"arcs\",[");
        for (std::size_t w = 0; w < tree.size(); ++w) {
            separate(out, '[');
            tree.append_word(w, Mark::matched, {}, out);
        }
        out.append("],[");
        for (std::size_t w = 0; w < tree.size(); ++w) {
            separate(out, '[');
            Mark kind = is_excluded(i, w) ? Mark::ignored : Mark::matched;
            if (is_wrong(i, w)) kind = has_same_head(i, w) ? Mark::changed : other;
            tree.append_arc(w, kind, 0, out);
        }
        out.append("]]");
    }

    std::vector<std::vector<TreeWord>> systems_, golds_;
};

}  // namespace karat
