// Which errors explanations of graphs list how often, and which labels are taken for which others.
//
// Explanations are JSON that we wrote: strings are compared as they are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "karat/frequent_errors.hpp"
#include "karat/names.hpp"
#include "karat/written_json.hpp"

namespace karat {

class ErrorProfile {
  public:
    // Of these kinds, labels that are taken for others are counted.
    explicit ErrorProfile(std::vector<std::string> kinds) : confused(std::move(kinds)) {
        for (const std::string &kind : confused) confusions[kind];
    }
    ErrorProfile(const ErrorProfile &) = delete;
    ErrorProfile &operator=(const ErrorProfile &) = delete;

    const std::vector<std::string> confused;
    CountedKinds missing, surplus, confusions;

    // Adds an explanation; false where it is not written as ours are.
    bool add(std::string_view explanation) {
        entries_.clear(), tokens_.clear(), lists_.clear(), partners_.clear(), links_.clear();
        WrittenJson json(explanation);
        if (!json.open('{')) return false;
        while (json.more('}')) {
            const std::string_view kind = inside(json.name());
            if (kind == "correspondences" && json.peek() == '[') {
                read_list(json, kind, 2);
            } else if (json.peek() == '{') {
                json.open('{');
                while (json.more('}')) {
                    const std::size_t side = side_of(inside(json.name()));
                    if (side < 2 && json.peek() == '[') {
                        read_list(json, kind, side);
                    } else {
                        json.value();
                    }
                }
            } else if (side_of(kind) < 2 && json.peek() == '[') {
                read_list(json, {}, side_of(kind));
            } else {
                json.value();
            }
        }
        if (!json.good) return false;
        tell_apart();
        count();
        return true;
    }

  private:
    static constexpr std::array<std::string_view, 3> kinds_of_triples{"labels", "properties", "edges"};

    // A list of a kind: missing, surplus, or (2) what corresponds.
    struct List {
        std::string_view kind;
        std::size_t side, first, end;
    };

    struct Entry {
        std::size_t first, count;
        bool is_list;
    };

    static std::size_t side_of(std::string_view name) {
        return name == "missing" ? 0 : name == "surplus" ? 1 : 2;
    }

    void read_list(WrittenJson &json, std::string_view kind, std::size_t side) {
        const std::size_t first = entries_.size();
        json.open('[');
        while (json.more(']')) {
            const std::size_t token = tokens_.size();
            const bool is_list = json.open('[');
            if (is_list) {
                while (json.more(']')) tokens_.push_back(json.value());
            } else {
                json.value();
            }
            entries_.push_back({token, tokens_.size() - token, is_list});
        }
        lists_.push_back({kind, side, first, entries_.size()});
    }

    // Triples that are not divided into kinds become labels, properties and edges.
    void tell_apart() {
        std::array<const List *, 3> whole{};
        for (const List &list : lists_) {
            if (list.kind.empty() || list.side == 2) whole[list.side] = &list;
        }
        same_names_ = whole[2] == nullptr;
        if (!same_names_) {
            for (std::size_t i = whole[2]->first; i < whole[2]->end; ++i) {
                if (entries_[i].count == 2) partners_.emplace(token(entries_[i], 1), token(entries_[i], 0));
            }
        }
        if (same_names_) {
            for (List &list : lists_) {
                if (list.kind.empty()) list.kind = "all";
            }
            return;
        }
        if (whole[0] == nullptr || !whole[0]->kind.empty()) return;
        const std::array<const List *, 3> &found = whole;
        std::array<std::unordered_map<std::string_view, bool, HashOfName>, 2> variables;
        std::vector<List> divided;
        for (std::size_t side = 0; side < 2; ++side) {
            if (found[2] != nullptr) {
                for (std::size_t i = found[2]->first; i < found[2]->end; ++i) {
                    if (entries_[i].count == 2) variables[side].emplace(token(entries_[i], side), true);
                }
            }
            const std::size_t first = found[side] == nullptr ? 0 : found[side]->first;
            const std::size_t end = found[side] == nullptr ? 0 : found[side]->end;
            for (std::size_t i = first; i < end; ++i) {
                if (entries_[i].count == 3) variables[side].emplace(token(entries_[i], 1), true);
            }
            std::array<std::vector<std::array<std::string_view, 3>>, 3> kinds;
            for (std::size_t i = first; i < end; ++i) {
                if (entries_[i].count != 3) continue;
                const std::string_view role = token(entries_[i], 0), variable = token(entries_[i], 1),
                                       value = token(entries_[i], 2);
                if (role == "\"instance\"") {
                    kinds[0].push_back({variable, value, {}});
                } else if (variables[side].count(value) > 0) {
                    kinds[2].push_back({variable, value, role});
                } else {
                    kinds[1].push_back({variable, role, value});
                }
            }
            for (std::size_t kind = 0; kind < 3; ++kind) {
                const std::size_t begin = entries_.size();
                for (const auto &parts : kinds[kind]) {
                    const std::size_t size = kind == 0 ? 2 : 3;
                    entries_.push_back({tokens_.size(), size, true});
                    tokens_.insert(tokens_.end(), parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(size));
                    // Variables are not named among the errors.
                    links_.resize(tokens_.size(), false);
                    links_[entries_.back().first] = true;
                    if (kind == 2) links_[entries_.back().first + 1] = true;
                }
                divided.push_back({kinds_of_triples[kind], side, begin, entries_.size()});
            }
        }
        lists_ = std::move(divided);
    }

    void count() {
        for (const List &list : lists_) {
            if (list.side == 2) continue;
            name_.clear();
            append_unescaped(list.kind, name_);
            CountedNames &counts = (list.side == 0 ? missing : surplus)[name_];
            for (std::size_t i = list.first; i < list.end; ++i) counts.add(named(entries_[i]));
        }
        for (const std::string &kind : confused) {
            const List *lost = find(kind, 0), *added = find(kind, 1);
            if (lost != nullptr && added != nullptr) confuse(*lost, *added, confusions[kind]);
        }
    }

    // What one side has where the other has something else: the last part of entries at the same nodes.
    void confuse(const List &lost, const List &added, CountedNames &counts) {
        theirs_.clear();
        for (std::size_t i = lost.first; i < lost.end; ++i) theirs_.emplace(place(entries_[i], false), i);
        for (std::size_t i = added.first; i < added.end; ++i) {
            const std::string wanted = place(entries_[i], !same_names_);
            const auto found = theirs_.lower_bound(wanted);  // the first of those at the same place
            if (wanted.empty() || found == theirs_.end() || found->first != wanted) continue;
            pair_.clear();
            append_confusion(label(entries_[found->second]), label(entries_[i]), pair_);
            counts.add(pair_);
            theirs_.erase(found);
        }
    }

    // The nodes that an entry is about, with the name of a property; empty where one has no partner.
    std::string place(const Entry &entry, bool translated) const {
        std::string result;
        for (std::size_t i = 0; i + 1 < entry.count; ++i) {
            std::string_view end = token(entry, i);
            if (translated && is_node(entry, i)) {
                const auto found = partners_.find(end);
                if (found == partners_.end()) return {};
                end = found->second;
            }
            result.append(end).push_back(' ');
        }
        return result;
    }

    // The last part of an entry, after the name of a property.
    std::string label(const Entry &entry) const {
        std::string out;
        if (entry.count == 0) return out;
        for (std::size_t i = 0; i + 1 < entry.count; ++i) {
            if (is_node(entry, i)) continue;
            append_text(token(entry, i), out);
            out.push_back(' ');
        }
        append_text(token(entry, entry.count - 1), out);
        return out;
    }

    // Of all parts but the last: nodes are variables, numbers, or what they are anchored to.
    bool is_node(const Entry &entry, std::size_t i) const {
        return token(entry, i).front() != '"' || is_variable(entry, i);
    }

    bool is_variable(const Entry &entry, std::size_t i) const {
        return entry.first + i < links_.size() && links_[entry.first + i];
    }

    // The strings of an entry, or what stands for a node.
    std::string_view named(const Entry &entry) {
        name_.clear();
        bool any = false;
        for (std::size_t i = 0; entry.is_list && i < entry.count; ++i) {
            const std::string_view each = token(entry, i);
            if (each.front() != '"' || is_variable(entry, i)) continue;
            if (any) name_.push_back(' ');
            any = true;
            append_text(each, name_);
        }
        if (!any) name_ = "(node)";
        return name_;
    }

    static std::string_view inside(std::string_view name) {
        return name.size() < 2 ? std::string_view() : name.substr(1, name.size() - 2);
    }

    // A value as Python's str() has it.
    static void append_text(std::string_view value, std::string &out) {
        switch (value.front()) {
            case '"': append_unescaped(inside(value), out); break;
            case 'n': out.append("None"); break;
            case 't': out.append("True"); break;
            case 'f': out.append("False"); break;
            case '[': append_tuple(value, out); break;
            default: out.append(value);
        }
    }

    static void append_tuple(std::string_view value, std::string &out) {
        WrittenJson json(value);
        json.open('[');
        out.push_back('(');
        std::size_t count = 0;
        while (json.more(']')) {
            if (count++ > 0) out.append(", ");
            append_text(json.value(), out);
        }
        out.append(count == 1 ? ",)" : ")");
    }

    std::string_view token(const Entry &entry, std::size_t i) const { return tokens_[entry.first + i]; }

    const List *find(std::string_view kind, std::size_t side) const {
        for (const List &list : lists_) {
            if (list.side == side && list.kind == kind) return &list;
        }
        return nullptr;
    }

    std::vector<Entry> entries_;
    std::vector<std::string_view> tokens_;
    std::vector<bool> links_;   // which tokens are variables
    bool same_names_ = false;   // nodes of both sides have the same names, so that nothing tells which correspond
    std::vector<List> lists_;
    std::unordered_map<std::string_view, std::string_view, HashOfName> partners_;
    std::multimap<std::string, std::size_t> theirs_;
    std::string name_, pair_;
};

}  // namespace karat
