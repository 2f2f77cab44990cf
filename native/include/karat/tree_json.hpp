// Trees as a page takes them: words, arcs with marks, and what is said of an attachment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/shown.hpp"
#include "karat/tree_columns.hpp"

namespace karat {

// A tree with the columns that its file has; words are counted from 0, heads from 1.
class TreeView {
  public:
    TreeView(std::string_view data, const TreeRules &rules, const TreeWord *words, std::size_t size)
        : data_(data), words_(words), size_(size), width_(rules.width) {
        if (width_ > 1) return;
        for (std::size_t w = 1; w <= size; ++w) numbers_.push_back(std::to_string(w));
    }

    std::size_t size() const { return size_; }
    std::int32_t head(std::size_t w) const { return words_[w].head; }
    bool has_labels() const { return width_ == 10; }
    std::string_view cell(std::size_t w, std::size_t column) const {
        return TreeColumns::cell(data_, words_[w], column);
    }
    std::string_view form(std::size_t w) const { return width_ == 1 ? numbers_[w] : cell(w, width_ == 10 ? 1 : 0); }
    std::string_view label(std::size_t w) const { return has_labels() ? cell(w, 7) : std::string_view(); }
    std::string_view tag(std::size_t w) const { return width_ == 1 ? "_" : cell(w, width_ == 10 ? 3 : 1); }

    std::string_view head_form(std::size_t w) const { return head(w) == 0 ? "ROOT" : form(above(w)); }

    // The kind of word that a word is attached to.
    std::string_view head_tag(std::size_t w) const {
        if (head(w) == 0) return "ROOT";
        return width_ == 1 ? form(above(w)) : tag(above(w));
    }

    void append_word(std::size_t w, Mark kind, std::string_view note, std::string &out) const {
        const std::string_view word = form(w), below = tag(w);
        const bool tagged = below != "_";
        if (word.size() + below.size() <= room && note.empty() && is_plain(word) && is_plain(below)) {
            char line[room + 16] = "[";
            char *at = write_plain(word, line + 1);
            *at++ = ',', *at++ = '[';
            if (tagged) at = write_plain(below, at);
            for (const char each : {']', ',', digit_of(kind), ',', '"', '"', ']'}) *at++ = each;
            out.append(line, at);
            return;
        }
        out.push_back('[');
        append_json(word, out);
        out.append(",[");
        if (tagged) append_json(below, out);
        out.append({']', ',', digit_of(kind), ','});
        append_json(note, out);
        out.push_back(']');
    }

    // Words have moved to the right by so many.
    void append_arc(std::size_t w, Mark kind, std::size_t moved, std::string &out) const {
        append_arc(head(w), w, label(w) == "_" ? std::string_view() : label(w), kind, moved, out);
    }

    // From a head, counted from 1; those below are none.
    static void append_arc(std::int32_t head, std::size_t w, std::string_view name, Mark kind, std::size_t moved,
                           std::string &out) {
        char line[2 * longest_number + room + 8] = "[";
        char *at = write_number(head <= 0 ? -1 : head - 1 + static_cast<std::int64_t>(moved), line + 1);
        *at++ = ',';
        at = write_number(static_cast<std::int64_t>(w + moved), at);
        *at++ = ',';
        const bool plain = name.size() <= room && is_plain(name);
        if (plain) {
            at = write_plain(name, at);
        } else {
            out.append(line, at);
            append_json(name, out);
            at = line;
        }
        *at++ = ',', *at++ = digit_of(kind), *at++ = ']';
        out.append(line, at);
    }

  private:
    static constexpr std::size_t room = 112;  // texts that fit are added at once

    static char digit_of(Mark kind) { return static_cast<char>('0' + static_cast<int>(kind)); }
    std::size_t above(std::size_t w) const { return static_cast<std::size_t>(head(w)) - 1; }

    std::string_view data_;
    const TreeWord *words_;
    std::size_t size_, width_;
    std::vector<std::string> numbers_;  // in place of forms
};

// Another label, another head.
inline void add_edge_faults(const TreeView &gold, std::size_t g, const TreeView &system, std::size_t s, bool labels,
                            bool heads, ShownPairs &pairs) {
    const std::string_view theirs = gold.label(g), ours = system.label(s);
    if (labels && theirs != ours) pairs.add_fault("labels", Mark::changed, theirs, ours);
    if (!heads) return;
    std::string edge(theirs.empty() ? "edge" : theirs);
    pairs.add_fault("heads", Mark::changed, edge.append(" of ").append(gold.head_tag(g)),
                    std::string("of ").append(system.head_tag(s)));
}

inline void append_edge_note(const TreeView &gold, std::size_t g, const TreeView &system, std::size_t s,
                             std::string &scratch, std::string &out) {
    scratch.assign(gold.form(g)).append(": ");
    const auto side = [&](const TreeView &tree, std::size_t w) {
        if (tree.label(w).empty()) scratch.append("head ");
        else scratch.append(tree.label(w)).append(" of ");
        scratch.append(tree.head_form(w));
    };
    side(gold, g);
    scratch.append(" \xE2\x86\x92 ");  // an arrow
    side(system, s);
    append_json(scratch, out);
}

}  // namespace karat
