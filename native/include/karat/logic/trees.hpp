// Variable-free forms: trees, stored flat so that depth needs no recursion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/logic/terms.hpp"
#include "karat/names.hpp"

namespace karat::logic {

// Nodes in the order of the text: label, role and parent of each. A primitive that is written
// as a lambda form is that form, without nodes.
struct Tree {
    std::vector<std::int32_t> labels, roles, parents;
    Form form;
    bool is_form = false;

    void clear() {
        labels.clear(), roles.clear(), parents.clear(), form.clear();
        is_form = false;
    }
};

class TreeReader {
  public:
    Flaw flaw;  // of the last text that was ill-formed

    explicit TreeReader(Names &names) : names_(names), forms_(Dialect::cogs, names) {}

    // Whether a text is well-formed; then `tree` is what it says.
    bool read(std::string_view text, Tree &tree) {
        tree.clear();
        Cursor cursor(text);
        cursor.blanks();
        if (Cursor(cursor).take("LAMBDA")) {
            tree.is_form = true;
            if (forms_.read(text, tree.form)) return true;
            flaw = forms_.flaw;
            return false;
        }
        open_.clear();
        std::int32_t role = -1;
        while (true) {
            const auto node = static_cast<std::int32_t>(tree.labels.size());
            bool may_open = false;
            if (!read_node(cursor, tree, role, may_open)) return false;
            Cursor before = cursor;
            Terminal mark = next(cursor);
            if (mark.is('(')) {
                if (!may_open) return flaw(before, open_.empty() ? "the end" : "\",\" or \")\"");
                open_.push_back(node);
            } else {
                while (mark.is(')') && !open_.empty()) {
                    open_.pop_back();
                    before = cursor;
                    mark = next(cursor);
                    may_open = false;
                }
                if (open_.empty()) {
                    cursor.blanks();
                    if (mark.text.empty() && cursor.done()) return true;
                    return flaw(before, may_open ? "\"(\" or the end" : "the end");
                }
                if (!mark.is(',')) return flaw(before, may_open ? "\"(\", \",\" or \")\"" : "\",\" or \")\"");
            }
            if (!read_role(cursor, role)) return false;
        }
    }

  private:
    // The next terminal; empty at the end, and before a character that begins none.
    struct Terminal {
        std::string_view text;
        bool is_mark = false;

        bool is(char mark) const { return is_mark && text[0] == mark; }
        bool is_word() const { return !is_mark && text.size() > 1 && text != "AND" && text != "LAMBDA"; }
        bool is_name() const {
            return !is_mark && text.size() > 1 && Cursor::is_upper(text[0]) &&
                   std::all_of(text.begin() + 1, text.end(), Cursor::is_lower);
        }
    };

    static Terminal next(Cursor &cursor) {
        static constexpr std::string_view marks = "*().,=?";
        Cursor ahead = cursor;
        Terminal found;
        ahead.blanks();
        if (ahead.take_letters(found.text)) {
            cursor = ahead;
            return found;
        }
        for (std::size_t i = 0; i < marks.size(); ++i) {
            if (ahead.take(marks[i])) {
                cursor = ahead;
                return {marks.substr(i, 1), true};
            }
        }
        return found;
    }

    bool read_node(Cursor &cursor, Tree &tree, std::int32_t role, bool &may_open) {
        Cursor before = cursor;
        Terminal word = next(cursor);
        const bool star = word.is('*');
        if (star) {
            before = cursor;
            word = next(cursor);
        }
        if (word.is('?') && !star) {
            may_open = false;
        } else if (!word.is_word() || (star && word.is_name())) {
            return flaw(before, star ? "a word" : "a word, a name, \"*\" or \"?\"");
        } else {
            may_open = !word.is_name();
        }
        tree.labels.push_back(star ? joined("* ", word.text) : names_(word.text));
        tree.parents.push_back(open_.empty() ? -1 : open_.back());
        tree.roles.push_back(role);
        return true;
    }

    bool read_role(Cursor &cursor, std::int32_t &role) {
        Cursor before = cursor;
        const Terminal first = next(cursor);
        if (!first.is_word()) return flaw(before, "a role");
        before = cursor;
        Terminal mark = next(cursor);
        const bool dotted = mark.is('.');
        if (dotted) {
            before = cursor;
            const Terminal second = next(cursor);
            if (!second.is_word()) return flaw(before, "a word");
            joined_.assign(first.text).append(" . ");
            role = names_(joined_.append(second.text));
            before = cursor;
            mark = next(cursor);
        } else {
            role = names_(first.text);
        }
        return mark.is('=') || flaw(before, dotted ? "\"=\"" : "\".\" or \"=\"");
    }

    std::int32_t joined(std::string_view before, std::string_view after) {
        joined_.assign(before).append(after);
        return names_(joined_);
    }

    Names &names_;
    FormReader forms_;
    std::vector<std::int32_t> open_;
    std::string joined_;
};

// Numbers for trees: the same for trees that differ only in the order of siblings.
class TreeNumbers {
  public:
    bool same(const Tree &a, const Tree &b) {
        if (a.labels.size() != b.labels.size()) return false;
        if (numbers_.size() > most_kept) numbers_ = Names();
        return number_of(a) == number_of(b);
    }

  private:
    static constexpr std::size_t most_kept = 1 << 15;
    using Child = std::pair<std::int32_t, std::int32_t>;  // role, number

    std::int32_t number_of(const Tree &tree) {
        const std::size_t size = tree.labels.size();
        if (children_.size() < size) children_.resize(size);
        std::int32_t number = -1;
        // Children come after their parents in the text.
        for (std::size_t node = size; node-- > 0;) {
            std::vector<Child> &children = children_[node];
            std::sort(children.begin(), children.end());
            key_.clear();
            append(tree.labels[node]);
            for (const auto &[role, child] : children) append(role), append(child);
            children.clear();
            number = numbers_(key_);
            if (tree.parents[node] >= 0) {
                children_[static_cast<std::size_t>(tree.parents[node])].push_back({tree.roles[node], number});
            }
        }
        return number;
    }

    void append(std::int32_t value) { key_.append(reinterpret_cast<const char *>(&value), sizeof value); }

    Names numbers_;
    std::vector<std::vector<Child>> children_;
    std::string key_;
};

}  // namespace karat::logic
