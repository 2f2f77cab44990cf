// Which words of two trees have another head or label, as JSON for people and for pages.
#pragma once

#include "karat/same_words_look.hpp"

namespace karat {

class AttachmentLook : public SameWordsLook {
  public:
    using SameWordsLook::SameWordsLook;

    // False where something is wrong with a pair.
    bool read(std::size_t count) {
        if (!SameWordsLook::read(count)) return false;
        judged_.reserve(punctuation.size());
        for (std::size_t i = 0; i < golds_.size(); ++i) {
            for (std::size_t w = 0; w < golds_[i].size(); ++w) {
                const bool same = has_same_head(i, w) && (!has_labels() || same_label[place(i, w)] != 0);
                judged_.push_back(punctuation[place(i, w)] != 0 ? Judged::excluded : same ? Judged::right : Judged::wrong);
            }
        }
        return true;
    }

    void explain(TextPieces &pieces) const {
        for (std::size_t i = 0; i < golds_.size(); ++i) {
            const TreeView system = system_view(i), gold = gold_view(i);
            std::string &out = pieces.text;
            std::int64_t excluded = 0;
            out.append("{\"wrong\":[");
            for (std::size_t w = 0; w < gold.size(); ++w) {
                excluded += judged(i, w) == Judged::excluded;
                if (judged(i, w) != Judged::wrong) continue;
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

  private:
    static void append_edge(const TreeView &tree, std::size_t w, std::string &out) {
        out.push_back('[');
        append_number(tree.head(w), out);
        out.push_back(',');
        if (tree.has_labels()) append_json(tree.label(w), out);
        else out.append("null");
        out.push_back(']');
    }
};

}  // namespace karat
