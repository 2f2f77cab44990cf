// Which errors the explanations of many pairs list, and how often each.
//
// Explanations are JSON that we wrote. Lists called "missing" hold what only gold has, "surplus" what only the system
// has (both may be numbers by names instead), "edits" and "alignment" changes of tokens; the names that lead to a list
// are the kind of its errors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_records.hpp"
#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/written_json.hpp"

namespace karat {

// Names and how often there is each, in the order in which they were seen. Most names of a large corpus are n-grams
// that are there once: a slot tells by a part of their hash that they are new, without reading other names.
class CountedNames {
  public:
    struct Entry {
        std::size_t begin, size;
        std::int64_t times;
    };

    static std::uint64_t hash(std::string_view name) {
        return hash_of_words(name, 0x9e3779b97f4a7c15u, [](std::uint64_t value) {
            value *= 0xff51afd7ed558ccdu;
            return value ^ (value >> 32);
        });
    }

    void add(std::string_view name, std::int64_t times = 1) { add(name, times, hash(name)); }

    void add(std::string_view name, std::int64_t times, std::uint64_t hash) {
        if (2 * (entries.size() + 1) > slots_.size()) grow();
        const auto part = static_cast<std::uint32_t>(hash);
        std::size_t slot = part & mask_;
        for (; slots_[slot].number != 0; slot = (slot + 1) & mask_) {
            if (slots_[slot].part != part) continue;
            Entry &entry = entries[slots_[slot].number - 1];
            if ((*this)[entry] != name) continue;
            entry.times += times;
            return;
        }
        entries.push_back({bytes_.size(), name.size(), times});
        slots_[slot] = {part, static_cast<std::uint32_t>(entries.size())};
        bytes_.append(name);
    }

    // Has the slot of a name brought near, before `add` asks for it.
    void fetch(std::uint64_t hash) const {
#if defined(__GNUC__)
        if (!slots_.empty()) __builtin_prefetch(&slots_[static_cast<std::uint32_t>(hash) & mask_]);
#else
        static_cast<void>(hash);
#endif
    }

    std::string_view operator[](const Entry &entry) const { return {bytes_.data() + entry.begin, entry.size}; }

    // The numbers of the entries: the most frequent first, equally frequent ones by name.
    std::vector<std::uint32_t> ranked() const {
        std::vector<Keyed> order(entries.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = {~static_cast<std::uint64_t>(entries[i].times), 0, static_cast<std::uint32_t>(i)};
        }
        sort_by_keys(order.begin(), order.end(), 0);
        std::vector<std::uint32_t> result(order.size());
        std::transform(order.begin(), order.end(), result.begin(), [](const Keyed &each) { return each.number; });
        return result;
    }

    std::vector<Entry> entries;

  private:
    struct Slot {
        std::uint32_t part = 0, number = 0;  // of the hash, and of the entry, from 1; 0 where the slot is free
    };

    // An entry with the next eight bytes of its name, and how many of these there are.
    struct Keyed {
        std::uint64_t key;
        std::uint32_t bytes, number;
        bool operator<(const Keyed &other) const { return key != other.key ? key < other.key : bytes < other.bytes; }
    };
    using Place = std::vector<Keyed>::iterator;

    // Sorts by the keys, then those of equal keys by their names from `depth` on.
    void sort_by_keys(Place first, Place last, std::size_t depth) const {
        std::sort(first, last);
        for (Place end; first != last; first = end) {
            end = std::find_if(first, last, [&](const Keyed &each) { return *first < each; });
            if (end - first > 1) sort_by_names(first, end, depth);
        }
    }

    // Equal beginnings, which many n-grams have, are not read again and again, unless they are long.
    void sort_by_names(Place first, Place last, std::size_t depth) const {
        constexpr std::size_t few = 8, deepest = 256;
        if (static_cast<std::size_t>(last - first) < few || depth >= deepest) {
            std::sort(first, last, [&](const Keyed &a, const Keyed &b) {
                return (*this)[entries[a.number]].substr(depth) < (*this)[entries[b.number]].substr(depth);
            });
            return;
        }
        for (Place at = first; at != last; ++at) {
            const std::string_view name = (*this)[entries[at->number]].substr(depth, 8);
            at->bytes = static_cast<std::uint32_t>(name.size());
            at->key = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                at->key = at->key << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0u);
            }
        }
        sort_by_keys(first, last, depth + 8);
    }

    void grow() {
        const std::size_t size = slots_.empty() ? 64 : 2 * slots_.size();
        const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
        mask_ = slots_.size() - 1;
        for (const Slot &each : old) {
            if (each.number == 0) continue;
            std::size_t slot = each.part & mask_;
            while (slots_[slot].number != 0) slot = (slot + 1) & mask_;
            slots_[slot] = each;
        }
    }

    std::string bytes_;
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

// Counts of errors by kind, in the order in which kinds were seen.
struct CountedKinds {
    Names names;
    std::vector<CountedNames> counts;

    CountedNames &operator[](std::string_view kind) {
        const auto number = static_cast<std::size_t>(names(kind));
        if (number == counts.size()) counts.emplace_back();
        return counts[number];
    }
};

class FrequentErrors {
  public:
    FrequentErrors() = default;
    FrequentErrors(const FrequentErrors &) = delete;
    FrequentErrors &operator=(const FrequentErrors &) = delete;

    CountedKinds missing, surplus;
    CountedKinds confusions;  // gold's, in which a byte FF follows each 0, then a 0 and the system's
    bool listed = false;      // whether any explanation lists errors

    // Adds an explanation; false where it is not JSON.
    bool add(std::string_view explanation) {
        WrittenJson json(explanation);
        path_.clear();
        if (json.peek() != '{') return false;
        object(json);
        return json.good;
    }

    // Passes the profile to `write` as indented JSON, in parts.
    template <class Write>
    void profile(Write write) const {
        std::string out = "{";
        const std::pair<const char *, const CountedKinds *> sides[] = {
            {"missing", &missing}, {"surplus", &surplus}, {"confusions", &confusions}};
        for (const auto &[side, kinds] : sides) {
            out.append(side == sides[0].first ? "\n  \"" : ",\n  \"").append(side).append("\": {");
            for (std::size_t i = 0; i < kinds->counts.size(); ++i) {
                out.append(i > 0 ? ",\n    " : "\n    ");
                append_text(kinds->names[static_cast<std::int32_t>(i)], out);
                out.append(": [");
                list(kinds->counts[i], kinds == &confusions, out, write);
            }
            out.append(kinds->counts.empty() ? "}" : "\n  }");
        }
        write(out.append("\n}\n"));
    }

  private:
    template <class Write>
    static void list(const CountedNames &counts, bool confused, std::string &out, Write write) {
        constexpr std::size_t enough = 1 << 18;
        bool is_first = true;
        for (const std::uint32_t number : counts.ranked()) {
            const CountedNames::Entry &entry = counts.entries[number];
            std::string_view name = counts[entry];
            out.append(std::exchange(is_first, false) ? "\n      {" : ",\n      {");
            if (confused) {
                std::string gold;
                std::size_t at = 0;
                for (; name[at] != '\0' || name[at + 1] == '\xff'; at += name[at] == '\0' ? 2 : 1) gold.push_back(name[at]);
                name.remove_prefix(at + 1);
                out.append("\n        \"gold\": ");
                append_text(gold, out);
                out.append(",\n        \"system\": ");
            } else {
                out.append("\n        \"what\": ");
            }
            append_text(name, out);
            out.append(",\n        \"count\": ");
            append_number(entry.times, out);
            out.append("\n      }");
            if (out.size() > enough) write(out), out.clear();
        }
        out.append(is_first ? "]" : "\n    ]");
    }

    // A text in quotes; halves of pairs of surrogates are written as what escapes them.
    static void append_text(std::string_view text, std::string &out) {
        const std::size_t begin = out.size();
        append_json(text, out);
        if (text.find('\xed') == std::string_view::npos) return;
        for (std::size_t at = begin; (at = out.find('\\', at)) != std::string::npos; at += 2) {
            if (out[at + 1] == 'u' && out[at + 2] == 'd') out.insert(at, 1, '\\');
        }
    }

    struct Named {
        std::string_view name;
        std::int64_t times;
        std::uint64_t hash;
    };

    static constexpr int deepest = 64;  // what is nested deeper has no lists of errors

    void object(WrittenJson &json, int depth = 0) {
        if (depth == deepest) return static_cast<void>(json.value());
        json.open('{');
        while (json.more('}')) {
            const std::string_view name = json.name();
            const char next = json.peek();
            const bool is_missing = name == "\"missing\"", is_side = is_missing || name == "\"surplus\"";
            if (next == '[' && is_side) {
                entries(json, counts_of(is_missing ? missing : surplus));
            } else if (next == '[' && (name == "\"edits\"" || name == "\"alignment\"")) {
                edits(json);
            } else if (next == '{' && is_side && numbered(json, is_missing ? missing : surplus)) {
                continue;
            } else if (next == '{' || next == '[') {
                const std::size_t before = path_.size();
                if (before > 0) path_.push_back('.');
                append_unescaped(inside(name), path_);
                inner(json, depth + 1);
                path_.resize(before);
            } else {
                json.value();
            }
        }
    }

    // An object, or a list of such: of references, which are not told apart.
    void inner(WrittenJson &json, int depth) {
        if (json.peek() == '{') return object(json, depth);
        json.open('[');
        while (json.more(']')) {
            if (json.peek() == '{') object(json, depth);
            else json.value();
        }
    }

    CountedNames &counts_of(CountedKinds &kinds) {
        listed = true;
        return kinds[path_.empty() ? "all" : std::string_view(path_)];
    }

    void entries(WrittenJson &json, CountedNames &counts) {
        pending_.clear();
        json.open('[');
        while (json.more(']')) {
            if (json.peek() == '"') {
                pending_.push_back({inside(json.value()), 1, 0});
                continue;
            }
            std::int64_t times = 1;
            name_.clear();
            append_words(json, name_, &times);
            counts.add(name_, times);
        }
        count_pending(counts);
    }

    // Counts numbers by names; false, and nothing is passed over, where there is something else than numbers.
    bool numbered(WrittenJson &json, CountedKinds &kinds) {
        const WrittenJson before = json;
        pending_.clear();
        json.open('{');
        while (json.more('}')) {
            const std::string_view name = inside(json.name());
            std::int64_t times = 0;
            if (!json.whole_number(times)) return json = before, false;
            pending_.push_back({name, times, 0});
        }
        count_pending(counts_of(kinds));
        return true;
    }

    void count_pending(CountedNames &counts) {
        for (Named &each : pending_) counts.fetch(each.hash = CountedNames::hash(each.name));
        for (const Named &each : pending_) {
            if (each.name.find('\\') == std::string_view::npos) {
                counts.add(each.name, each.times, each.hash);
                continue;
            }
            name_.clear();
            append_unescaped(each.name, name_);
            counts.add(name_, each.times);
        }
    }

    // Deletions are missing, insertions surplus, substitutions confusions; an alignment has what is equal as well.
    void edits(WrittenJson &json) {
        listed = true;
        json.open('[');
        while (json.more(']')) {
            gold_.clear(), system_.clear();
            if (!json.open('{')) {
                json.value();
                continue;
            }
            while (json.more('}')) {
                const std::string_view name = json.name();
                std::string *side = name == "\"gold\"" ? &gold_ : name == "\"system\"" ? &system_ : nullptr;
                const char next = json.peek();
                if (side != nullptr && (next == '"' || next == '[' || next == '{')) {
                    append_words(json, *side);
                    continue;
                }
                const std::string_view value = json.value();
                const bool is_nothing = value == "null" || value == "false" || value == "0" || value == "0.0";
                if (side != nullptr && !is_nothing) append_word(value, *side);
            }
            if (gold_ == system_) continue;
            if (gold_.empty()) {
                counts_of(surplus).add(system_);
            } else if (system_.empty()) {
                counts_of(missing).add(gold_);
            } else {
                for (std::size_t at = 0; (at = gold_.find('\0', at)) != std::string::npos; at += 2) gold_.insert(at + 1, 1, '\xff');
                gold_.push_back('\0');
                counts_of(confusions).add(gold_.append(system_));
            }
        }
    }

    // The words of a value with blanks between: those of its parts. The number of an object's "count" is no word of it.
    static void append_words(WrittenJson &json, std::string &out, std::int64_t *times = nullptr, int depth = 0) {
        const char first = json.peek(), closing = first == '{' ? '}' : ']';
        if ((first != '{' && first != '[') || depth == deepest) return append_word(json.value(), out);
        json.open(first);
        for (bool any = false; json.more(closing);) {
            if (first == '{' && json.name() == "\"count\"" && times != nullptr) {
                if (!json.whole_number(*times)) json.value();
                continue;
            }
            if (std::exchange(any, true)) out.push_back(' ');
            append_words(json, out, nullptr, depth + 1);
        }
    }

    // A value that has no parts, as Python's str() has it.
    static void append_word(std::string_view value, std::string &out) {
        if (value.empty()) return;
        switch (value.front()) {
            case '"': return append_unescaped(inside(value), out);
            case 'n': out.append("None"); return;
            case 't': out.append("True"); return;
            case 'f': out.append("False"); return;
            default: out.append(value);
        }
    }

    static std::string_view inside(std::string_view text) { return text.substr(1, text.size() - 2); }

    std::string path_, name_, gold_, system_;
    std::vector<Named> pending_;
};

}  // namespace karat
