// Values as they are compared: nothing removed, keys sorted, choices of gold resolved, paths numbered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "karat/names.hpp"
#include "karat/records/json.hpp"

namespace karat::records {

using Id = std::int32_t;

enum class Type : std::uint8_t { null, no, yes, number, string, empty_array, empty_object, array, object, any, optional };

inline bool is_leaf(Type type) { return type < Type::array; }

struct Value {
    Type type;
    Id key;    // of a member of an object
    Id text;   // of a string or number
    Id path;
    Id place;  // of an element of an array, as written
    Id begin, count;  // children
    Id leaves;        // how many leaves count; those of options do not
    Id records = 0;   // containers below that are elements of arrays and hold leaves of some weight
    std::int64_t weight = 0;  // of the leaves that count
    bool optional = false;    // whether it is in an option of gold, and need not be there
    bool varies = false;      // whether a choice or an option is in it, so that records depend on the system
};

// What the normal forms of strings are numbered by: `own` holds for keys and exact comparison.
struct Forms {
    std::vector<Id> own, text;            // by string: in NFC, and as `text` compares it
    std::vector<std::vector<Id>> dates;   // by list of date formats, by string: the day, or -1
};

// Paths with `*` for positions in arrays, numbered; each knows its parent and its last step.
class Paths {
  public:
    static constexpr Id element = -1;

    Paths() { steps_.push_back({-1, -2}); }

    Id operator()(Id parent, Id step) {
        const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(parent)) << 32) |
                                  static_cast<std::uint32_t>(step);
        const auto [found, is_new] = known_.try_emplace(key, static_cast<Id>(steps_.size()));
        if (is_new) steps_.push_back({parent, step});
        return found->second;
    }

    std::size_t size() const { return steps_.size(); }
    const std::pair<Id, Id> &operator[](std::size_t path) const { return steps_[path]; }

  private:
    std::vector<std::pair<Id, Id>> steps_;
    std::unordered_map<std::uint64_t, Id, HashOfNumber> known_;
};

struct BuildOptions {
    bool drop = true;       // null and empty containers are nothing
    bool literal = false;   // `$any` and `$optional` are ordinary keys
    bool root_only = false; // records are elements of the root alone
};

// The values of all documents of a batch.
class Values {
  public:
    Values(Names &strings, Names &numbers, const Forms &forms, Paths &paths, BuildOptions options)
        : numbers_(numbers), forms_(forms), paths_(paths), options_(options), any_(strings("$any")),
          optional_(strings("$optional")) {}

    // The value of a document, -1 where nothing is left of it. `error` is set for gold that is no gold.
    Id build(const std::vector<Node> &nodes, bool gold, bool &duplicates, const char *&error) {
        nodes_ = &nodes, gold_ = gold && !options_.literal, in_choice_ = false;
        duplicates_ = false, error_ = nullptr;
        const Id root = value(0, 0, -1, -1);
        duplicates = duplicates_, error = error_;
        return root;
    }

    const Value &operator[](Id value) const { return values_[static_cast<std::size_t>(value)]; }
    Value &operator[](Id value) { return values_[static_cast<std::size_t>(value)]; }
    Id child(const Value &value, Id i) const { return children_[static_cast<std::size_t>(value.begin + i)]; }
    std::size_t size() const { return values_.size(); }

    // Whether a value is a container with something in it, or a choice that begins with such.
    bool is_record(Id value) const {
        const Value &v = (*this)[value];
        if (v.type == Type::any) return is_record(child(v, 0));
        return (v.type == Type::array || v.type == Type::object) && v.weight > 0;
    }

  private:
    Id add(Type type, Id key, Id text, Id path, Id place) {
        values_.push_back({type, key, text, path, place, 0, 0, 1, 0, 0, in_option_});
        return static_cast<Id>(values_.size()) - 1;
    }

    Id keep(Id at, const std::vector<Id> &children) {
        Value &v = (*this)[at];
        v.begin = static_cast<Id>(children_.size()), v.count = static_cast<Id>(children.size());
        children_.insert(children_.end(), children.begin(), children.end());
        v.leaves = 0;
        for (const Id each : children) v.leaves += (*this)[each].leaves;
        return at;
    }

    Id value(std::size_t node, Id path, Id key, Id place) {
        const Node &n = (*nodes_)[node];
        switch (n.kind) {
            case Kind::null: return options_.drop ? -1 : add(Type::null, key, -1, path, place);
            case Kind::no: return add(Type::no, key, -1, path, place);
            case Kind::yes: return add(Type::yes, key, -1, path, place);
            case Kind::number: return add(Type::number, key, by_value(n.text), path, place);
            case Kind::string: return add(Type::string, key, n.text, path, place);
            case Kind::array: return array(node, path, key, place);
            default: return object(node, path, key, place);
        }
    }

    // What stands for all ways in which a number can be written.
    Id by_value(Id written) {
        const auto at = static_cast<std::size_t>(written);
        if (by_value_.size() <= at) by_value_.resize(std::max(numbers_.size(), at + 1), -1);
        if (by_value_[at] < 0) by_value_[at] = numbers_(canonical_number(numbers_[written]));
        return by_value_[at];
    }

    Id array(std::size_t node, Id path, Id key, Id place) {
        const std::size_t end = static_cast<std::size_t>((*nodes_)[node].next);
        if (node + 1 == end) return options_.drop ? -1 : add(Type::empty_array, key, -1, path, place);
        const Id at = add(Type::array, key, -1, path, place);
        const Id below = paths_(path, Paths::element);
        std::vector<Id> children;
        Id position = 0;
        for (std::size_t each = node + 1; each < end; each = static_cast<std::size_t>((*nodes_)[each].next), ++position) {
            const Id found = value(each, below, -1, position);
            if (found < 0) continue;
            children.push_back(found);
        }
        return children.empty() ? -1 : keep(at, children);
    }

    Id object(std::size_t node, Id path, Id key, Id place) {
        const std::size_t end = static_cast<std::size_t>((*nodes_)[node].next);
        if (node + 1 == end) return options_.drop ? -1 : add(Type::empty_object, key, -1, path, place);
        std::vector<std::pair<Id, std::size_t>> members;
        for (std::size_t each = node + 1; each < end; each = static_cast<std::size_t>((*nodes_)[each].next)) {
            members.emplace_back(forms_.own[static_cast<std::size_t>((*nodes_)[each].key)], each);
        }
        if (gold_ && members.size() == 1 && (members[0].first == any_ || members[0].first == optional_)) {
            return special(members[0].first == any_, members[0].second, path, key, place);
        }
        std::stable_sort(members.begin(), members.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        const Id at = add(Type::object, key, -1, path, place);
        std::vector<Id> children;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i + 1 < members.size() && members[i + 1].first == members[i].first) {
                duplicates_ = true;  // the last one counts
                continue;
            }
            const Id found = value(members[i].second, paths_(path, members[i].first), members[i].first, -1);
            if (found >= 0) children.push_back(found);
        }
        return children.empty() ? -1 : keep(at, children);
    }

    // A choice between values, or one that may be absent.
    Id special(bool any, std::size_t node, Id path, Id key, Id place) {
        if (!any) {
            const Id at = add(Type::optional, key, -1, path, place);
            const bool outer = std::exchange(in_option_, true);
            const Id inner = value(node, path, key, place);
            in_option_ = outer;
            if (inner < 0) return -1;
            keep(at, {inner});
            (*this)[at].leaves = 0;
            return at;
        }
        const Node &list = (*nodes_)[node];
        if (list.kind != Kind::array || static_cast<std::size_t>(list.next) == node + 1) {
            error_ = "'$any' must hold a list of choices";
            return -1;
        }
        if (in_choice_) {
            error_ = "a choice ('$any') inside a choice";
            return -1;
        }
        in_choice_ = true;
        const Id at = add(Type::any, key, -1, path, place);
        std::vector<Id> choices;
        bool even = true;
        for (std::size_t each = node + 1; each < static_cast<std::size_t>(list.next);
             each = static_cast<std::size_t>((*nodes_)[each].next)) {
            const Id found = value(each, path, key, place);
            if (found < 0 || (!choices.empty() && (*this)[found].leaves != (*this)[choices[0]].leaves)) even = false;
            if (found >= 0) choices.push_back(found);
        }
        in_choice_ = false;
        if (!even || choices.empty()) {
            error_ = "the choices of '$any' must have equally many leaves";
            return -1;
        }
        keep(at, choices);
        (*this)[at].leaves = (*this)[choices[0]].leaves;
        return at;
    }

    Names &numbers_;
    const Forms &forms_;
    Paths &paths_;
    BuildOptions options_;
    Id any_, optional_;
    std::vector<Id> by_value_;  // by number as written; -1: not known yet
    std::vector<Value> values_;
    std::vector<Id> children_;
    const std::vector<Node> *nodes_ = nullptr;
    bool gold_ = false, in_choice_ = false, in_option_ = false, duplicates_ = false;
    const char *error_ = nullptr;
};

}  // namespace karat::records
