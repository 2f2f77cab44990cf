// What differs between documents, as item files and the page show it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/records/batch.hpp"
#include "karat/records/lines.hpp"
#include "karat/shown.hpp"

namespace karat::records {

// Pairs of documents, one after the other. What is not written as Python would write it, such as numbers
// beyond the usual sizes, makes a pair one that is left to Python: nothing is written for it.
class Look {
  public:
    // `patterns` are the names of all paths; `printable` says of characters that are not ASCII whether
    // Python's repr() shows them as they are, if there are any.
    Look(Batch &batch, const std::vector<std::string_view> &patterns, const std::uint8_t *printable)
        : batch_(batch), patterns_(patterns), printable_(printable) {}

    // Throws TooLong where lists are too long to be aligned.
    void compare(std::size_t gold, std::size_t system) {
        for (auto &some : told_) some.clear();
        gold_ = &batch_.document(gold), system_ = &batch_.document(system);
        std::int64_t matched = 0;
        events_ = batch_.trace(gold, system, &matched);
        for (const Event &event : events_) {
            Told told{event.optional ? -1 : event.gold, event.system, event.optional ? std::string_view() : event.gold_at,
                      event.system_at, event.similarity};
            const Id leaf = told.gold >= 0 ? told.gold : told.system;
            if (leaf < 0 || batch_.whole_weight(path(leaf)) == 0) continue;
            if (told.gold < 0) told.gold_at = {};
            if (told.system < 0) told.system_at = {};
            told_[told.gold < 0 ? 1 : told.system < 0 ? 0 : 2].push_back(told);
        }
        for (auto &some : told_) {
            std::stable_sort(some.begin(), some.end(), [](const Told &a, const Told &b) {
                return std::pair(a.gold_at, a.system_at) < std::pair(b.gold_at, b.system_at);
            });
        }
        matched_ = batch_.in_leaves(matched);
    }

    // Appends an explanation; false where it is left to Python, and nothing is appended.
    bool write_explanation(std::string &out) const {
        const std::size_t before = out.size();
        out.append("{\"matched\":");
        bool fine = write_float(matched_, out);
        for (std::size_t kind = 0; fine && kind < names.size(); ++kind) {
            out.append(",\"").append(names[kind]).append("\":[");
            for (const Told &each : told_[kind]) fine = fine && write_told(each, out);
            if (out.back() == ',') out.pop_back();
            out.push_back(']');
        }
        if (fine) out.push_back('}');
        else out.resize(before);
        return fine;
    }

    // Appends both documents on indented lines, where what differs stands, and that in words; false
    // where it is left to Python, and nothing is appended.
    bool write_shown(bool drop, ShownPairs &out, bool &has_layer) {
        std::string view;
        if (gold_->size > longest || system_->size > longest || !write_view(drop, view, has_layer)) return false;
        for (std::size_t kind = 0; kind < names.size(); ++kind) {
            for (const Told &each : told_[kind]) {
                const std::string_view where = pattern(each).empty() ? "/" : pattern(each);
                out.add_fault("fields", static_cast<Mark>(kind + 1), kind == 1 ? std::string_view() : where,
                              kind == 0   ? std::string_view()
                              : kind == 2 ? std::string_view("other value")
                                          : where);
            }
        }
        out.golds.text.append("null,[[\"raw\",\"").append(theirs_.text()).append("\"]]");
        out.systems.text.append("[\"raw\",\"").append(ours_.text()).append("\"]");
        out.views.text.append(view);
        return true;
    }

  private:
    static constexpr std::size_t longest = 100'000;
    static constexpr std::array<std::string_view, 3> names{"missing", "surplus", "changed"};

    struct Told {
        Id gold, system;  // -1: none
        std::string_view gold_at, system_at;
        std::int64_t similarity;
    };

    Id path(Id value) const { return batch_.values()[value].path; }
    std::string_view pattern(const Told &told) const {
        return patterns_[static_cast<std::size_t>(path(told.gold >= 0 ? told.gold : told.system))];
    }

    bool write_told(const Told &told, std::string &out) const {
        out.append("{\"path\":");
        append_json(pattern(told), out);
        if (told.gold >= 0) {
            out.append(",\"gold_at\":");
            append_json(told.gold_at, out);
            out.append(",\"gold\":");
            if (!write_value(told.gold, false, out)) return false;
        }
        if (told.system >= 0) {
            out.append(",\"system_at\":");
            append_json(told.system_at, out);
            out.append(",\"system\":");
            if (!write_value(told.system, false, out)) return false;
        }
        if (told.gold >= 0 && told.system >= 0) {
            out.append(",\"similarity\":");
            if (!write_float(static_cast<double>(told.similarity) / static_cast<double>(unit), out)) return false;
            const std::string_view ours = type(told.system), theirs = type(told.gold);
            if (ours != theirs) {
                out.append(",\"type\":\"").append(theirs).append(" in gold, ").append(ours).append(" in the output\"");
            }
        }
        out.append("},");
        return true;
    }

    bool write_view(bool drop, std::string &view, bool &has_layer) {
        const Names &strings = batch_.names(), &numbers = batch_.numbers();
        if (!ours_.write(system_->nodes, strings, numbers, drop) || !theirs_.write(gold_->nodes, strings, numbers, drop)) {
            return false;
        }
        const bool any = !told_[0].empty() || !told_[1].empty() || !told_[2].empty();
        view.append(any ? "{\"fields\":[" : "{},null,[");
        has_layer = has_layer || any;
        for (std::size_t kind = 0; any && kind < names.size(); ++kind) {
            for (const Told &each : told_[kind]) {
                append_number(static_cast<std::int64_t>(kind + 1), view);
                view.append(",0,");
                append_place(each.gold >= 0 ? theirs_.at(each.gold_at) : nowhere, view);
                append_place(each.system >= 0 ? ours_.at(each.system_at) : nowhere, view);
            }
        }
        if (any) {
            view.pop_back();
            view.append("]},null,[");
        }
        for (std::size_t kind = 0; kind < names.size(); ++kind) {
            for (const Told &each : told_[kind]) {
                note_.assign(names[kind]).push_back(' ');
                const std::string_view at = each.gold_at.empty() ? each.system_at : each.gold_at;
                note_.append(at.empty() ? "/" : at).append(": ");
                if (each.gold >= 0 && !write_value(each.gold, true, note_)) return false;
                if (each.gold >= 0 && each.system >= 0) note_.append(" \xe2\x86\x92 ");
                if (each.system >= 0 && !write_value(each.system, true, note_)) return false;
                append_json(note_, view);
                view.push_back(',');
            }
        }
        if (view.back() == ',') view.pop_back();
        view.push_back(']');
        return true;
    }

    static constexpr Lines::Place nowhere{-1, -1};

    static void append_place(const Lines::Place &place, std::string &out) {
        append_number(place.first, out);
        out.push_back(',');
        append_number(place.second, out);
        out.push_back(',');
    }

    std::string_view type(Id value) const {
        static constexpr std::string_view types[] = {"null", "boolean", "boolean", "number", "string", "array", "object"};
        return types[static_cast<std::size_t>(batch_.values()[value].type)];
    }

    // The value of a leaf as JSON, or as Python's repr() has it.
    bool write_value(Id value, bool as_python, std::string &out) const {
        const Value &v = batch_.values()[value];
        switch (v.type) {
            case Type::null: out.append(as_python ? "None" : "null"); return true;
            case Type::no: out.append(as_python ? "False" : "false"); return true;
            case Type::yes: out.append(as_python ? "True" : "true"); return true;
            case Type::number: return write_number(batch_.numbers()[v.text], out);
            case Type::string:
                if (as_python) return write_repr(batch_.string(v.text), out);
                append_json(batch_.string(v.text), out);
                return true;
            case Type::empty_array: out.append("[]"); return true;
            case Type::empty_object: out.append("{}"); return true;
            default: return false;
        }
    }

    // Digits, and the power of ten that they are multiplied with.
    static bool write_number(std::string_view text, std::string &out) {
        const std::size_t e = text.find('e');
        if (e == text.npos || text.size() > 24) return false;
        const std::string_view digits = text.substr(0, e);
        if (digits == "-0") return false;
        const int power = std::atoi(std::string(text.substr(e + 1)).c_str());
        if (power >= 0) {
            if (digits.size() + static_cast<std::size_t>(power) > 18) return false;
            out.append(digits).append(static_cast<std::size_t>(power), '0');
            return true;
        }
        return digits.size() < 18 && write_float(std::strtod(std::string(text).c_str(), nullptr), out);
    }

    // The shortest digits that give a number again, as long as nobody writes it with an exponent.
    static bool write_float(double value, std::string &out) {
        if (value == 0 && !std::signbit(value)) {
            out.append("0.0");
            return true;
        }
        if (!(std::abs(value) >= 1e-4 && std::abs(value) < 1e15)) return false;
        char digits[40];
        for (int precision = 15; precision <= 17; ++precision) {
            std::snprintf(digits, sizeof digits, "%.*g", precision, value);
            if (std::strtod(digits, nullptr) == value) break;
        }
        out.append(digits);
        if (std::string_view(digits).find('.') == std::string_view::npos) out.append(".0");
        return true;
    }

    bool write_repr(std::string_view text, std::string &out) const {
        static constexpr char hexadecimal[] = "0123456789abcdef";
        const bool single = text.find('\'') == text.npos || text.find('"') != text.npos;
        const char quote = single ? '\'' : '"';
        out.push_back(quote);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            if (c == static_cast<unsigned char>(quote) || c == '\\') {
                out.push_back('\\');
                out.push_back(text[i]);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c == '\r') {
                out.append("\\r");
            } else if (c == '\t') {
                out.append("\\t");
            } else if (c < 0x20 || c == 0x7F) {
                out.append("\\x");
                out.push_back(hexadecimal[c >> 4]);
                out.push_back(hexadecimal[c & 15]);
            } else if (c < 0x80) {
                out.push_back(text[i]);
            } else {
                const std::size_t size = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
                if (printable_ == nullptr || i + size > text.size()) return false;
                std::uint32_t point = c & (0xFFu >> (size + 1));
                for (std::size_t k = 1; k < size; ++k) {
                    point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
                }
                if (point >= 0x110000 || printable_[point] == 0) return false;
                out.append(text.substr(i, size));
                i += size - 1;
            }
        }
        out.push_back(quote);
        return true;
    }

    Batch &batch_;
    const std::vector<std::string_view> &patterns_;
    const std::uint8_t *printable_;
    std::vector<Event> events_;
    std::array<std::vector<Told>, 3> told_;  // missing, surplus, changed
    double matched_ = 0;
    const Document *gold_ = nullptr, *system_ = nullptr;
    Lines ours_, theirs_;
    std::string note_;
};

}  // namespace karat::records
