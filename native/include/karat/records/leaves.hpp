// How alike two leaves are, under the settings of their path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "karat/edit_distance.hpp"
#include "karat/records/values.hpp"
#include "karat/text_words.hpp"

namespace karat::records {

// Similarities are multiples of one over this: the least common multiple of 1 to 20.
constexpr std::int64_t unit = 232792560;

enum class Compare { exact, text, fuzzy, date };
enum class List { set, ordered, index };

struct Setting {
    Compare compare = Compare::exact;
    List list = List::set;
    bool loose = false;
    bool tolerant = false;
    Decimal abs, rel;
    std::int64_t least = 1, of = 2;  // the threshold of fuzzy comparison as a fraction
    std::size_t dates = 0;           // which list of date formats
    std::int64_t weight = 1;
    std::vector<Id> keys;            // fields by which elements of a list are paired

    // Leaves are alike or not, by their own normal form alone.
    bool is_plain() const {
        return !loose && !tolerant && (compare == Compare::exact || compare == Compare::text);
    }
};

// What is compared would take too long.
struct TooLong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Leaves {
  public:
    Leaves(Names &strings, Names &numbers, const Forms &forms)
        : strings_(strings), numbers_(numbers), forms_(forms), distance_(0x110000) {}

    std::int64_t operator()(const Value &gold, const Value &system, const Setting &setting) {
        if (gold.type == system.type) {
            if (gold.type == Type::number) return number(gold.text, system.text, setting);
            if (gold.type == Type::string) return string(gold.text, system.text, setting);
            return unit;
        }
        if (!setting.loose) return 0;
        if (gold.type == Type::string) return read(gold.text, system, setting, true);
        if (system.type == Type::string) return read(system.text, gold, setting, false);
        return 0;
    }

    // How many steps of 64 cells similarities may take from now on; each pair of strings is asked for in advance.
    void allow(std::int64_t steps) { allowed_ = left_ = steps; }

    // What decides equality under a plain setting.
    Id form(const Value &leaf, const Setting &setting) const {
        if (leaf.type != Type::string) return leaf.text;
        const auto text = static_cast<std::size_t>(leaf.text);
        return setting.compare == Compare::exact ? forms_.own[text] : forms_.text[text];
    }

  private:
    std::int64_t number(Id gold, Id system, const Setting &setting) {
        if (gold == system) return unit;
        if (!setting.tolerant) return 0;
        return within(decimal_of(numbers_[gold]), decimal_of(numbers_[system]), setting.abs, setting.rel) ? unit : 0;
    }

    std::int64_t string(Id gold, Id system, const Setting &setting) {
        const auto g = static_cast<std::size_t>(gold), s = static_cast<std::size_t>(system);
        switch (setting.compare) {
            case Compare::exact: return forms_.own[g] == forms_.own[s] ? unit : 0;
            case Compare::text: return forms_.text[g] == forms_.text[s] ? unit : 0;
            case Compare::date: {
                const std::vector<Id> &days = forms_.dates[setting.dates];
                if (days[g] >= 0 && days[s] >= 0) return days[g] == days[s] ? unit : 0;
                return forms_.own[g] == forms_.own[s] ? unit : 0;
            }
            default: return fuzzy(forms_.text[g], forms_.text[s], setting);
        }
    }

    std::int64_t fuzzy(Id gold, Id system, const Setting &setting) {
        if (gold == system) return unit;
        const std::vector<Id> &a = characters(gold), &b = characters(system);
        const auto longer = static_cast<std::int64_t>(std::max(a.size(), b.size()));
        const auto shorter = static_cast<std::int64_t>(std::min(a.size(), b.size()));
        if (shorter * setting.of < setting.least * longer) return 0;  // at most the shorter one can agree
        const std::int64_t steps = (shorter + 63) / 64 * longer;
        if (steps > left_) {
            throw TooLong("its strings take more than " + std::to_string(allowed_) + " steps to be compared with each other");
        }
        left_ -= steps;
        const std::int64_t alike = longer - distance_({a.data(), a.size()}, {b.data(), b.size()});
        if (alike * setting.of < setting.least * longer) return 0;
        return (2 * alike * unit + longer) / (2 * longer);
    }

    // The code points of a normal form.
    const std::vector<Id> &characters(Id text) {
        const auto at = static_cast<std::size_t>(text);
        if (known_.size() <= at) known_.resize(std::max(strings_.size(), at + 1), -1);
        if (known_[at] >= 0) return decoded_[static_cast<std::size_t>(known_[at])];
        known_[at] = static_cast<Id>(decoded_.size());
        std::vector<Id> &result = decoded_.emplace_back();
        const std::string_view bytes = strings_[text];
        for (std::size_t i = 0; i < bytes.size();) {
            const auto first = static_cast<unsigned char>(bytes[i]);
            const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
            Id code = first & (size == 1 ? 0x7F : 0xFF >> (size + 1));
            for (std::size_t k = 1; k < size && i + k < bytes.size(); ++k) {
                code = (code << 6) | (static_cast<unsigned char>(bytes[i + k]) & 63);
            }
            result.push_back(code & 0x1FFFFF);
            i += size;
        }
        return result;
    }

    // A string against a number or truth value: what it says counts.
    std::int64_t read(Id text, const Value &other, const Setting &setting, bool text_is_gold) {
        const std::string_view said = trimmed(strings_[text]);
        if (other.type == Type::yes || other.type == Type::no) {
            const std::string_view name = other.type == Type::yes ? "true" : "false";
            if (said.size() != name.size()) return 0;
            for (std::size_t i = 0; i < name.size(); ++i) {
                if ((said[i] | 32) != name[i]) return 0;
            }
            return unit;
        }
        if (other.type != Type::number) return 0;
        std::vector<Node> nodes;
        Failure failure;
        Reader reader(strings_, numbers_);
        std::size_t end = 0;
        if (said.empty() || (said[0] != '-' && (said[0] < '0' || said[0] > '9'))) return 0;
        if (!reader.value(said, end, nodes, failure) || end != said.size()) return 0;
        const Id meant = numbers_(canonical_number(said));
        return text_is_gold ? number(meant, other.text, setting) : number(other.text, meant, setting);
    }

    static std::string_view trimmed(std::string_view text) {
        while (const std::size_t size = text.empty() ? 0 : space_at(text.data(), text.data() + text.size())) {
            text.remove_prefix(size);
        }
        return without_spaces_at_end(text);
    }

    Names &strings_, &numbers_;
    const Forms &forms_;
    EditDistance distance_;
    std::int64_t allowed_ = 0, left_ = 0;
    std::vector<Id> known_;
    std::deque<std::vector<Id>> decoded_;  // which stay where they are
};

}  // namespace karat::records
