// The best alignment of two values: what they share, and where.
//
// An alignment pairs the roots; below two objects it pairs equal keys, below two lists elements as
// the setting of their path allows. What happens below one pair restricts no other, so the best
// total of two lists is the best pairing over totals that are best themselves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/records/assignment.hpp"
#include "karat/records/leaves.hpp"

namespace karat::records {

// A leaf of gold, of the system, or of both, in the chosen alignment.
struct Event {
    Id gold, system;          // -1 where the other side has no partner for it
    std::int64_t similarity;  // of both
    bool optional;            // gold need not have been there
    std::string gold_at, system_at;
};

class Aligner {
  public:
    Aligner(const Values &values, Leaves &leaves, const std::vector<Setting> &settings,
            const std::vector<Id> &setting_of_path, Names &strings, Names &numbers, const Forms &forms, Id longest,
            bool root_only)
        : values_(values), leaves_(leaves), settings_(settings), setting_of_path_(setting_of_path), strings_(strings),
          numbers_(numbers), forms_(forms), longest_(longest), root_only_(root_only) {}

    const Setting &setting(Id path) const {
        return settings_[static_cast<std::size_t>(setting_of_path_[static_cast<std::size_t>(path)])];
    }

    // Whether the containers in lists at a path are records.
    bool has_records(Id path) const { return !root_only_ || path == 0; }

    // What two values share at best.
    Worth best(Id gold, Id system) {
        const Value &g = values_[gold], &s = values_[system];
        if (g.type == Type::any) {
            Worth most;
            for (Id i = 0; i < g.count; ++i) {
                const Worth each = best(values_.child(g, i), system);
                if (most < each) most = each;
            }
            return most;
        }
        if (g.type == Type::optional) return best(values_.child(g, 0), system);
        if (is_leaf(g.type) && is_leaf(s.type)) {
            const Setting &own = setting(g.path);
            return worth(g, own.weight ? own.weight * leaves_(g, s, own) : 0);
        }
        if (g.type != s.type) return {};
        return g.type == Type::object ? objects(g, s) : lists(g, s);
    }

    // The leaves of the chosen alignment, one by one; without a system, or without gold (-1), those of the
    // other. With `matched`, those that are equal are not told but counted: their weight times similarity
    // is added, unless gold need not have had them.
    void trace(Id gold, Id system, std::vector<Event> &events, std::int64_t *matched = nullptr) {
        at_[0].clear(), at_[1].clear();
        matched_ = matched;
        if (gold >= 0 && system >= 0) both(gold, system, events);
        else if (gold >= 0) only(gold, true, events);
        else if (system >= 0) only(system, false, events);
    }

    // The records of gold beside a system's value, or beside none (-1): those of the choices that fit best, and
    // of what is optional those that the system has, and has right.
    Id records(Id gold, Id system) {
        gold = resolved(gold, system);
        const Value &g = values_[gold];
        if (system < 0 || !g.varies || g.type != values_[system].type) return g.records;
        const Value &s = values_[system];
        Id found = 0;
        if (g.type == Type::object) {
            for (Id i = 0, j = 0; i < g.count; ++i) {
                const Id x = values_.child(g, i);
                while (j < s.count && values_[values_.child(s, j)].key < values_[x].key) ++j;
                const bool both = j < s.count && values_[values_.child(s, j)].key == values_[x].key;
                found += records(x, both ? values_.child(s, j) : -1);
            }
            return found;
        }
        const std::vector<Id> partner = chosen_pairs(g, s);
        for (Id i = 0; i < g.count; ++i) {
            const Id j = partner[static_cast<std::size_t>(i)], x = values_.child(g, i);
            const Id y = j < 0 ? -1 : values_.child(s, j);
            found += records(x, y);
            if (!has_records(g.path)) continue;
            if (values_.is_record(resolved(x, y)) || (y >= 0 && is_equal(x, y, best(x, y)))) ++found;
        }
        return found;
    }

    // A string of JSON; only quotes, backslashes and control characters are escaped.
    static void append_quoted(std::string_view string, std::string &out) {
        static constexpr char hex[] = "0123456789abcdef";
        out.push_back('"');
        std::size_t plain = 0;
        for (std::size_t i = 0; i < string.size(); ++i) {
            const char c = string[i];
            const bool control = static_cast<unsigned char>(c) < 0x20;
            if (!control && c != '"' && c != '\\') continue;
            out.append(string, plain, i - plain).push_back('\\');
            plain = i + 1;
            if (control) out.append("u00").append({hex[c >> 4], hex[c & 15]});
            else out.push_back(c);
        }
        out.append(string, plain).push_back('"');
    }

  private:
    // A step of a JSON pointer for as long as it lives; `at` is what leads there.
    class Step {
      public:
        Step(std::string &at, const Aligner &aligner, const Value &container, Id child) : at_(at), before_(at.size()) {
            at.push_back('/');
            if (container.type == Type::object) aligner.append_key(aligner.values_[aligner.values_.child(container, child)].key, at);
            else append_number(aligner.position(container, child), at);
        }
        Step(const Step &) = delete;
        Step &operator=(const Step &) = delete;
        ~Step() { at_.resize(before_); }

      private:
        std::string &at_;
        std::size_t before_;
    };

    static Worth worth(const Value &gold, std::int64_t shared) {
        return gold.optional ? Worth{0, shared, 0} : Worth{shared, 0, 0};
    }

    // What stands for a value of gold: what an option holds, the choice that fits best.
    Id resolved(Id gold, Id system) {
        const Value &g = values_[gold];
        if (g.type != Type::optional && g.type != Type::any) return gold;
        Id chosen = values_.child(g, 0);
        if (g.type == Type::any && system >= 0) {
            Worth most = best(chosen, system);
            for (Id i = 1; i < g.count; ++i) {
                const Worth each = best(values_.child(g, i), system);
                if (most < each) most = each, chosen = values_.child(g, i);
            }
        }
        return resolved(chosen, system);
    }

    void both(Id gold, Id system, std::vector<Event> &events) {
        const Value &g = values_[gold], &s = values_[system];
        if (g.type == Type::optional || g.type == Type::any) return both(resolved(gold, system), system, events);
        if (is_leaf(g.type) && is_leaf(s.type)) {
            const std::int64_t similarity = leaves_(g, s, setting(g.path));
            if (matched_ != nullptr && !g.optional) *matched_ += setting(g.path).weight * similarity;
            if (matched_ == nullptr || similarity != unit) {
                events.push_back({gold, system, similarity, g.optional, at_[0], at_[1]});
            }
            return;
        }
        if (g.type != s.type) {
            only(gold, true, events);
            only(system, false, events);
            return;
        }
        if (g.type == Type::object) {
            Id i = 0, j = 0;
            while (i < g.count || j < s.count) {
                const Id x = i < g.count ? values_.child(g, i) : -1, y = j < s.count ? values_.child(s, j) : -1;
                const Id kx = x < 0 ? -1 : values_[x].key, ky = y < 0 ? -1 : values_[y].key;
                if (y < 0 || (x >= 0 && kx < ky)) {
                    const Step step(at_[0], *this, g, i++);
                    only(x, true, events);
                } else if (x < 0 || ky < kx) {
                    const Step step(at_[1], *this, s, j++);
                    only(y, false, events);
                } else {
                    const Step theirs(at_[0], *this, g, i++), ours(at_[1], *this, s, j++);
                    both(x, y, events);
                }
            }
            return;
        }
        const std::vector<Id> partner = chosen_pairs(g, s);
        std::vector<char> used(static_cast<std::size_t>(s.count), 0);
        for (Id i = 0; i < g.count; ++i) {
            const Id x = values_.child(g, i), j = partner[static_cast<std::size_t>(i)];
            const Step theirs(at_[0], *this, g, i);
            if (j < 0) {
                only(x, true, events);
                continue;
            }
            used[static_cast<std::size_t>(j)] = 1;
            const Step ours(at_[1], *this, s, j);
            both(x, values_.child(s, j), events);
        }
        for (Id j = 0; j < s.count; ++j) {
            if (used[static_cast<std::size_t>(j)]) continue;
            const Step step(at_[1], *this, s, j);
            only(values_.child(s, j), false, events);
        }
    }

    // All leaves of a value that has no partner.
    void only(Id value, bool gold, std::vector<Event> &events) {
        const Value &v = values_[value];
        if (v.type == Type::optional || v.type == Type::any) return only(values_.child(v, 0), gold, events);
        std::string &at = at_[gold ? 0 : 1];
        if (is_leaf(v.type)) {
            events.push_back({gold ? value : -1, gold ? -1 : value, 0, v.optional, gold ? at : "", gold ? "" : at});
            return;
        }
        for (Id i = 0; i < v.count; ++i) {
            const Step step(at, *this, v, i);
            only(values_.child(v, i), gold, events);
        }
    }

    Worth objects(const Value &g, const Value &s) {
        Worth sum;
        for (Id i = 0, j = 0; i < g.count && j < s.count;) {
            const Id x = values_.child(g, i), y = values_.child(s, j);
            const Id kx = values_[x].key, ky = values_[y].key;
            if (kx == ky) sum = sum + best(x, y), ++i, ++j;
            else if (kx < ky) ++i;
            else ++j;
        }
        return sum;
    }

    Worth lists(const Value &g, const Value &s) {
        const Setting &own = setting(g.path);
        if (own.list == List::index) {
            Worth sum;
            const bool records = has_records(g.path);
            for (Id i = 0, j = 0; i < g.count && j < s.count;) {
                const Id x = values_.child(g, i), y = values_.child(s, j);
                const Id px = values_[x].place, py = values_[y].place;
                if (px == py) sum = sum + element(x, y, own, records), ++i, ++j;
                else if (px < py) ++i;
                else ++j;
            }
            return sum;
        }
        Worth shared;
        if (own.list == List::set && multisets(g, s, shared)) return shared;
        const WorthTable table = all_pairs(g, s, own);
        if (own.list == List::ordered) return in_order(table);
        // The longer side costs more as rows than as columns.
        return g.count <= s.count ? Pairing(table).total() : Pairing(table.turned()).total();
    }

    // Two lists of leaves that are alike or not: what they have in common, without any search.
    bool multisets(const Value &g, const Value &s, Worth &shared) {
        const Setting &below = setting(values_[values_.child(g, 0)].path);
        if (!below.is_plain()) return false;
        const auto collect = [&](const Value &list, std::vector<std::pair<int, Id>> &into) {
            into.clear();
            for (Id i = 0; i < list.count; ++i) {
                const Value &leaf = values_[values_.child(list, i)];
                if (!is_leaf(leaf.type)) return false;
                into.emplace_back(static_cast<int>(leaf.type), leaves_.form(leaf, below));
            }
            std::sort(into.begin(), into.end());
            return true;
        };
        if (!collect(g, left_) || !collect(s, right_)) return false;
        std::int64_t common = 0;
        for (auto a = left_.begin(), b = right_.begin(); a != left_.end() && b != right_.end();) {
            if (*a == *b) ++common, ++a, ++b;
            else if (*a < *b) ++a;
            else ++b;
        }
        shared = worth(values_[values_.child(g, 0)], common * below.weight * unit);
        return true;
    }

    WorthTable all_pairs(const Value &g, const Value &s, const Setting &own) {
        if (g.count > longest_ || s.count > longest_) {
            throw TooLong("a list has " + std::to_string(std::max(g.count, s.count)) + " elements, more than " +
                          std::to_string(longest_));
        }
        WorthTable table(g.count, s.count);
        const bool records = has_records(g.path);
        for (Id i = 0; i < g.count; ++i) {
            for (Id j = 0; j < s.count; ++j) table.push(element(values_.child(g, i), values_.child(s, j), own, records));
        }
        return table;
    }

    // What two elements of lists share, and one more if they are equal records.
    Worth element(Id gold, Id system, const Setting &list, bool records) {
        if (!list.keys.empty() && !same_keys(gold, system, list)) return {};
        Worth found = best(gold, system);
        if (records && is_equal(gold, system, found)) ++found.equal;
        return found;
    }

    // Whether two elements are records that are the same, given what they share.
    bool is_equal(Id gold, Id system, const Worth &found) {
        const Value &g = values_[gold], &s = values_[system];
        const std::int64_t shared = found.matched + found.excused;
        return !is_leaf(s.type) && shared > 0 && found.matched == unit * g.weight && shared == unit * s.weight;
    }

    Id member(Id value, Id key) const {
        const Value &v = values_[value];
        for (Id i = 0; v.type == Type::object && i < v.count; ++i) {
            if (values_[values_.child(v, i)].key == key) return values_.child(v, i);
        }
        return -1;
    }

    // Whether the fields that lists are paired by agree; absent on both sides they do.
    bool same_keys(Id gold, Id system, const Setting &list) {
        if (values_[gold].type == Type::optional) return same_keys(values_.child(values_[gold], 0), system, list);
        if (values_[gold].type == Type::any) {
            const Value &g = values_[gold];
            for (Id i = 0; i < g.count; ++i) {
                if (same_keys(values_.child(g, i), system, list)) return true;
            }
            return false;
        }
        for (const Id key : list.keys) {
            const Id x = member(gold, key), y = member(system, key);
            if (x < 0 && y < 0) continue;
            if (x < 0 || y < 0 || !same(x, y)) return false;
        }
        return true;
    }

    bool same(Id gold, Id system) {
        const Value &g = values_[gold], &s = values_[system];
        if (g.type == Type::any) {
            for (Id i = 0; i < g.count; ++i) {
                if (same(values_.child(g, i), system)) return true;
            }
            return false;
        }
        if (g.type == Type::optional) return same(values_.child(g, 0), system);
        if (is_leaf(g.type) && is_leaf(s.type)) return leaves_(g, s, setting(g.path)) == unit;
        const Worth found = best(gold, system);
        return g.type == s.type && found.matched == unit * g.weight &&
               found.matched == unit * s.weight - found.excused;
    }

    // The best that can be had from a row on, without crossings, from what can be had from the next one on.
    static void before(const WorthTable &table, Id row, const Worth *next, Worth *here) {
        for (Id j = table.columns(); j-- > 0;) {
            Worth most = table(row, j) + next[j + 1];
            if (most < next[j]) most = next[j];
            if (most < here[j + 1]) most = here[j + 1];
            here[j] = most;
        }
    }

    static Worth in_order(const WorthTable &table) {
        std::vector<Worth> next(static_cast<std::size_t>(table.columns()) + 1), here(next.size());
        for (Id i = table.rows(); i-- > 0; next.swap(here)) before(table, i, next.data(), here.data());
        return next[0];
    }

    // The same from each position on.
    static std::vector<Worth> ordered(const WorthTable &table) {
        const auto width = static_cast<std::size_t>(table.columns()) + 1;
        std::vector<Worth> rest((static_cast<std::size_t>(table.rows()) + 1) * width);
        for (Id i = table.rows(); i-- > 0;) {
            Worth *const here = rest.data() + static_cast<std::size_t>(i) * width;
            before(table, i, here + width, here);
        }
        return rest;
    }

    // For each element of gold the chosen one of the system, or -1.
    std::vector<Id> chosen_pairs(const Value &g, const Value &s) {
        const Setting &own = setting(g.path);
        std::vector<Id> result(static_cast<std::size_t>(g.count), -1);
        if (own.list == List::index) {
            for (Id i = 0, j = 0; i < g.count && j < s.count;) {
                const Id px = values_[values_.child(g, i)].place, py = values_[values_.child(s, j)].place;
                if (px == py) result[static_cast<std::size_t>(i)] = j, ++i, ++j;
                else if (px < py) ++i;
                else ++j;
            }
            return result;
        }
        if (own.list == List::set && plain_pairs(g, s, result)) return result;
        const WorthTable table = all_pairs(g, s, own);
        const auto width = static_cast<std::size_t>(s.count);
        if (own.list == List::ordered) {
            const std::vector<Worth> rest = ordered(table);
            std::size_t from = 0;
            for (std::size_t i = 0; i < result.size(); ++i) {
                for (std::size_t j = from; j < width; ++j) {
                    const Worth &pair = table(static_cast<Id>(i), static_cast<Id>(j));
                    if (pair.is_zero() || !(pair + rest[(i + 1) * (width + 1) + j + 1] == rest[i * (width + 1) + from])) continue;
                    result[i] = static_cast<Id>(j);
                    from = j + 1;
                    break;
                }
            }
            return result;
        }
        Pairing pairing(table);
        pairing.settle(by_content(g), by_content(s));
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = pairing.partner(static_cast<Id>(i));
        return result;
    }

    // The same where equal leaves are paired and nothing has to be searched.
    bool plain_pairs(const Value &g, const Value &s, std::vector<Id> &result) {
        Worth shared;
        if (!multisets(g, s, shared)) return false;
        const Setting &below = setting(values_[values_.child(g, 0)].path);
        if (below.weight == 0) return true;
        std::map<std::pair<int, Id>, std::vector<Id>> free;
        const auto key = [&](const Value &list, Id i) {
            const Value &leaf = values_[values_.child(list, i)];
            return std::pair(static_cast<int>(leaf.type), leaves_.form(leaf, below));
        };
        const std::vector<Id> theirs = by_content(s);
        for (auto j = theirs.rbegin(); j != theirs.rend(); ++j) free[key(s, *j)].push_back(*j);
        for (const Id i : by_content(g)) {
            std::vector<Id> &there = free[key(g, i)];
            if (there.empty()) continue;
            result[static_cast<std::size_t>(i)] = there.back();
            there.pop_back();
        }
        return true;
    }

    // The elements of a list in the order of their canonical texts, equal ones as written.
    std::vector<Id> by_content(const Value &list) {
        std::string text;
        std::vector<std::size_t> ends;
        for (Id i = 0; i < list.count; ++i) {
            append_canonical(values_.child(list, i), text);
            ends.push_back(text.size());
        }
        std::vector<std::pair<std::string_view, Id>> elements;
        std::size_t begin = 0;
        for (Id i = 0; i < list.count; ++i) {
            const std::size_t end = ends[static_cast<std::size_t>(i)];
            elements.emplace_back(std::string_view(text).substr(begin, end - begin), i);
            begin = end;
        }
        std::sort(elements.begin(), elements.end());
        std::vector<Id> order;
        for (const auto &[own, i] : elements) order.push_back(i);
        return order;
    }

    void append_canonical(Id value, std::string &out) {
        const Value &v = values_[value];
        switch (v.type) {
            case Type::null: out.append("null"); return;
            case Type::no: out.append("false"); return;
            case Type::yes: out.append("true"); return;
            case Type::number: out.append(numbers_[v.text]); return;
            case Type::string: append_quoted(strings_[forms_.own[static_cast<std::size_t>(v.text)]], out); return;
            case Type::empty_array: out.append("[]"); return;
            case Type::empty_object: out.append("{}"); return;
            case Type::optional: return append_canonical(values_.child(v, 0), out);
            default: break;
        }
        const bool is_object = v.type == Type::object;
        std::vector<Id> order;
        if (v.type == Type::array && setting(v.path).list == List::set) {
            order = by_content(v);
        } else {
            for (Id i = 0; i < v.count; ++i) order.push_back(i);
            const auto key = [&](Id i) { return strings_[values_[values_.child(v, i)].key]; };
            if (is_object) std::sort(order.begin(), order.end(), [&](Id i, Id j) { return key(i) < key(j); });
        }
        out.push_back(is_object ? '{' : '[');
        for (const Id i : order) {
            const Id child = values_.child(v, i);
            const Value &below = values_[child];
            if (below.weight == 0 && below.leaves > 0 && !below.optional) continue;  // it does not count
            if (out.back() != '{' && out.back() != '[') out.push_back(',');
            if (is_object) {
                append_quoted(strings_[below.key], out);
                out.push_back(':');
            }
            append_canonical(child, out);
        }
        out.push_back(is_object ? '}' : ']');
    }

    // The position of an element as a step of a JSON pointer: among what is left of the list,
    // unless positions are what the list is compared by.
    std::int64_t position(const Value &list, Id i) const {
        const bool as_written = setting(list.path).list == List::index;
        return as_written ? values_[values_.child(list, i)].place : i;
    }

    // A key as a step of a JSON pointer.
    void append_key(Id key, std::string &out) const {
        for (const char c : strings_[key]) {
            if (c == '~') out += "~0";
            else if (c == '/') out += "~1";
            else out += c;
        }
    }

    std::array<std::string, 2> at_;  // what leads to the values that are traced, in gold and in the system
    std::int64_t *matched_ = nullptr;
    const Values &values_;
    Leaves &leaves_;
    const std::vector<Setting> &settings_;
    const std::vector<Id> &setting_of_path_;
    Names &strings_, &numbers_;
    const Forms &forms_;
    Id longest_;
    bool root_only_;
    std::vector<std::pair<int, Id>> left_, right_;
};

}  // namespace karat::records
