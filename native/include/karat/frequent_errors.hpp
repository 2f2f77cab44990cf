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
#include <memory>
#include <numeric>
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
        std::uint64_t head;  // all bytes of a short name, the hash of a longer one
        std::string_view name;
        std::int64_t times;
    };

    std::size_t size() const { return size_; }

    const Entry &operator[](std::size_t number) const { return blocks_[number / block_size][number % block_size]; }

    // A name to be counted. What `fetch` brings near are its slot and then its entry, before `add` asks for them.
    struct Named {
        std::string_view name;
        std::int64_t times;
        std::uint64_t hash;

        explicit Named(std::string_view text, std::int64_t count = 1)
            : name(text), times(count), hash(hash_of_name(text)) {}
    };

    void add(std::string_view name, std::int64_t times = 1) { add(Named(name, times)); }

    void add(const Named &named) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow();
        const auto part = static_cast<std::uint32_t>(named.hash);
        const std::string_view name = named.name;
        const bool is_short = name.size() <= 8;
        const std::uint64_t head = is_short ? few_bytes(name) : named.hash;
        std::size_t slot = part & mask_;
        for (; slots_[slot].number != 0; slot = (slot + 1) & mask_) {
            if (slots_[slot].part != part) continue;
            Entry &entry = at(slots_[slot].number - 1);
            if (entry.head != head || (is_short ? entry.name.size() != name.size() : !same_name(entry.name, name))) continue;
            entry.times += named.times;
            return;
        }
        if (size_ == block_size * blocks_.size()) blocks_.emplace_back(new Entry[block_size]);
        at(size_++) = {head, kept_(name), named.times};
        slots_[slot] = {part, static_cast<std::uint32_t>(size_)};
    }

    void fetch_slot(const Named &named) const {
        if (!slots_.empty()) fetch(&slots_[static_cast<std::uint32_t>(named.hash) & mask_]);
    }

    void fetch_entry(const Named &named) const {
        if (slots_.empty()) return;
        const Slot &slot = slots_[static_cast<std::uint32_t>(named.hash) & mask_];
        if (slot.number != 0) fetch(&(*this)[slot.number - 1]);
    }

    // The numbers of the entries, the most frequent first, equally frequent ones by name; at most `most`, or all for 0.
    std::vector<std::uint32_t> ranked(std::size_t most = 0) const {
        // Most are there once: their first bytes tell their order without a look at the names.
        struct Ranked {
            std::int64_t times;
            std::uint64_t first;
            std::uint32_t number;
        };
        const auto is_before = [&](const Ranked &a, const Ranked &b) {
            if (a.times != b.times) return a.times > b.times;
            return a.first != b.first ? a.first < b.first : (*this)[a.number].name < (*this)[b.number].name;
        };
        const std::size_t kept = most == 0 ? size_ : std::min(most, size_);
        std::vector<Ranked> best;
        bool is_cut = false;  // so that what is worse than the last one is none of the best
        for (std::size_t number = 0; number < size_; ++number) {
            const Entry &entry = (*this)[number];
            const Ranked each{entry.times, first_bytes(entry.name), static_cast<std::uint32_t>(number)};
            if (is_cut && !is_before(each, best[kept - 1])) continue;
            best.push_back(each);
            if (kept < size_ && best.size() == 2 * kept) keep_best(best, kept, is_before), is_cut = true;
        }
        keep_best(best, kept, is_before);
        std::sort(best.begin(), best.end(), is_before);
        std::vector<std::uint32_t> order;
        order.reserve(best.size());
        for (const Ranked &each : best) order.push_back(each.number);
        return order;
    }

  private:
    static constexpr std::size_t block_size = 1024;

    // The first bytes of a name as a number, in their order.
    static std::uint64_t first_bytes(std::string_view name) {
        std::uint64_t result = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            result = result << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0u);
        }
        return result;
    }

    // Keeps so many of the best, the last of which comes last.
    template <class All, class Before>
    static void keep_best(All &all, std::size_t kept, Before is_before) {
        if (kept == 0 || all.size() < kept) return;
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept) - 1, all.end(), is_before);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
    }

    Entry &at(std::size_t number) { return blocks_[number / block_size][number % block_size]; }

    struct Slot {
        std::uint32_t part = 0, number = 0;  // of the hash, and of the entry, from 1; 0 where the slot is free
    };

    static void fetch(const void *place) {
#if defined(__GNUC__)
        __builtin_prefetch(place);
#else
        static_cast<void>(place);
#endif
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

    KeptBytes kept_;
    std::vector<std::unique_ptr<Entry[]>> blocks_;  // entries are not copied when there are more of them
    std::size_t size_ = 0;
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

// A confusion as one name that is sorted by gold, then by the system's: a zero byte stands between the two, and a byte FF
// follows each zero byte of gold.
inline void append_confusion(std::string_view gold, std::string_view system, std::string &out) {
    for (const char each : gold) {
        out.push_back(each);
        if (each == '\0') out.push_back('\xff');
    }
    out.append(1, '\0').append(system);
}

inline std::pair<std::string, std::string_view> split_confusion(std::string_view name) {
    std::string gold;
    std::size_t at = 0;
    for (; name[at] != '\0' || name.substr(at + 1, 1) == "\xff"; at += name[at] == '\0' ? 2 : 1) gold.push_back(name[at]);
    return {gold, name.substr(at + 1)};
}

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

    CountedKinds missing, surplus, confusions;
    bool listed = false;      // whether any explanation lists errors

    // Adds names that are counted under a kind while an explanation is written: `list` calls what it is given with each
    // name, as it stands in JSON, and a number. They stay where they are meanwhile. None has a backslash where they are
    // `plain`.
    template <class List>
    void add_list(CountedKinds &kinds, std::string_view kind, bool plain, List list) {
        listed = true;
        pending_.clear();
        list([&](std::string_view name, std::int64_t times) { pending_.emplace_back(name, times); });
        count_pending(kinds[kind], plain);
    }

    // Adds an explanation; false where it is not JSON.
    bool add(std::string_view explanation) {
        WrittenJson json(explanation);
        path_.clear();
        if (json.peek() != '{') return false;
        object(json);
        return json.good;
    }

  private:
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
                pending_.emplace_back(inside(json.value()));
                continue;
            }
            std::int64_t times = 1;
            name_.clear();
            const WrittenJson before = json;
            append_words(json, name_, &times);
            if (name_.empty()) {  // there is nothing but numbers
                json = before;
                append_words(json, name_, &times, 0, true);
            }
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
            pending_.emplace_back(name, times);
        }
        count_pending(counts_of(kinds));
        return true;
    }

    void count_pending(CountedNames &counts, bool plain = false) {
        for (const auto &each : pending_) counts.fetch_slot(each);
        for (const auto &each : pending_) counts.fetch_entry(each);
        for (const auto &each : pending_) {
            if (plain || each.name.find('\\') == std::string_view::npos) {
                counts.add(each);
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
                name_.clear();
                append_confusion(gold_, system_, name_);
                counts_of(confusions).add(name_);
            }
        }
    }

    // The words of a value with blanks between: those of its parts. The numbers of an entry that is an object say where
    // it is, and "count" how often it occurs: no words of it, unless `all` but the count are wanted.
    static void append_words(WrittenJson &json, std::string &out, std::int64_t *times = nullptr, int depth = 0,
                             bool all = false) {
        const char first = json.peek(), closing = first == '{' ? '}' : ']';
        if ((first != '{' && first != '[') || depth == deepest) return append_word(json.value(), out);
        json.open(first);
        for (bool any = false; json.more(closing);) {
            if (first == '{') {
                const std::string_view name = json.name();
                if (times != nullptr && name == "\"count\"") {
                    if (!json.whole_number(*times)) json.value();
                    continue;
                }
                const char next = json.peek();
                if (times != nullptr && !all && (next == '-' || (next >= '0' && next <= '9'))) {
                    json.value();
                    continue;
                }
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
    std::vector<CountedNames::Named> pending_;
};

}  // namespace karat
