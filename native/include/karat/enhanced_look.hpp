// Edges of enhanced dependencies that two analyses of the same characters share: counts, and JSON for people and pages.
#pragma once

#include <algorithm>
#include <tuple>

#include "karat/ud_look.hpp"

namespace karat {

class EnhancedLook : public UdParts {
  public:
    static constexpr std::size_t columns = 6;  // edges of gold, of the system, correct, universal, doubled; gold's words

    // With `multiply`, equal edges are correct as often as there are pairs of them.
    explicit EnhancedLook(bool multiply = false) : multiply_(multiply) {}

    // Compares the edges of all words; what is given is that of `find_parts`. False where a cell is not made of
    // HEAD:LABEL, with heads in the sentence or, where they may be `unequal`, "-": that is equal to none.
    template <class Given>
    bool judge(const Given &given, bool unequal) {
        find_parts(given);
        if (!read_edges(system_, unequal, ours_) || !read_edges(gold_, unequal, theirs_)) return false;
        for (std::size_t s = 0; s < system_.words.size(); ++s) align_heads(s);
        shared_.assign(gold_.words.size(), {});
        for (std::size_t g = 0; g < gold_.words.size(); ++g) {
            if (gold_.words[g].partner >= 0) compare(static_cast<std::size_t>(gold_.words[g].partner), g);
        }
        return true;
    }

    std::vector<double> rows() const {
        std::vector<double> rows(columns * gold_.trees.size(), 0);
        const auto add_edges = [&](const Edges &edges, std::size_t word, std::size_t sentence, std::size_t column) {
            rows[columns * sentence + column] += static_cast<double>(edges.first[word + 1] - edges.first[word]);
            rows[columns * sentence + 4] += static_cast<double>(edges.doubled[word]);
        };
        for (std::size_t s = 0; s < system_.words.size(); ++s) {
            if (home_[s] >= 0) add_edges(ours_, s, static_cast<std::size_t>(home_[s]), 1);
        }
        for (std::size_t g = 0; g < gold_.words.size(); ++g) {
            const auto sentence = static_cast<std::size_t>(gold_.words[g].sentence);
            add_edges(theirs_, g, sentence, 0);
            rows[columns * sentence + 2] += static_cast<double>(shared_[g].correct);
            rows[columns * sentence + 3] += static_cast<double>(shared_[g].universal);
            rows[columns * sentence + 5] += 1;
        }
        return rows;
    }

    void explain(TextPieces &pieces) const {
        for (std::size_t i = 0; i < gold_.trees.size(); ++i) {
            std::string &out = pieces.text;
            out.append("{\"missing\":[");
            const TreeView gold = view(gold_, i);
            each_edge(theirs_, gold_.trees.first_word[i], gold.size(), [&](std::size_t w, const Edge &edge) {
                if (edge.alone) tell(gold, w, edge, out);
            });
            out.append("],\"surplus\":[");
            each_counted(i, [&](const TreeView &tree, std::size_t w, const Edge &edge, bool alone, std::size_t) {
                if (alone) tell(tree, w, edge, out);
            });
            out.append("]}");
            pieces.end();
        }
    }

    void show(ShownPairs &pairs) const {
        std::string scratch;
        for (std::size_t i = 0; i < gold_.trees.size(); ++i) {
            show_one(i, scratch, pairs);
            pairs.end();
        }
    }

  private:
    static constexpr std::int32_t nowhere_ = -1;
    static constexpr std::size_t none_ = static_cast<std::size_t>(-1);

    struct Edge {
        std::int32_t head;  // from 1; 0: the root
        std::string_view label;
        std::int32_t aligned;      // the head among the words of gold's sentence; below 0: it equals none
        bool alone = true;         // the other side has no such edge
        std::size_t other = none_;  // an edge of the other side that has another label
    };

    struct Edges {
        std::vector<Edge> all;
        std::vector<std::size_t> first{0}, doubled;  // of each word; and after the last one
    };

    // How many edges of a gold word the system has.
    struct Shared {
        std::size_t correct = 0, universal = 0;
    };

    static bool read_edges(const Side &side, bool unequal, Edges &edges) {
        std::vector<std::pair<std::int32_t, std::string_view>> known;
        for (std::size_t w = 0; w < side.words.size(); ++w) {
            const std::size_t begin = side.trees.words[w].bounds[label_cell + 1];
            const std::string_view cell = side.data.substr(begin, side.data.find('\t', begin) - begin);
            const auto size = static_cast<std::int64_t>(side.trees.size(static_cast<std::size_t>(side.words[w].sentence)));
            for (std::size_t at = 0; cell != "_" && at <= cell.size();) {
                const std::size_t stop = std::min(cell.find('|', at), cell.size());
                const std::string_view each = cell.substr(at, stop - at);
                at = stop + 1;
                const std::size_t colon = each.find(':');
                if (colon == each.npos || colon + 1 == each.size()) return false;
                std::int64_t head = TreeReader::decimal(each.substr(0, colon));
                if (unequal && each[0] == '-' && colon == 1) head = nowhere_;
                else if (head < 0 || head > size) return false;
                const auto place = static_cast<std::int32_t>(head);
                edges.all.push_back({place, each.substr(colon + 1), place});
            }
            edges.first.push_back(edges.all.size());
            known.clear();
            for (std::size_t e = edges.first[w]; e < edges.all.size(); ++e) {
                known.emplace_back(edges.all[e].head, edges.all[e].label);
            }
            std::sort(known.begin(), known.end());
            const auto end = std::unique(known.begin(), known.end());
            edges.doubled.push_back(static_cast<std::size_t>(known.end() - end));
        }
        return true;
    }

    // Heads count as those of the sentence of a word's partner.
    void align_heads(std::size_t s) {
        if (system_.words[s].partner < 0) return;
        const std::int32_t sentence = gold_.words[static_cast<std::size_t>(system_.words[s].partner)].sentence;
        const auto first = static_cast<std::int32_t>(gold_.trees.first_word[static_cast<std::size_t>(sentence)]);
        for (std::size_t e = ours_.first[s]; e < ours_.first[s + 1]; ++e) {
            Edge &edge = ours_.all[e];
            if (edge.head <= 0) continue;
            const std::int32_t partner = system_.words[word_of(system_, s, edge.head)].partner;
            const bool there = partner >= 0 && gold_.words[static_cast<std::size_t>(partner)].sentence == sentence;
            edge.aligned = there ? partner - first + 1 : nowhere_;
        }
    }

    // Edges of a word, by number, that may equal others; in the order of a key and then of the file.
    template <class Key>
    static void sorted(const Edges &edges, std::size_t word, Key key, std::vector<std::size_t> &found) {
        found.clear();
        for (std::size_t e = edges.first[word]; e < edges.first[word + 1]; ++e) {
            if (edges.all[e].alone && edges.all[e].aligned >= 0) found.push_back(e);
        }
        std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
            return std::tuple(key(edges.all[a]), a) < std::tuple(key(edges.all[b]), b);
        });
    }

    // Pairs the edges of two words that have the same key, in order, and gives how many there are.
    template <class Key, class Pair>
    std::size_t pair_up(std::size_t s, std::size_t g, Key key, Pair pair) {
        sorted(ours_, s, key, our_order_);
        sorted(theirs_, g, key, their_order_);
        std::size_t count = 0;
        auto ours = our_order_.begin();
        for (auto theirs = their_order_.begin(); theirs != their_order_.end();) {
            const auto wanted = key(theirs_.all[*theirs]);
            while (ours != our_order_.end() && key(ours_.all[*ours]) < wanted) ++ours;
            std::size_t here = 0, there = 0;
            auto own = ours;
            for (; theirs != their_order_.end() && key(theirs_.all[*theirs]) == wanted; ++theirs, ++there) {
                if (own != our_order_.end() && key(ours_.all[*own]) == wanted) pair(*own++, *theirs);
            }
            for (; ours != our_order_.end() && key(ours_.all[*ours]) == wanted; ++ours) ++here;
            count += multiply_ ? here * there : std::min(here, there);
        }
        return count;
    }

    void compare(std::size_t s, std::size_t g) {
        const auto universal = [](const Edge &edge) {
            std::string label;
            for (std::size_t at = 0; at <= edge.label.size();) {
                const std::size_t stop = std::min(edge.label.find('>', at), edge.label.size());
                const std::string_view step = edge.label.substr(at, stop - at);
                label.append(step.substr(0, step.find(':'))).push_back('>');
                at = stop + 1;
            }
            return std::pair(edge.aligned, label);
        };
        const auto same = [](const Edge &edge) { return std::pair(edge.aligned, edge.label); };
        const auto head = [](const Edge &edge) { return edge.aligned; };
        const auto join = [&](std::size_t ours, std::size_t theirs) {
            ours_.all[ours].alone = theirs_.all[theirs].alone = false;
        };
        const auto ours = ours_.all.begin(), theirs = theirs_.all.begin();
        const auto begin = [](auto all, const Edges &edges, std::size_t word) {
            return all + static_cast<std::ptrdiff_t>(edges.first[word]);
        };
        const bool equal = std::equal(begin(ours, ours_, s), begin(ours, ours_, s + 1), begin(theirs, theirs_, g),
                                      begin(theirs, theirs_, g + 1), [&](const Edge &a, const Edge &b) {
                                          return a.aligned >= 0 && same(a) == same(b);
                                      });
        const std::size_t size = ours_.first[s + 1] - ours_.first[s];
        if (equal && (size < 2 || !multiply_)) {  // as nearly always
            for (std::size_t e = 0; e < size; ++e) join(ours_.first[s] + e, theirs_.first[g] + e);
            shared_[g] = {size, size};
            return;
        }
        shared_[g].universal = pair_up(s, g, universal, [](std::size_t, std::size_t) {});
        shared_[g].correct = pair_up(s, g, same, join);
        if (!counts_for(s, static_cast<std::size_t>(gold_.words[g].sentence))) return;
        pair_up(s, g, head, [&](std::size_t ours, std::size_t theirs) {
            ours_.all[ours].other = theirs;
            theirs_.all[theirs].other = ours;
        });
    }

    template <class Each>
    static void each_edge(const Edges &edges, std::size_t first, std::size_t words, Each each) {
        for (std::size_t w = 0; w < words; ++w) {
            for (std::size_t e = edges.first[first + w]; e < edges.first[first + w + 1]; ++e) each(w, edges.all[e]);
        }
    }

    // The edges of words that count for a gold sentence, whether they are alone, as those of words without a partner
    // there are, and how many words of the system stand before the sentence.
    template <class Each>
    void each_counted(std::size_t i, Each each) const {
        std::size_t moved = 0;
        each_part(i, [&](std::size_t sentence) {
            const TreeView tree = view(system_, sentence);
            const std::size_t first = system_.trees.first_word[sentence];
            each_edge(ours_, first, tree.size(), [&](std::size_t w, const Edge &edge) {
                if (counts_for(first + w, i)) each(tree, w, edge, edge.alone || !is_partner(first + w, i), moved);
            });
            moved += tree.size();
        });
    }

    static void tell(const TreeView &tree, std::size_t w, const Edge &edge, std::string &out) {
        append_form(w, tree.form(w), out);
        out.append(",\"head\":");
        append_json(edge.head <= 0 ? "ROOT" : tree.form(static_cast<std::size_t>(edge.head) - 1), out);
        out.append(",\"label\":");
        append_json(edge.label, out);
        out.push_back('}');
    }

    static void append_words(const TreeView &tree, std::string &out) {
        for (std::size_t w = 0; w < tree.size(); ++w) {
            separate(out, '[');
            tree.append_word(w, Mark::matched, {}, out);
        }
    }

    void show_one(std::size_t i, std::string &scratch, ShownPairs &pairs) const {
        const TreeView gold = view(gold_, i);
        std::string &golds = pairs.golds.text, &systems = pairs.systems.text, &notes = pairs.views.text;
        golds.append("null,[[\"arcs\",[");
        append_words(gold, golds);
        golds.append("],[");
        notes.append("{},null,[");
        each_edge(theirs_, gold_.trees.first_word[i], gold.size(), [&](std::size_t w, const Edge &edge) {
            separate(golds, '[');
            TreeView::append_arc(edge.head, w, edge.label, edge.alone ? Mark::missing : Mark::matched, 0, golds);
            if (!edge.alone) return;
            if (edge.other == none_) {
                pairs.add_fault("edges", Mark::missing, edge.label, {});
                return;
            }
            const std::string_view other = ours_.all[edge.other].label;
            pairs.add_fault("labels", Mark::changed, edge.label, other);
            separate(notes, '[');
            scratch.assign(gold.form(w)).append(": ").append(edge.label).append(" \xE2\x86\x92 ").append(other);
            append_json(scratch, notes);
        });
        golds.append("]]]");
        notes.push_back(']');
        systems.append("[\"arcs\",[");
        each_part(i, [&](std::size_t sentence) { append_words(view(system_, sentence), systems); });
        systems.append("],[");
        each_counted(i, [&](const TreeView &, std::size_t w, const Edge &edge, bool alone, std::size_t moved) {
            separate(systems, '[');
            TreeView::append_arc(edge.head, w, edge.label, alone ? Mark::surplus : Mark::matched, moved, systems);
            if (alone && edge.other == none_) pairs.add_fault("edges", Mark::surplus, {}, edge.label);
        });
        systems.append("]]");
    }

    bool multiply_;
    Edges ours_, theirs_;
    std::vector<Shared> shared_;  // of each gold word
    std::vector<std::size_t> our_order_, their_order_;
};

}  // namespace karat
