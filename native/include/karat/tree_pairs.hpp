// Pairs of trees over the same words, as the flat columns that are compared word by word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/tree_columns.hpp"

namespace karat {

// What tells punctuation.
struct PunctuationRule {
    enum class By : std::uint8_t { nothing, tag, upos, label } by = By::nothing;
    std::vector<std::string> names;  // of tags, or of one label

    bool names_it(std::string_view name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
};

class TreePairs {
  public:
    struct Sentences {
        std::string_view data;
        TreeRules rules;
        const std::int64_t *begin, *end;
    };

    struct Options {
        PunctuationRule punctuation;
        bool compare_tags;   // they must be the same, where both files have them
        bool single_root;
        bool ignore_subtypes;  // labels are compared up to the first colon
    };

    // Words are numbered through; parents have those numbers, and the one after the last is the root,
    // which is its own parent.
    std::vector<std::int64_t> offsets{0}, system_parents, gold_parents;
    std::vector<std::uint8_t> punctuation, same_label;

    TreePairs(const Sentences &system, const Sentences &gold, const Options &options)
        : system_(system), gold_(gold), options_(options) {}

    // False where something is wrong with a pair.
    bool read(std::size_t count) {
        return read(count, [](const TreeColumns &, const TreeColumns &) {});
    }

  protected:
    // The same; `each` is called with the two trees of every pair.
    template <class Each>
    bool read(std::size_t count, Each each) {
        TreeReader system_reader(system_.rules), gold_reader(gold_.rules);
        TreeColumns system, gold;
        for (std::size_t i = 0; i < count; ++i) {
            clear(system);
            clear(gold);
            if (!read_one(gold_reader, gold_, i, gold) || !read_one(system_reader, system_, i, system) ||
                system.words.size() != gold.words.size()) {
                return false;
            }
            if (!same_words(system, gold) || !add_punctuation(system, gold)) return false;
            if (options_.single_root && (roots(system) != 1 || roots(gold) != 1)) return false;
            add(system, gold);
            each(system, gold);
        }
        for (std::vector<std::int64_t> *parents : {&system_parents, &gold_parents}) {
            parents->push_back(offsets.back());
            for (std::int64_t &parent : *parents) {
                if (parent < 0) parent = offsets.back();
            }
        }
        return true;
    }

  public:
    bool has_labels() const { return system_.rules.has_labels() && gold_.rules.has_labels(); }

  protected:
    enum Cell : std::size_t { upos_cell = 3, xpos_cell = 4, label_cell = 7 };

    static void clear(TreeColumns &trees) {
        trees.words.clear();
        trees.tokens.clear();
        trees.first_word.resize(1);
        trees.first_token.resize(1);
    }

    static bool read_one(TreeReader &reader, const Sentences &side, std::size_t i, TreeColumns &trees) {
        return reader.read(side.data, static_cast<std::size_t>(side.begin[i]), static_cast<std::size_t>(side.end[i]), trees)
                   .fault == TreeFault::none;
    }

    static std::size_t roots(const TreeColumns &trees) {
        return static_cast<std::size_t>(
            std::count_if(trees.words.begin(), trees.words.end(), [](const TreeWord &word) { return word.head == 0; }));
    }

    static std::string_view up_to_colon(std::string_view label) { return label.substr(0, label.find(':')); }

    static std::string_view form(const Sentences &side, const TreeWord &word) {
        return TreeColumns::cell(side.data, word, side.rules.width == 10 ? 1 : 0);
    }

    bool same_words(const TreeColumns &system, const TreeColumns &gold) {
        const std::size_t size = gold.words.size();
        if (system_.rules.has_forms() && gold_.rules.has_forms()) {
            for (std::size_t w = 0; w < size; ++w) {
                if (form(system_, system.words[w]) != form(gold_, gold.words[w])) return false;
            }
        }
        find_tags(system_, system, system_tags_);
        find_tags(gold_, gold, gold_tags_);
        return !options_.compare_tags || system_tags_.empty() || gold_tags_.empty() || system_tags_ == gold_tags_;
    }

    // The XPOS of each word, or the UPOS where that is `_`; nothing where no word has either.
    static void find_tags(const Sentences &side, const TreeColumns &trees, std::vector<std::string_view> &tags) {
        tags.clear();
        if (side.rules.width == 1) return;
        bool any = false;
        for (const TreeWord &word : trees.words) {
            std::string_view tag = TreeColumns::cell(side.data, word, side.rules.width == 10 ? std::size_t{xpos_cell} : 1);
            if (side.rules.width == 10 && tag == "_") tag = TreeColumns::cell(side.data, word, upos_cell);
            any = any || tag != "_";
            tags.push_back(tag);
        }
        if (!any) tags.clear();
    }

    // Gold decides where its file can; false where neither file has the column in question.
    bool add_punctuation(const TreeColumns &system, const TreeColumns &gold) {
        using By = PunctuationRule::By;
        const PunctuationRule &rule = options_.punctuation;
        const std::size_t size = gold.words.size();
        if (rule.by == By::nothing) {
            punctuation.insert(punctuation.end(), size, 0);
            return true;
        }
        if (rule.by == By::tag) {
            const std::vector<std::string_view> &tags = gold_tags_.empty() && !gold_.rules.tagged ? system_tags_ : gold_tags_;
            if (tags.empty()) punctuation.insert(punctuation.end(), size, 0);
            for (const std::string_view tag : tags) punctuation.push_back(rule.names_it(tag));
            return true;
        }
        const bool of_gold = gold_.rules.width == 10;
        const Sentences &side = of_gold ? gold_ : system_;
        if (side.rules.width != 10) return false;
        for (const TreeWord &word : (of_gold ? gold : system).words) {
            if (rule.by == By::upos) {
                punctuation.push_back(TreeColumns::cell(side.data, word, upos_cell) == "PUNCT");
            } else {
                punctuation.push_back(rule.names_it(up_to_colon(TreeColumns::cell(side.data, word, label_cell))));
            }
        }
        return true;
    }

    void add(const TreeColumns &system, const TreeColumns &gold) {
        const std::int64_t first = offsets.back();
        for (std::size_t w = 0; w < gold.words.size(); ++w) {
            const std::int32_t ours = system.words[w].head, theirs = gold.words[w].head;
            system_parents.push_back(ours == 0 ? -1 : first + ours - 1);
            gold_parents.push_back(theirs == 0 ? -1 : first + theirs - 1);
            if (!has_labels()) continue;
            std::string_view our_label = TreeColumns::cell(system_.data, system.words[w], label_cell);
            std::string_view their_label = TreeColumns::cell(gold_.data, gold.words[w], label_cell);
            if (options_.ignore_subtypes) our_label = up_to_colon(our_label), their_label = up_to_colon(their_label);
            same_label.push_back(our_label == their_label);
        }
        if (!has_labels()) same_label.insert(same_label.end(), gold.words.size(), 0);
        offsets.push_back(first + static_cast<std::int64_t>(gold.words.size()));
    }

    Sentences system_, gold_;
    Options options_;
    std::vector<std::string_view> system_tags_, gold_tags_;
};

}  // namespace karat
