// What is wrong with each word by the CoNLL 2018 shared task, as JSON for people and for pages.
#pragma once

#include <algorithm>
#include <utility>

#include "karat/tree_json.hpp"
#include "karat/ud_counts.hpp"

namespace karat {

// Aligned sentences, with those of the system that belong to each of gold.
class UdParts : public UdChunk {
  protected:
    // Aligns the words; `lowered` has each of `forms` in lower case.
    void find_parts(const std::vector<std::string> &lowered) {
        align(lowered);
        home_.clear();
        std::int32_t home = 0;
        for (const Word &word : system_.words) {
            const auto last = static_cast<std::int32_t>(gold_.sentences.size()) - 1;
            while (home < last && gold_.sentences[static_cast<std::size_t>(home) + 1].start <= word.start) ++home;
            home_.push_back(home);
        }
        find_parts();
    }

    // Of words that were aligned before; `homes` has for each word of the system the gold sentence that
    // it counts for, or -1.
    void find_parts(const std::int32_t *homes) {
        home_.assign(homes, homes + system_.words.size());
        find_parts();
    }

    TreeView view(const Side &side, std::size_t sentence) const {
        return {side.data, rules_, &side.trees.words[side.trees.first_word[sentence]], side.trees.size(sentence)};
    }

    template <class Each>
    void each_part(std::size_t i, Each each) const {
        const auto gold = static_cast<std::int32_t>(i);
        auto part = std::lower_bound(parts_.begin(), parts_.end(), std::pair<std::int32_t, std::int32_t>(gold, 0));
        for (; part != parts_.end() && part->first == gold; ++part) each(static_cast<std::size_t>(part->second));
    }

    bool counts_for(std::size_t s, std::size_t i) const { return home_[s] == static_cast<std::int32_t>(i); }

    bool is_partner(std::size_t s, std::size_t i) const {
        const std::int32_t partner = system_.words[s].partner;
        return partner >= 0 && gold_.words[static_cast<std::size_t>(partner)].sentence == static_cast<std::int32_t>(i);
    }

    static void append_form(std::size_t place, std::string_view form, std::string &out) {
        separate(out, '[');
        out.append("{\"word\":");
        append_number(static_cast<std::int64_t>(place + 1), out);
        out.append(",\"form\":");
        append_json(form, out);
    }

    std::vector<std::int32_t> home_;  // the gold sentence that each word of the system counts for, or -1

  private:
    // The sentences of the system that have a word which counts for a gold sentence, or is aligned with one of its.
    void find_parts() {
        parts_.clear();
        for (std::size_t s = 0; s < system_.words.size(); ++s) {
            const Word &word = system_.words[s];
            if (home_[s] >= 0) parts_.emplace_back(home_[s], word.sentence);
            if (word.partner < 0) continue;
            parts_.emplace_back(gold_.words[static_cast<std::size_t>(word.partner)].sentence, word.sentence);
        }
        std::sort(parts_.begin(), parts_.end());
        parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
    }

    TreeRules rules_;  // all files have ten columns
    std::vector<std::pair<std::int32_t, std::int32_t>> parts_;  // gold sentences with the system's that belong to them
};

class UdLook : public UdParts {
  public:
    // Judges all words; what is given is that of `find_parts`.
    template <class Given>
    void judge(const Given &given) {
        find_parts(given);
        wrong_.assign(gold_.words.size(), 0);
        for (std::size_t s = 0; s < system_.words.size(); ++s) {
            if (system_.words[s].partner < 0) continue;
            const auto g = static_cast<std::size_t>(system_.words[s].partner);
            wrong_[g] = wrong_in(s, g);
        }
    }

    void explain(TextPieces &pieces) const {
        for (std::size_t i = 0; i < gold_.trees.size(); ++i) {
            explain_one(i, pieces.text);
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

    // A wrong word of gold, from 1: what to change, and what the system and gold say there.
    struct Edit {
        std::size_t sentence;
        std::int32_t word;
        std::string_view kind;  // head, label, both, the name of a column; segmentation: gold's head cannot be given
        std::size_t place;      // of its partner in the drawing of the system's side
        std::string system, gold;
    };

    std::vector<Edit> edits() const {
        std::vector<Edit> found;
        for (std::size_t i = 0; i < gold_.trees.size(); ++i) {
            std::vector<std::pair<std::size_t, std::size_t>> begins;  // the parts, and where their words are drawn
            std::size_t drawn = 0;
            each_part(i, [&](std::size_t sentence) {
                begins.emplace_back(sentence, drawn);
                drawn += system_.trees.size(sentence);
            });
            for (std::size_t g = gold_.trees.first_word[i]; g < gold_.trees.first_word[i + 1]; ++g) {
                if (wrong_[g] == 0) continue;
                const auto s = static_cast<std::size_t>(gold_.words[g].partner);
                const auto sentence = static_cast<std::size_t>(system_.words[s].sentence);
                const auto part = std::lower_bound(begins.begin(), begins.end(), std::pair(sentence, std::size_t{0}));
                add_edits(i, g, s, part->second + s - system_.trees.first_word[sentence], found);
            }
        }
        return found;
    }

  private:
    // What can be wrong, in the order of the names.
    enum Wrong : std::uint16_t {
        wrong_blex = 1, wrong_clas = 2, wrong_las = 4, wrong_lemmas = 8, wrong_mlas = 16, wrong_uas = 32,
        wrong_ufeats = 64, wrong_upos = 128, wrong_xpos = 256
    };
    static constexpr std::string_view names_[] = {"blex", "clas", "las", "lemmas", "mlas", "uas", "ufeats", "upos", "xpos"};
    static constexpr std::uint16_t of_arcs_ = wrong_uas | wrong_las | wrong_clas | wrong_mlas | wrong_blex;

    std::uint16_t wrong_in(std::size_t s, std::size_t g) {
        const bool is_content = gold_.words[g].relation == Relation::content;
        const Agreement same = agreement(s, g, is_content);
        unsigned wrong = 0;
        const auto note = [&](bool right, Wrong what) { if (!right) wrong |= what; };
        note(same.lemma, wrong_lemmas);
        note(same.head, wrong_uas);
        note(same.edge, wrong_las);
        note(same.feats, wrong_ufeats);
        note(same.upos, wrong_upos);
        note(same.xpos, wrong_xpos);
        if (is_content) {
            note(same.edge && same.lemma, wrong_blex);
            note(same.edge, wrong_clas);
            note(same.functions, wrong_mlas);
        }
        return static_cast<std::uint16_t>(wrong);
    }

    // The words that count for a gold sentence and have no partner in it.
    bool is_surplus(std::size_t s, std::size_t i) const { return counts_for(s, i) && !is_partner(s, i); }

    static void describe(const TreeView &tree, std::size_t w, std::string &out) {
        static constexpr std::pair<std::string_view, std::size_t> cells[] = {
            {"{\"lemma\":", lemma_cell}, {",\"upos\":", upos_cell}, {",\"xpos\":", xpos_cell}, {",\"feats\":", feats_cell}};
        for (const auto &[name, column] : cells) {
            out.append(name);
            append_json(tree.cell(w, column), out);
        }
        out.append(",\"head\":");
        append_json(tree.head_form(w), out);
        out.append(",\"deprel\":");
        append_json(tree.label(w), out);
        out.push_back('}');
    }

    void explain_one(std::size_t i, std::string &out) const {
        const TreeView gold = view(gold_, i);
        const std::size_t first = gold_.trees.first_word[i];
        out.append("{\"wrong\":[");
        for (std::size_t w = 0; w < gold.size(); ++w) {
            const std::uint16_t wrong = wrong_[first + w];
            if (wrong == 0) continue;
            append_form(w, gold.form(w), out);
            out.append(",\"wrong\":[");
            for (std::size_t k = 0; k < std::size(names_); ++k) {
                if ((wrong >> k & 1) == 0) continue;
                separate(out, '[');
                append_json(names_[k], out);
            }
            out.append("],\"gold\":");
            describe(gold, w, out);
            out.append(",\"system\":");
            const auto s = static_cast<std::size_t>(gold_.words[first + w].partner);
            const auto sentence = static_cast<std::size_t>(system_.words[s].sentence);
            describe(view(system_, sentence), s - system_.trees.first_word[sentence], out);
            out.push_back('}');
        }
        out.append("],\"missing\":[");
        for (std::size_t w = 0; w < gold.size(); ++w) {
            if (gold_.words[first + w].partner >= 0) continue;
            append_form(w, gold.form(w), out);
            out.push_back('}');
        }
        out.append("],\"surplus\":[");
        each_part(i, [&](std::size_t sentence) {
            const TreeView tree = view(system_, sentence);
            for (std::size_t w = 0; w < tree.size(); ++w) {
                if (!is_surplus(system_.trees.first_word[sentence] + w, i)) continue;
                append_form(w, tree.form(w), out);
                out.push_back('}');
            }
        });
        out.append("]}");
    }

    // What is wrong with a word that its arc does not show.
    static std::string_view failed_text(std::uint16_t wrong, std::string &scratch) {
        scratch.clear();
        const unsigned told = (wrong & wrong_las) != 0 ? wrong & ~unsigned{of_arcs_} : wrong;
        for (std::size_t k = 0; k < std::size(names_); ++k) {
            if ((told >> k & 1) != 0) scratch.append(scratch.empty() ? "" : " ").append(names_[k]);
        }
        return scratch;
    }

    struct Named {
        std::string_view name, column;
        Wrong wrong;
        std::size_t cell;
    };
    static constexpr Named columns_[] = {{"upos", "upos", wrong_upos, upos_cell},
                                         {"xpos", "xpos", wrong_xpos, xpos_cell},
                                         {"ufeats", "feats", wrong_ufeats, feats_cell},
                                         {"lemmas", "lemmas", wrong_lemmas, lemma_cell}};

    // Gold's head of a word is in the system's sentence, too.
    bool has_head(std::size_t g, std::size_t s) const {
        const std::int32_t head = gold_.trees.words[g].head;
        if (head == 0) return true;
        const std::int32_t partner = gold_.words[word_of(gold_, g, head)].partner;
        return partner >= 0 && system_.words[static_cast<std::size_t>(partner)].sentence == system_.words[s].sentence;
    }

    void add_edits(std::size_t i, std::size_t g, std::size_t s, std::size_t place, std::vector<Edit> &found) const {
        const std::uint16_t wrong = wrong_[g];
        const auto sentence = static_cast<std::size_t>(system_.words[s].sentence);
        const TreeView gold = view(gold_, i), system = view(system_, sentence);
        const std::size_t theirs = g - gold_.trees.first_word[i], ours = s - system_.trees.first_word[sentence];
        const auto add = [&](std::string_view kind, auto tell) {
            Edit &edit = found.emplace_back(Edit{i, static_cast<std::int32_t>(theirs + 1), kind, place, {}, {}});
            for (std::string *text : {&edit.system, &edit.gold}) {
                text->assign(gold.form(theirs)).append("(").append(std::to_string(theirs + 1)).append(") ");
            }
            tell(system, ours, edit.system);
            tell(gold, theirs, edit.gold);
        };
        const auto said = [](std::string_view cell) { return cell.empty() ? std::string_view("_") : cell; };
        const auto tell_head = [&](const TreeView &tree, std::size_t w, std::string_view label, std::string &out) {
            out.append("-").append(label).append("-> ").append(tree.head_form(w)).append("(");
            out.append(std::to_string(tree.head(w))).append(")");
        };
        if ((wrong & wrong_uas) != 0 && !has_head(g, s)) {
            found.push_back({i, static_cast<std::int32_t>(theirs + 1), "segmentation", place, {}, {}});
        } else if ((wrong & wrong_uas) == 0 && (wrong & wrong_las) != 0) {
            add("label", [&](const TreeView &tree, std::size_t w, std::string &out) { out.append(said(tree.label(w))); });
        } else if ((wrong & wrong_uas) != 0 && system_.label(s) == gold_.label(g)) {
            add("head", [&](const TreeView &tree, std::size_t w, std::string &out) { tell_head(tree, w, {}, out); });
        } else if ((wrong & wrong_uas) != 0) {
            add("both", [&](const TreeView &tree, std::size_t w, std::string &out) {
                tell_head(tree, w, said(tree.label(w)), out);
            });
        }
        for (const Named &each : columns_) {
            if ((wrong & each.wrong) == 0) continue;
            add(each.column, [&](const TreeView &tree, std::size_t w, std::string &out) {
                out.append(each.column).append("=").append(said(tree.cell(w, each.cell)));
            });
        }
    }

    void add_word_faults(const TreeView &gold, std::size_t g, const TreeView &system, std::size_t s, std::uint16_t wrong,
                         ShownPairs &pairs) const {
        add_edge_faults(gold, g, system, s, (wrong & wrong_las) != 0, (wrong & wrong_uas) != 0, pairs);
        for (const Named &each : columns_) {
            const std::string_view theirs = gold.cell(g, each.cell), ours = system.cell(s, each.cell);
            if ((wrong & each.wrong) == 0 || theirs == ours) continue;
            pairs.add_fault(each.name, Mark::changed, theirs, ours);
        }
    }

    void show_one(std::size_t i, std::string &scratch, ShownPairs &pairs) const {
        const TreeView gold = view(gold_, i);
        const std::size_t first = gold_.trees.first_word[i];
        const auto edge = [&](std::size_t g, Mark other) {
            const std::uint16_t wrong = wrong_[g];
            if ((wrong & wrong_las) == 0) return Mark::matched;
            return (wrong & wrong_uas) == 0 ? Mark::changed : other;
        };
        std::string &golds = pairs.golds.text, &systems = pairs.systems.text, &notes = pairs.views.text;
        golds.append("null,[[\"arcs\",[");
        for (std::size_t w = 0; w < gold.size(); ++w) {
            const bool missing = gold_.words[first + w].partner < 0;
            separate(golds, '[');
            gold.append_word(w, missing ? Mark::missing : Mark::matched,
                             missing ? "missing" : failed_text(wrong_[first + w], scratch), golds);
            if (missing) pairs.add_fault("words", Mark::missing, gold.form(w), {});
        }
        golds.append("],[");
        for (std::size_t w = 0; w < gold.size(); ++w) {
            separate(golds, '[');
            const bool missing = gold_.words[first + w].partner < 0;
            gold.append_arc(w, missing ? Mark::missing : edge(first + w, Mark::missing), 0, golds);
        }
        golds.append("]]]");
        each_part(i, [&](std::size_t sentence) {
            const TreeView tree = view(system_, sentence);
            for (std::size_t w = 0; w < tree.size(); ++w) {
                if (!is_surplus(system_.trees.first_word[sentence] + w, i)) continue;
                pairs.add_fault("words", Mark::surplus, {}, tree.form(w));
            }
        });
        notes.append("{},null,[");
        systems.append("[\"arcs\",[");
        std::string arcs = "[";
        std::size_t moved = 0;
        each_part(i, [&](std::size_t sentence) {
            const TreeView tree = view(system_, sentence);
            for (std::size_t w = 0; w < tree.size(); ++w) {
                const std::size_t s = system_.trees.first_word[sentence] + w;
                Mark kind = Mark::matched;
                std::string_view note;
                const bool surplus = is_surplus(s, i);
                if (!is_partner(s, i)) {
                    kind = surplus ? Mark::surplus : Mark::ignored;
                    note = surplus ? "surplus" : "";
                } else if (const auto g = static_cast<std::size_t>(system_.words[s].partner); wrong_[g] != 0) {
                    add_word_faults(gold, g - first, tree, w, wrong_[g], pairs);
                    kind = edge(g, Mark::surplus);
                    if (kind != Mark::matched) {
                        separate(notes, '[');
                        append_edge_note(gold, g - first, tree, w, scratch, notes);
                    }
                    note = failed_text(wrong_[g], scratch);
                }
                separate(systems, '[');
                tree.append_word(w, surplus ? kind : Mark::matched, note, systems);
                separate(arcs, '[');
                tree.append_arc(w, kind, moved, arcs);
            }
            moved += tree.size();
        });
        systems.append("],").append(arcs).append("]]");
        notes.push_back(']');
    }

    std::vector<std::uint16_t> wrong_;  // of each gold word
};

}  // namespace karat
