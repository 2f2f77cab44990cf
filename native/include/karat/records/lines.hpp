// A document on indented lines, as a page shows it, and where the values of its pointers stand. Lines are made as
// the content of a JSON string, which is what pages and Python get.
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

    // With `drop`, null and empty containers are left out, as they are not compared. False for what is
    // nested too deeply. What is given has to live as long as places are asked for.
    bool write(const std::vector<Node> &nodes, const Names &strings, const Names &numbers, bool drop) {
        nodes_ = &nodes, strings_ = &strings, numbers_ = &numbers, drop_ = drop;
        text_.clear(), margin_.assign("\\n"), length_ = 0;
        if (nodes.empty()) return false;
        first_.assign(nodes.size(), 0), following_.assign(nodes.size(), 0), spans_.assign(nodes.size(), {});
        bool fine = true;
        const bool kept = collect(0, 0, fine);
        if (!fine) return false;
        if (kept) put(0);
        else put_text("null"), spans_[0] = {0, length_};
        return true;
    }

    // As the content of a JSON string.
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
    const Node &node(std::size_t number) const { return (*nodes_)[number]; }

    // The members or elements of all containers that are shown; whether anything is left of a value.
    bool collect(std::size_t number, std::size_t depth, bool &fine) {
        const Node &n = node(number);
        if (n.kind != Kind::array && n.kind != Kind::object) return !drop_ || n.kind != Kind::null;
        if (depth > deepest) fine = false;
        if (!fine) return false;
        const std::size_t begin = found_.size();
        const auto end = static_cast<std::size_t>(n.next);
        for (std::size_t each = number + 1; each < end; each = static_cast<std::size_t>(node(each).next)) {
            found_.push_back(each);
        }
        if (n.kind == Kind::object) join_doubled(begin);
        std::size_t *last = &first_[number];
        for (std::size_t i = begin; i < found_.size(); ++i) {
            const std::size_t each = found_[i];
            if (!collect(each, depth + 1, fine)) continue;
            *last = each;
            last = &following_[each];
        }
        found_.resize(begin);
        return !drop_ || first_[number] != 0;
    }

    // A later member of the same name takes the place of the first.
    void join_doubled(std::size_t begin) {
        if (found_.size() < begin + 2) return;
        place_of_.resize(std::max(place_of_.size(), strings_->size()), -1);
        std::size_t size = begin;
        for (std::size_t i = begin; i < found_.size(); ++i) {
            std::int64_t &place = place_of_[static_cast<std::size_t>(node(found_[i]).key)];
            if (place < 0) place = static_cast<std::int64_t>(size++);
            found_[static_cast<std::size_t>(place)] = found_[i];
        }
        found_.resize(size);
        for (std::size_t i = begin; i < size; ++i) place_of_[static_cast<std::size_t>(node(found_[i]).key)] = -1;
    }

    void put(std::size_t number) {
        const Node &n = node(number);
        const std::int64_t begin = length_;
        switch (n.kind) {
            case Kind::null: put_text("null"); break;
            case Kind::no: put_text("false"); break;
            case Kind::yes: put_text("true"); break;
            case Kind::number: put_text((*numbers_)[n.text]); break;
            case Kind::string: put_string(n.text); break;
            default: {
                const bool is_object = n.kind == Kind::object;
                put_text(is_object ? "{" : "[");
                margin_.append("  ");
                for (std::size_t each = first_[number]; each != 0; each = following_[each]) {
                    if (each != first_[number]) put_text(",");
                    put_margin();
                    if (is_object) put_string(node(each).key), put_text(": ");
                    put(each);
                }
                margin_.resize(margin_.size() - 2);
                if (first_[number] != 0) put_margin();
                put_text(is_object ? "}" : "]");
            }
        }
        spans_[number] = {begin, length_};
    }

    // ASCII without anything to escape.
    void put_text(std::string_view text) {
        text_.append(text);
        length_ += static_cast<std::int64_t>(text.size());
    }

    void put_margin() {
        text_.append(margin_);
        length_ += static_cast<std::int64_t>(margin_.size()) - 1;  // the line end is one character
    }

    void put_string(std::int32_t number) {
        const std::string_view string = (*strings_)[number];
        bool is_plain = true;
        for (const char c : string) {
            const auto byte = static_cast<unsigned char>(c);
            is_plain &= byte < 0x80 && !may_be_escaped[byte];
        }
        if (is_plain) {
            text_.append("\\\"").append(string).append("\\\"");
            length_ += static_cast<std::int64_t>(string.size()) + 2;
            return;
        }
        literal_.clear();
        append_json(string, literal_);
        for (const char c : literal_) {
            const auto byte = static_cast<unsigned char>(c);
            length_ += ((byte & 0xC0) != 0x80) + (byte >= 0xF0);
        }
        append_json(literal_, text_, false);
    }

    // The member or element that a step of a pointer names; 0, which is the root, where there is none.
    std::size_t child(std::size_t number, std::string_view step) const {
        std::size_t place = 0;
        for (std::size_t each = first_[number]; each != 0; each = following_[each], ++place) {
            if (node(number).kind == Kind::array ? is_place(place, step) : is_step((*strings_)[node(each).key], step)) {
                return each;
            }
        }
        return 0;
    }

    static bool is_place(std::size_t place, std::string_view step) {
        char digits[longest_number];
        const char *end = write_number(static_cast<std::int64_t>(place), digits);
        return step == std::string_view(digits, static_cast<std::size_t>(end - digits));
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

    const std::vector<Node> *nodes_ = nullptr;
    const Names *strings_ = nullptr, *numbers_ = nullptr;
    bool drop_ = false;
    std::vector<std::size_t> first_, following_;  // below a container and beside a value; 0: none
    std::vector<std::size_t> found_;              // of the containers that are being looked through
    std::vector<Place> spans_;
    std::int64_t length_ = 0;             // of what is written, in UTF-16
    std::vector<std::int64_t> place_of_;  // by name of a member; -1 between two objects
    std::string text_, margin_;  // a margin begins a line
    std::string literal_;        // a string with quotes
};

}  // namespace karat::records
