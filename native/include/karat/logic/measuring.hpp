// All counts of a pair of logical forms, from their texts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "karat/common_grams.hpp"
#include "karat/edit_distance.hpp"
#include "karat/logic/meaning.hpp"
#include "karat/logic/terms.hpp"
#include "karat/logic/trees.hpp"
#include "karat/text_words.hpp"

namespace karat::logic {

// Groups of columns.
enum class Group { exact, well_formed, order, order_set, semantic, edits, bleu, parts };

struct Options {
    Dialect dialect = Dialect::cogs;
    bool strict = false;  // whether a form must keep the strict rules to count as well-formed
    bool sets = false;    // whether repeated items count once
    bool legacy = false;
    std::vector<Group> groups;
};

// What is to be known of a pair besides its row.
enum Status : std::uint8_t { ill_formed_gold = 1, ill_formed_system = 2 };

constexpr std::size_t orders = 4;

inline std::size_t columns_of(Group group, const Options &options) {
    const bool trees = options.dialect == Dialect::varfree;
    switch (group) {
        case Group::exact: return 2;
        case Group::well_formed: return trees ? 1 : 2;
        case Group::order:
        case Group::order_set: return 1;
        case Group::semantic:
        case Group::edits: return 2;
        case Group::bleu: return 2 + 2 * orders;
        case Group::parts: return 6 * (trees ? 1 : 9);
    }
    return 0;
}

// Items of one kind, sorted: those of the prefix, of the conjunction, and of both.
template <class Item>
struct Scopes {
    std::array<std::vector<Item>, 3> items;  // all, prefix, conjunction

    void clear() {
        for (auto &each : items) each.clear();
    }

    void finish() {
        std::sort(items[1].begin(), items[1].end());
        std::sort(items[2].begin(), items[2].end());
        items[0].clear();
        std::merge(items[1].begin(), items[1].end(), items[2].begin(), items[2].end(), std::back_inserter(items[0]));
    }

    void make_sets() {
        for (auto &each : items) each.erase(std::unique(each.begin(), each.end()), each.end());
    }
};

// A form, and its items where parts are counted.
struct FormSide {
    using Value = Form;

    Form value;
    Scopes<std::int32_t> arguments, predicates;
    Scopes<Term> terms;

    bool strict() const { return value.strict; }

    void clear_items() { arguments.clear(), predicates.clear(), terms.clear(); }

    void collect() {
        clear_items();
        take(value.definite, 1);
        take(value.conjuncts, 2);
        // A bare name is one term without predicate or argument.
        if (value.type == Form::Type::name) terms.items[2].push_back({value.name, -1, -1});
        arguments.finish(), predicates.finish(), terms.finish();
    }

    void make_sets() { arguments.make_sets(), predicates.make_sets(), terms.make_sets(); }

  private:
    void take(const std::vector<Term> &from, std::size_t scope) {
        for (const Term &term : from) {
            arguments.items[scope].push_back(term.first);
            if (term.second >= 0) arguments.items[scope].push_back(term.second);
            predicates.items[scope].push_back(term.predicate);
            terms.items[scope].push_back(term);
        }
    }
};

// A tree, and its edges: label of the parent, role, label.
struct TreeSide {
    using Value = Tree;

    Tree value;
    std::vector<Term> triples;

    bool strict() const { return true; }

    void clear_items() { triples.clear(); }

    void collect() {
        triples.clear();
        for (std::size_t i = 0; i < value.labels.size(); ++i) {
            const std::int32_t parent = value.parents[i];
            if (parent < 0) continue;
            triples.push_back({value.labels[static_cast<std::size_t>(parent)], value.roles[i], value.labels[i]});
        }
        std::sort(triples.begin(), triples.end());
    }

    void make_sets() { triples.erase(std::unique(triples.begin(), triples.end()), triples.end()); }
};

template <class Item>
std::size_t overlap(const std::vector<Item> &a, const std::vector<Item> &b) {
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] < b[j]) {
            ++i;
        } else if (b[j] < a[i]) {
            ++j;
        } else {
            ++i, ++j, ++common;
        }
    }
    return common;
}

// The tokens of the two texts of a pair as small numbers, and what is counted of them.
class TokenCounts {
  public:
    void read(std::string_view system, std::string_view gold, Names &names) {
        same_ = system == gold;
        tokens_.clear();
        local_ = 0;
        ++round_;
        if (!same_) take(system, names);
        offsets_[1] = static_cast<std::int64_t>(tokens_.size());
        take(gold, names);
        offsets_[2] = static_cast<std::int64_t>(tokens_.size());
    }

    std::size_t gold_size() const { return tokens_.size() - static_cast<std::size_t>(offsets_[1]); }
    std::size_t system_size() const { return same_ ? tokens_.size() : static_cast<std::size_t>(offsets_[1]); }

    bool equal() const {
        return same_ || (system_size() == gold_size() &&
                         std::equal(tokens_.begin(), tokens_.begin() + offsets_[1], tokens_.begin() + offsets_[1]));
    }

    double edits() {
        if (same_) return 0;
        distance_.widen(static_cast<std::size_t>(local_));
        return static_cast<double>(distance_({tokens_.data(), system_size()}, {gold_begin(), gold_size()}));
    }

    // Writes sizes, common n-grams and n-grams of the system.
    void bleu(double *row) {
        row[0] = static_cast<double>(system_size());
        row[1] = static_cast<double>(gold_size());
        std::int64_t common[orders] = {};
        if (!same_) {
            const Sequence gold(gold_begin(), gold_size());
            grams_(Sequence(tokens_.data(), system_size()), &gold, 1, orders, common, 1);
        }
        for (std::size_t n = 0; n < orders; ++n) {
            const double total = system_size() > n ? static_cast<double>(system_size() - n) : 0.0;
            row[2 + n] = same_ ? total : static_cast<double>(common[n]);
            row[2 + orders + n] = total;
        }
    }

  private:
    const std::int32_t *gold_begin() const { return tokens_.data() + offsets_[1]; }

    void take(std::string_view text, Names &names) {
        split_at_spaces(text, [&](std::string_view token) {
            const auto number = static_cast<std::size_t>(names(token));
            if (number >= seen_.size()) seen_.resize(2 * number + 64, {0, 0});
            if (seen_[number].round != round_) seen_[number] = {round_, local_++};
            tokens_.push_back(seen_[number].number);
        });
    }

    struct Seen {
        std::uint64_t round;
        std::int32_t number;
    };

    bool same_ = false;
    std::vector<std::int32_t> tokens_;
    std::int64_t offsets_[3] = {0, 0, 0};
    std::int32_t local_ = 0;
    std::uint64_t round_ = 0;
    std::vector<Seen> seen_;
    CommonGrams grams_;
    EditDistance distance_{0};
};

// Measures pairs, one after the other; one object per thread.
template <class Side, class Reader>
class Measure {
  public:
    explicit Measure(const Options &options) : options_(options), reader_(make_reader()) {
        for (const Group group : options.groups) {
            const bool is_order = group == Group::order || group == Group::order_set || group == Group::semantic;
            takes_tokens_ |= group == Group::edits || group == Group::bleu || group == Group::exact;
            takes_items_ |= group == Group::parts || is_order;
        }
    }

    // Writes the row of a pair, which has ones for nothing and zeros at first.
    std::uint8_t operator()(std::string_view system_text, std::string_view gold_text, double *row) {
        if (names_.size() > most_names) names_ = Names();
        if (!parse(gold_text, gold_)) return ill_formed_gold;
        same_ = system_text == gold_text;
        formed_ = same_ || parse(system_text, system_);
        if (takes_tokens_) tokens_.read(system_text, gold_text, names_);
        if (takes_items_) {
            gold_.collect();
            if (formed_ && !same_) system_.collect();
            if (!formed_) system_.clear_items();
        }
        for (const Group group : options_.groups) {
            write(group, row);
            row += columns_of(group, options_);
        }
        return formed_ ? 0 : ill_formed_system;
    }

  private:
    static constexpr std::size_t most_names = 1 << 14;
    static constexpr bool trees = std::is_same_v<Side, TreeSide>;

    Reader make_reader() {
        if constexpr (trees) return Reader(names_);
        else return Reader(options_.dialect, names_);
    }

    bool parse(std::string_view text, Side &side) {
        return reader_.read(text, side.value) && (!options_.strict || side.strict());
    }

    const Side &system() const { return same_ ? gold_ : system_; }

    void write(Group group, double *row) {
        switch (group) {
            case Group::exact:
                row[0] = same_;
                row[1] = tokens_.equal();
                break;
            case Group::well_formed:
                row[0] = formed_;
                if (!trees) row[1] = formed_ && system().strict();
                break;
            case Group::order: row[0] = formed_ && (same_ || same_items(false)); break;
            case Group::order_set: row[0] = formed_ && (same_ || same_items(true)); break;
            case Group::semantic: same_meaning(row); break;
            case Group::edits:
                row[0] = tokens_.edits();
                row[1] = static_cast<double>(tokens_.gold_size());
                break;
            case Group::bleu: tokens_.bleu(row); break;
            case Group::parts: parts(row); break;
        }
    }

    bool same_items(bool sets) {
        if constexpr (trees) {
            const Tree &a = system_.value, &b = gold_.value;
            return a.is_form && b.is_form ? same_terms(a.form, b.form, sets) : same_trees_.same(a, b);
        } else {
            return same_terms(system_.value, gold_.value, sets);
        }
    }

    bool same_terms(const Form &a, const Form &b, bool sets) {
        return a.type == b.type && a.name == b.name && same(a.definite, b.definite, sets, left_, right_) &&
               same(a.conjuncts, b.conjuncts, sets, left_, right_) &&
               same(a.binders, b.binders, sets, left_letters_, right_letters_);
    }

    template <class Item>
    static bool same(const std::vector<Item> &a, const std::vector<Item> &b, bool sets, std::vector<Item> &left,
                     std::vector<Item> &right) {
        if (!sets && a.size() != b.size()) return false;
        sorted(a, sets, left), sorted(b, sets, right);
        return left == right;
    }

    template <class Item>
    static void sorted(const std::vector<Item> &items, bool sets, std::vector<Item> &result) {
        result = items;
        std::sort(result.begin(), result.end());
        if (sets) result.erase(std::unique(result.begin(), result.end()), result.end());
    }

    // Whether the meaning is the same, and whether that takes too long to decide.
    void same_meaning(double *row) {
        if constexpr (!trees) {
            if (!formed_) return;
            const Form &ours = system_.value, &theirs = gold_.value;
            if (same_ || (theirs.type != Form::Type::lambda && same_items(false))) {
                row[0] = 1;
                return;
            }
            Meaning found = partners_(ours, theirs);
            if (found == Meaning::open) found = renaming_(ours, theirs);
            row[0] = found == Meaning::same;
            row[1] = found == Meaning::open;
        }
    }

    void parts(double *row) {
        if (options_.sets) {
            gold_.make_sets();
            if (formed_ && !same_) system_.make_sets();
        }
        const Side &ours = system();
        if constexpr (trees) {
            scores(ours.triples, gold_.triples, row);
        } else {
            for (std::size_t scope = 0; scope < 3; ++scope) {
                scores(ours.arguments.items[scope], gold_.arguments.items[scope], row + 6 * scope);
                scores(ours.predicates.items[scope], gold_.predicates.items[scope], row + 6 * (3 + scope));
                scores(ours.terms.items[scope], gold_.terms.items[scope], row + 6 * (6 + scope));
            }
        }
    }

    // Counts of common items, of the system's and of gold's; precision, recall and F1 of the pair.
    template <class Item>
    void scores(const std::vector<Item> &ours, const std::vector<Item> &theirs, double *row) const {
        const auto common = static_cast<double>(&ours == &theirs ? ours.size() : overlap(ours, theirs));
        const auto system = static_cast<double>(ours.size()), gold = static_cast<double>(theirs.size());
        const bool nothing = ours.empty() && theirs.empty() && formed_ && !options_.legacy;
        const double precision = nothing ? 1 : system > 0 ? common / system : 0;
        const double recall = nothing ? 1 : gold > 0 ? common / gold : 0;
        const double sum = precision + recall;
        row[0] = common;
        row[1] = system;
        row[2] = options_.legacy && !formed_ ? 0 : gold;
        row[3] = precision;
        row[4] = recall;
        row[5] = nothing ? 1 : sum > 0 ? 2 * precision * recall / sum : 0;
    }

    const Options &options_;
    Names names_;
    Reader reader_;
    Side system_, gold_;
    TokenCounts tokens_;
    ForcedPartners partners_;
    FormRenaming renaming_;
    TreeNumbers same_trees_;
    std::vector<Term> left_, right_;
    std::vector<std::int32_t> left_letters_, right_letters_;
    bool same_ = false, formed_ = false, takes_tokens_ = false, takes_items_ = false;
};

}  // namespace karat::logic
