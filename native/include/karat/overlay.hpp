// Two graphs laid over each other as the page takes them, in JSON, and the errors that they show.
//
// karat.graphs.pictures.content has the same for pictures, whose marks can be read besides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"

namespace karat::overlay {

enum class Look : std::uint8_t { label, anchor, property, top, edge, attribute };
enum class Mark : std::uint8_t { none, missing, surplus, changed };  // as pages number them

struct Part {
    Look look;
    Mark mark;
    std::int32_t first, second;  // its nodes; the second is -1 for a part of one node
    std::int32_t edge;           // an attribute is written at the edge that has the same number here
    std::string text;
};

// A word of a row that bilexical graphs stand over, and the lines below it.
struct Word {
    std::string form;
    std::vector<std::string> below;
};

// Errors of many pairs, each with a number; `found` are those of all pairs in order.
class Faults {
  public:
    struct Fault {
        Look look;
        Mark mark;
        std::string_view gold, system;
    };
    std::vector<std::int32_t> found;

    void add(Look look, Mark mark, std::string_view gold, std::string_view system) {
        const auto size = static_cast<std::uint64_t>(gold.size());
        key_.assign({static_cast<char>(look), static_cast<char>(mark)});
        key_.append(reinterpret_cast<const char *>(&size), sizeof size);
        key_.append(gold).append(system);
        found.push_back(names_(key_));
    }

    // What one side has alone.
    void add(const Part &part) {
        if (part.mark == Mark::missing) add(part.look, part.mark, part.text, {});
        if (part.mark == Mark::surplus) add(part.look, part.mark, {}, part.text);
    }

    std::size_t size() const { return names_.size(); }

    Fault operator[](std::size_t number) const {
        const std::string_view key = names_[static_cast<std::int32_t>(number)];
        std::uint64_t size;
        std::memcpy(&size, key.data() + 2, sizeof size);
        const std::string_view rest = key.substr(2 + sizeof size);
        return {static_cast<Look>(key[0]), static_cast<Mark>(key[1]), rest.substr(0, size), rest.substr(size)};
    }

  private:
    Names names_;
    std::string key_;
};

// How a graph spells the words that are compared in lower case.
class Spelling {
  public:
    void clear() { lower_.clear(), words_.clear(); }

    // The first spelling counts.
    void add(std::string_view word, std::string_view lower) {
        if (word.empty()) return;
        const auto number = static_cast<std::size_t>(lower_(lower));
        if (number == words_.size()) words_.emplace_back(word);
    }

    // A label, or the name and the value of a property, as they are spelt.
    std::string operator()(std::string_view text) const {
        std::string result;
        if (add_known(text, result)) return result;
        std::size_t begin = 0;
        while (true) {
            const std::size_t end = text.find(' ', begin);
            const std::string_view word = text.substr(begin, end - begin);
            if (!add_known(word, result)) result.append(word);
            if (end == std::string_view::npos) return result;
            result.push_back(' ');
            begin = end + 1;
        }
    }

  private:
    // What is in lower case says nothing, unless it keeps its parts from being spelt by themselves.
    bool add_known(std::string_view text, std::string &result) const {
        const std::int32_t number = lower_.find(text);
        if (number < 0) return false;
        const std::string &word = words_[static_cast<std::size_t>(number)];
        if (word == text && word.find(' ') == std::string::npos) return false;
        result.append(word);
        return true;
    }

    Names lower_;
    std::vector<std::string> words_;
};

class Sheet {
  public:
    struct Node {
        Mark mark;
        std::string words;  // shown where there is no label
        std::int64_t begin = 0;  // of the words in the text
    };
    std::vector<Node> nodes;
    std::vector<Part> parts;

    void clear() { nodes.clear(), parts.clear(); }

    // Appends nodes, arrows, an empty list of what belongs to no node, and the nodes with words in their order.
    void write(bool directed, Faults &faults, std::string &out) {
        group();
        reading_.clear();
        out.append("[[");
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (i) out.push_back(',');
            write_node(i, faults, out);
        }
        out.append("],[");
        write_arrows(directed, faults, out);
        out.append("],[],[");
        std::stable_sort(reading_.begin(), reading_.end(),
                         [&](std::size_t a, std::size_t b) { return nodes[a].begin < nodes[b].begin; });
        for (std::size_t i = 0; i < reading_.size(); ++i) {
            if (i) out.push_back(',');
            append_number(static_cast<std::int64_t>(reading_[i]), out);
        }
        out.append("]]");
    }

    // What has been written can be drawn as arcs over words as well, unless edges have attributes.
    bool has_notes() const {
        return std::any_of(arrows_.begin(), arrows_.end(), [](const Arrow &arrow) { return !arrow.notes.empty(); });
    }

    // Appends words and arcs of one side: what both have, and what it has alone. `stands` tells the
    // word of each node; those of nodes that have parts are there.
    void write_arcs(Mark own, const std::vector<std::int64_t> &stands, const std::vector<Word> &words,
                    std::string &out) const {
        out.append("[\"arcs\",[");
        write_words(own, stands, words, out);
        out.append("],[");
        bool is_first = true;
        const auto write = [&](const Part &part, std::int64_t source, std::int64_t target, bool is_changed) {
            if (part.mark != Mark::none && part.mark != own) return;
            out.append(is_first ? "[" : ",[");
            is_first = false;
            append_number(source, out);
            out.push_back(',');
            append_number(target, out);
            out.push_back(',');
            append_json(part.text, out);
            out.push_back(',');
            append_number(static_cast<std::int64_t>(is_changed ? Mark::changed : part.mark), out);
            out.push_back(']');
        };
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            for (const std::uint32_t i : of_node_[node]) {
                if (parts[i].look == Look::top) write(parts[i], -1, stands[node], false);
            }
        }
        for (const Arrow &arrow : arrows_) {
            const Part &part = parts[arrow.part];
            write(part, stands[static_cast<std::size_t>(part.first)], stands[static_cast<std::size_t>(part.second)],
                  part.look == Look::edge && part.mark != Mark::none && has_other(arrow.group, part.mark));
        }
        out.append("]]");
    }

  private:
    using Places = std::vector<std::uint32_t>;
    struct Arrow {
        std::uint32_t part;
        std::size_t group;
        Places notes;
        bool taken = false;
    };

    static std::string_view name_of(Look look) {
        static constexpr std::string_view names[] = {"label", "anchor", "property", "top", "edge", "attribute"};
        return names[static_cast<std::size_t>(look)];
    }

    void group() {
        for (auto &places : of_node_) places.clear();
        if (of_node_.size() < nodes.size()) of_node_.resize(nodes.size());
        ends_.clear(), between_.clear();
        for (std::uint32_t i = 0; i < parts.size(); ++i) {
            const Part &part = parts[i];
            if (part.second < 0) {
                of_node_[static_cast<std::size_t>(part.first)].push_back(i);
                continue;
            }
            const auto key = static_cast<std::uint64_t>(part.first) << 32 | static_cast<std::uint32_t>(part.second);
            const auto [found, is_new] = ends_.emplace(key, between_.size());
            if (is_new) between_.emplace_back();
            between_[found->second].push_back(i);
        }
    }

    static void write_line(std::string_view text, Mark mark, std::string_view look, bool &is_first, std::string &out) {
        if (!is_first) out.push_back(',');
        is_first = false;
        out.push_back('[');
        append_json(text, out);
        out.push_back(',');
        append_number(static_cast<std::int64_t>(mark), out);
        out.append(",\"").append(look).append("\"]");
    }

    const std::string &change(const Part &gold, const Part &system, Faults &faults) {
        faults.add(gold.look, Mark::changed, gold.text, system.text);
        changed_ = gold.text;
        return changed_.append(" \xE2\x86\x92 ").append(system.text);
    }

    // The parts of one look: those of both sides, those that changed, and what one side has alone.
    void write_lines(const Places &own, Look look, Faults &faults, bool &is_first, std::string &out) {
        lost_.clear(), new_.clear();
        for (const std::uint32_t i : own) {
            if (parts[i].look != look) continue;
            if (parts[i].mark == Mark::missing) lost_.push_back(i);
            else if (parts[i].mark == Mark::surplus) new_.push_back(i);
            else if (look != Look::anchor) write_line(parts[i].text, Mark::none, name_of(look), is_first, out);
        }
        const std::size_t both = std::min(lost_.size(), new_.size());
        for (std::size_t k = 0; k < both; ++k) {
            const std::string &text = change(parts[lost_[k]], parts[new_[k]], faults);
            write_line(text, Mark::changed, name_of(look), is_first, out);
        }
        for (const Places *side : {&lost_, &new_}) {
            for (std::size_t k = both; k < side->size(); ++k) {
                const Part &part = parts[(*side)[k]];
                faults.add(part);
                write_line(part.text, part.mark, name_of(look), is_first, out);
            }
        }
    }

    void write_node(std::size_t number, Faults &faults, std::string &out) {
        const Node &node = nodes[number];
        const Places &own = of_node_[number];
        const auto has = [&](Look look) {
            return std::any_of(own.begin(), own.end(), [&](std::uint32_t i) { return parts[i].look == look; });
        };
        bool is_first = true;
        out.push_back('[');
        append_number(static_cast<std::int64_t>(node.mark), out);
        out.append(",[");
        write_lines(own, Look::label, faults, is_first, out);
        const bool has_words = !node.words.empty() && !has(Look::label);
        if (has_words) {
            write_line(node.words, Mark::none, "words", is_first, out);
            reading_.push_back(number);
        }
        // The words of a missing node are its missing anchor.
        const std::size_t before = out.size();
        const bool none = is_first;
        write_lines(own, Look::anchor, faults, is_first, out);
        if (has_words && node.mark == Mark::missing) out.resize(before), is_first = none;
        write_lines(own, Look::property, faults, is_first, out);
        out.append("],");
        std::int64_t top = -1;
        for (const std::uint32_t i : own) {
            if (parts[i].look != Look::top) continue;
            faults.add(parts[i]);
            const auto mark = static_cast<std::int64_t>(parts[i].mark);
            top = top < 0 || top == mark ? mark : static_cast<std::int64_t>(Mark::changed);
        }
        append_number(top, out);
        out.push_back(']');
    }

    // The edges between each two nodes, with their attributes; attributes of none stand for themselves.
    void collect_arrows() {
        arrows_.clear(), next_new_.clear();
        for (const Places &group : between_) {
            const std::size_t number = next_new_.size();
            next_new_.push_back(arrows_.size());
            rest_.clear();
            for (const std::uint32_t i : group) {
                if (parts[i].look == Look::attribute) rest_.push_back(i);
            }
            for (const std::uint32_t i : group) {
                if (parts[i].look != Look::edge) continue;
                arrows_.push_back({i, number, {}});
                const auto others = std::stable_partition(
                    rest_.begin(), rest_.end(), [&](std::uint32_t k) { return parts[k].edge == parts[i].edge; });
                arrows_.back().notes.assign(rest_.begin(), others);
                rest_.erase(rest_.begin(), others);
            }
            for (const std::uint32_t i : rest_) arrows_.push_back({i, number, {}});
        }
    }

    // Whether the other side has an edge between the same nodes alone.
    bool has_other(std::size_t group, Mark mark) const {
        return std::any_of(between_[group].begin(), between_[group].end(), [&](std::uint32_t i) {
            return parts[i].mark != Mark::none && parts[i].mark != mark;
        });
    }

    // Words, each with the mark of its node, and what differs besides arcs.
    void write_words(Mark own, const std::vector<std::int64_t> &stands, const std::vector<Word> &words,
                     std::string &out) const {
        std::vector<std::string> notes(words.size());
        std::vector<bool> has_note(words.size()), marked(words.size());
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            if (stands[node] < 0 || static_cast<std::size_t>(stands[node]) >= words.size()) continue;
            const auto place = static_cast<std::size_t>(stands[node]);
            if (nodes[node].mark == own) marked[place] = true;
            for (const std::uint32_t i : of_node_[node]) {
                if (parts[i].mark != own || parts[i].look == Look::top) continue;
                if (has_note[place]) notes[place].append(", ");
                has_note[place] = true;
                notes[place].append(parts[i].text);
            }
        }
        for (std::size_t i = 0; i < words.size(); ++i) {
            out.append(i ? ",[" : "[");
            append_json(words[i].form, out);
            out.append(",[");
            for (std::size_t k = 0; k < words[i].below.size(); ++k) {
                if (k) out.push_back(',');
                append_json(words[i].below[k], out);
            }
            out.append("],");
            append_number(static_cast<std::int64_t>(marked[i] ? own : Mark::none), out);
            out.push_back(',');
            append_json(notes[i], out);
            out.push_back(']');
        }
    }

    void write_arrows(bool directed, Faults &faults, std::string &out) {
        collect_arrows();
        bool is_first = true;
        const auto is_new = [&](const Arrow &arrow) {
            return parts[arrow.part].mark == Mark::surplus && parts[arrow.part].look == Look::edge;
        };
        const auto write = [&](const Arrow &arrow, std::string_view text, Mark mark) {
            const Part &part = parts[arrow.part];
            if (!is_first) out.push_back(',');
            is_first = false;
            out.push_back('[');
            for (const std::int64_t number : {std::int64_t{part.first}, std::int64_t{part.second},
                                              static_cast<std::int64_t>(mark)}) {
                append_number(number, out);
                out.push_back(',');
            }
            append_json(text, out);
            out.append(",[");
            bool is_first_note = true;
            for (const std::uint32_t i : arrow.notes) {
                faults.add(parts[i]);
                write_line(parts[i].text, parts[i].mark, name_of(Look::attribute), is_first_note, out);
            }
            out.append(directed ? "],true]" : "],false]");
        };
        for (Arrow &arrow : arrows_) {
            if (is_new(arrow)) continue;
            Arrow *const other = partner(arrow, is_new);
            if (other) {
                other->taken = true;
                const std::string text = change(parts[arrow.part], parts[other->part], faults);
                arrow.notes.insert(arrow.notes.end(), other->notes.begin(), other->notes.end());
                write(arrow, text, Mark::changed);
            } else {
                faults.add(parts[arrow.part]);
                write(arrow, parts[arrow.part].text, parts[arrow.part].mark);
            }
        }
        for (const Arrow &arrow : arrows_) {
            if (!is_new(arrow) || arrow.taken) continue;
            faults.add(parts[arrow.part]);
            write(arrow, parts[arrow.part].text, Mark::surplus);
        }
    }

    // The surplus edge between the same nodes that a missing one was changed to: the next that is left.
    template <class IsNew>
    Arrow *partner(const Arrow &arrow, IsNew is_new) {
        const Part &part = parts[arrow.part];
        if (part.mark != Mark::missing || part.look != Look::edge) return nullptr;
        std::size_t &next = next_new_[arrow.group];
        while (next < arrows_.size() && arrows_[next].group == arrow.group) {
            Arrow &other = arrows_[next++];
            if (is_new(other)) return &other;
        }
        return nullptr;
    }

    std::vector<Places> of_node_, between_;
    std::unordered_map<std::uint64_t, std::size_t, HashOfNumber> ends_;
    std::vector<Arrow> arrows_;
    std::vector<std::size_t> next_new_;  // where the next surplus edge of each group may be
    Places lost_, new_, rest_;
    std::vector<std::size_t> reading_;  // the nodes with words
    std::string changed_;
};

}  // namespace karat::overlay
