// A document on indented lines, as a page shows it, and where the values of its pointers stand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/records/json.hpp"

namespace karat::records {

class Lines {
  public:
    static constexpr std::size_t deepest = 400;
    using Place = std::pair<std::int64_t, std::int64_t>;  // begin and end, in UTF-16

    // With `drop`, null and empty containers are left out, as they are not compared.
    Lines(const std::vector<Node> &nodes, const Names &strings, const Names &numbers, bool drop)
        : nodes_(nodes), strings_(strings), numbers_(numbers), drop_(drop), children_(nodes.size()), spans_(nodes.size()) {}

    // False for what is nested too deeply.
    bool write() {
        if (nodes_.empty()) return false;
        bool fine = true;
        const bool kept = collect(0, 0, fine);
        if (!fine) return false;
        if (kept) put(0, "\n");
        else put_text("null"), spans_[0] = {0, units_};
        return true;
    }

    const std::string &text() const { return text_; }

    // Where the value of a pointer stands, or what is around it, as in choices of gold.
    Place at(std::string_view pointer) const {
        std::size_t node = 0;
        while (!pointer.empty()) {
            const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
            const std::string_view step = pointer.substr(1, end - 1);
            const std::size_t below = child(node, step);
            if (below == 0) break;
            node = below;
            pointer.remove_prefix(end);
        }
        return spans_[node];
    }

  private:
    // The members or elements of all containers that are shown; whether anything is left of a value.
    bool collect(std::size_t node, std::size_t depth, bool &fine) {
        const Node &n = nodes_[node];
        if (n.kind != Kind::array && n.kind != Kind::object) return !drop_ || n.kind != Kind::null;
        if (depth > deepest) fine = false;
        if (!fine) return false;
        std::vector<std::size_t> found;
        const auto end = static_cast<std::size_t>(n.next);
        for (std::size_t each = node + 1; each < end; each = static_cast<std::size_t>(nodes_[each].next)) {
            found.push_back(each);
        }
        if (n.kind == Kind::object) join_doubled(found);
        for (const std::size_t each : found) {
            if (collect(each, depth + 1, fine)) children_[node].push_back(each);
        }
        return !drop_ || !children_[node].empty();
    }

    // A later member of the same name takes the place of the first.
    void join_doubled(std::vector<std::size_t> &members) {
        if (members.size() < 2) return;
        place_of_.resize(strings_.size(), -1);
        std::size_t size = 0;
        for (const std::size_t each : members) {
            std::int64_t &place = place_of_[static_cast<std::size_t>(nodes_[each].key)];
            if (place < 0) place = static_cast<std::int64_t>(size++);
            members[static_cast<std::size_t>(place)] = each;
        }
        members.resize(size);
        for (const std::size_t each : members) place_of_[static_cast<std::size_t>(nodes_[each].key)] = -1;
    }

    // `margin` begins a line.
    void put(std::size_t node, const std::string &margin) {
        const Node &n = nodes_[node];
        const std::int64_t begin = units_;
        switch (n.kind) {
            case Kind::null: put_text("null"); break;
            case Kind::no: put_text("false"); break;
            case Kind::yes: put_text("true"); break;
            case Kind::number: put_text(numbers_[n.text]); break;
            case Kind::string: put_string(n.text); break;
            default: {
                const bool is_object = n.kind == Kind::object;
                put_text(is_object ? "{" : "[");
                const std::string inner = margin + "  ";
                bool first = true;
                for (const std::size_t each : children_[node]) {
                    if (!first) put_text(",");
                    first = false;
                    put_text(inner);
                    if (is_object) put_string(nodes_[each].key), put_text(": ");
                    put(each, inner);
                }
                if (!first) put_text(margin);
                put_text(is_object ? "}" : "]");
            }
        }
        spans_[node] = {begin, units_};
    }

    void put_string(std::int32_t number) {
        const std::size_t before = text_.size();
        append_json(strings_[number], text_);
        count(before);
    }

    void put_text(std::string_view text) {
        const std::size_t before = text_.size();
        text_.append(text);
        count(before);
    }

    void count(std::size_t before) {
        for (std::size_t i = before; i < text_.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text_[i]);
            units_ += ((byte & 0xC0) != 0x80) + (byte >= 0xF0);
        }
    }

    // The member or element that a step of a pointer names; 0, which is the root, where there is none.
    std::size_t child(std::size_t node, std::string_view step) const {
        const std::vector<std::size_t> &below = children_[node];
        if (nodes_[node].kind == Kind::array) {
            for (std::size_t i = 0; i < below.size(); ++i) {
                if (std::to_string(i) == step) return below[i];
            }
            return 0;
        }
        for (const std::size_t each : below) {
            if (is_step(strings_[nodes_[each].key], step)) return each;
        }
        return 0;
    }

    // Whether a step spells a name, with ~0 for ~ and ~1 for /.
    static bool is_step(std::string_view name, std::string_view step) {
        std::size_t at = 0;
        for (const char c : name) {
            const std::string_view written = c == '~' ? "~0" : c == '/' ? "~1" : std::string_view(&c, 1);
            if (step.substr(at, written.size()) != written) return false;
            at += written.size();
        }
        return at == step.size();
    }

    const std::vector<Node> &nodes_;
    const Names &strings_, &numbers_;
    bool drop_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<Place> spans_;
    std::vector<std::int64_t> place_of_;  // by name of a member; -1 between two objects
    std::string text_;
    std::int64_t units_ = 0;
};

}  // namespace karat::records
