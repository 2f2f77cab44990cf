// What is wrong with logical forms, in words and marks, written as JSON: the kernel of karat.logic.diagnosis and
// karat.logic.content.
//
// It tells pairs of well-formed forms of one type. Those that may differ in the names of constants alone take a search,
// and are left to Python, as are ill-formed forms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/logic/meaning.hpp"
#include "karat/logic/term_texts.hpp"
#include "karat/logic/terms.hpp"
#include "karat/names.hpp"
#include "karat/shown.hpp"

namespace karat::logic {

// A term, and whether it stands in the prefix.
struct Placed {
    bool definite;
    Term term;

    friend bool operator==(const Placed &a, const Placed &b) { return a.definite == b.definite && a.term == b.term; }
};

// Missing and extra terms that differ in one respect, put together, nearest first.
class Aligned {
  public:
    using Numbers = std::pair<std::int32_t, std::int32_t>;  // of gold and of the system

    std::vector<Placed> missing, extra;
    std::vector<Numbers> constants, predicates, arguments;  // constants each once
    std::vector<Placed> definiteness;
    std::vector<std::pair<Placed, Placed>> pairs;

    // From the terms that only one side has.
    void align() {
        constants.clear(), predicates.clear(), arguments.clear(), definiteness.clear(), pairs.clear();
        join([](const Placed &a, const Placed &b) { return a.term == b.term && a.definite != b.definite; },
             [this](const Placed &gold, const Placed &) { definiteness.push_back(gold); });
        const auto note_arguments = [this](const Placed &gold, const Placed &system) {
            note(gold.term.first, system.term.first);
            note(gold.term.second, system.term.second);
        };
        join(
            [](const Placed &a, const Placed &b) {
                return same_but_constants(a, b) && a.term.second >= 0 &&
                       (a.term.first == b.term.first || a.term.second == b.term.second);
            },
            note_arguments);
        join(same_but_constants, note_arguments);
        join(
            [](const Placed &a, const Placed &b) {
                return a.definite == b.definite && a.term.first == b.term.first && a.term.second == b.term.second;
            },
            [this](const Placed &gold, const Placed &system) {
                predicates.emplace_back(gold.term.predicate, system.term.predicate);
            });
        join(same_predicate, note_arguments);
    }

  private:
    static bool same_predicate(const Placed &a, const Placed &b) {
        return a.definite == b.definite && a.term.predicate == b.term.predicate &&
               (a.term.first < 0) == (b.term.first < 0) && (a.term.second < 0) == (b.term.second < 0);
    }

    static bool same_but_constants(const Placed &a, const Placed &b) {
        const auto fits = [](std::int32_t x, std::int32_t y) { return x == y || (is_constant(x) && is_constant(y)); };
        return same_predicate(a, b) && fits(a.term.first, b.term.first) && fits(a.term.second, b.term.second);
    }

    // Each missing term takes the first extra one that fits.
    template <class Fits, class Note>
    void join(Fits fits, Note note) {
        std::size_t left = 0;
        for (std::size_t i = 0; i < missing.size(); ++i) {
            const Placed gold = missing[i];
            const auto found = std::find_if(extra.begin(), extra.end(), [&](const Placed &each) { return fits(gold, each); });
            if (found == extra.end()) {
                missing[left++] = gold;
                continue;
            }
            const Placed system = *found;
            extra.erase(found);
            pairs.emplace_back(gold, system);
            note(gold, system);
        }
        missing.resize(left);
    }

    void note(std::int32_t gold, std::int32_t system) {
        if (gold == system) return;
        const Numbers both{gold, system};
        if (!is_constant(gold) || !is_constant(system)) {
            arguments.push_back(both);
        } else if (std::find(constants.begin(), constants.end(), both) == constants.end()) {
            constants.push_back(both);
        }
    }
};

class FormLook {
  public:
    // What there is of each pair; explanations and views are empty for those that are left to Python.
    TextPieces explanations, golds, systems, views;
    ShownPairs shown;  // its faults alone
    bool good = true;   // whether all gold forms are well-formed
    bool drawn = false, marked = false;

    FormLook(Dialect dialect, bool strict, bool told, bool shows)
        : strict_(strict), told_(told), shows_(shows), reader_(dialect, names_), writer_(dialect, names_) {}

    void add(std::string_view system, std::string_view gold) {
        names_.clear();
        if (!reader_.read(gold, gold_) || (strict_ && !gold_.strict)) {
            good = false;
            return;
        }
        if (system == gold) add_equal(gold);
        else if (reader_.read(system, system_) && (!strict_ || system_.strict) && is_told()) add_differing(system, gold);
        for (TextPieces *each : {&explanations, &golds, &systems, &views}) each->end();
        shown.golds.end();  // which counts the pairs
    }

  private:
    static constexpr std::size_t most_digits = 18, most_pairs = 4'000'000;

    void add_equal(std::string_view text) {
        if (told_) explain("", text, text);
        if (!shows_) return;
        write_content(gold_, text, golds.text);
        write_content(gold_, text, systems.text);
        views.text.append("{},null,[]");
    }

    // Terms of both, and whether they can be told of here.
    bool is_told() {
        if (gold_.type == Form::Type::name || gold_.type != system_.type || gold_.binders != system_.binders) return false;
        place(gold_, theirs_);
        place(system_, ours_);
        if (ours_.size() * theirs_.size() > most_pairs) return false;  // which are looked through here
        for (const auto *side : {&theirs_, &ours_}) {
            for (const Placed &each : *side) {
                for (const std::int32_t argument : {each.term.first, each.term.second}) {
                    if (is_constant(argument) && names_[argument / 2].size() > most_digits) return false;
                }
            }
        }
        without(theirs_, ours_, found_.missing);
        without(ours_, theirs_, found_.extra);
        const bool any = !found_.missing.empty() || !found_.extra.empty();
        return !(any && have_same_predicates() && meaning_(system_, gold_) != Meaning::other);
    }

    static void place(const Form &form, std::vector<Placed> &out) {
        out.clear();
        for (const Term &term : form.definite) out.push_back({true, term});
        for (const Term &term : form.conjuncts) out.push_back({false, term});
    }

    // The terms that the others do not have, or not so often: later ones of equal terms.
    void without(const std::vector<Placed> &terms, const std::vector<Placed> &others, std::vector<Placed> &left) {
        left.clear();
        rest_ = others;
        for (const Placed &term : terms) {
            const auto found = std::find(rest_.begin(), rest_.end(), term);
            if (found == rest_.end()) {
                left.push_back(term);
            } else {
                *found = rest_.back();
                rest_.pop_back();
            }
        }
    }

    bool have_same_predicates() {
        const auto fill = [](const std::vector<Placed> &terms, std::vector<std::pair<bool, std::int32_t>> &out) {
            out.clear();
            for (const Placed &each : terms) out.emplace_back(each.definite, each.term.predicate);
            std::sort(out.begin(), out.end());
        };
        fill(found_.missing, their_labels_);
        fill(found_.extra, our_labels_);
        return their_labels_ == our_labels_;
    }

    void add_differing(std::string_view system, std::string_view gold) {
        members_.clear();
        const bool none = found_.missing.empty() && found_.extra.empty();
        write_list("missing", found_.missing);
        write_list("extra", found_.extra);
        found_.align();
        write_numbers("constants", found_.constants, false);
        write_numbers("predicates", found_.predicates, true);
        write_numbers("arguments", found_.arguments, false);
        notes_.assign("[");
        if (none) {
            note(same_words(system, gold) ? "only white space differs" : "only the order or the spelling differs");
        }
        write_messages();
        notes_.push_back(']');
        if (told_) explain(members_, system, gold);
        if (!shows_) return;
        write_content(gold_, gold, golds.text);
        write_content(system_, system, systems.text);
        marked = true;
        write_marks();
        add_faults();
    }

    void explain(std::string_view members, std::string_view system, std::string_view gold) {
        std::string &out = explanations.text;
        out.append("{\"diagnosis\":").append(members.empty() ? "[]" : notes_).append(",\"offset\":null,\"expected\":null");
        out.append(members.empty() ? ",\"missing\":[],\"extra\":[]" : members).append(",\"system\":");
        append_json(system, out);
        out.append(",\"gold\":");
        append_json(gold, out);
        out.push_back('}');
    }

    // The terms, or the text of a form that has none.
    void write_content(const Form &form, std::string_view text, std::string &out) {
        if (form.type == Form::Type::name) {
            out.append("[\"raw\",");
            append_json(text, out);
        } else {
            drawn = true;
            out.append("[\"form\",");
            writer_(form, out);
        }
        out.push_back(']');
    }

    void write_list(std::string_view name, const std::vector<Placed> &terms) {
        members_.append(",\"").append(name).append("\":[");
        for (const Placed &each : terms) {
            separate(members_, '[');
            append_json(writer_.text(each.term, each.definite), members_);
        }
        members_.push_back(']');
    }

    // Pairs of predicates, or of arguments: constants are numbers.
    void write_numbers(std::string_view name, const std::vector<Aligned::Numbers> &pairs, bool predicates) {
        members_.append(",\"").append(name).append("\":[");
        for (const auto &[gold, system] : pairs) {
            separate(members_, '[');
            char before = '[';
            for (const std::int32_t number : {gold, system}) {
                members_.push_back(before);
                before = ',';
                if (!predicates && is_constant(number)) members_.append(names_[number / 2]);
                else append_json(names_[predicates ? number : number / 2], members_);
            }
            members_.push_back(']');
        }
        members_.push_back(']');
    }

    void note(std::string_view message) {
        separate(notes_, '[');
        append_json(message, notes_);
    }

    void write_messages() {
        std::string &text = message_;
        if (!found_.constants.empty()) {
            text.assign("constants differ: ");
            for (const auto &[gold, system] : found_.constants) {
                if (text.back() != ' ') text.append(", ");
                text.append(names_[gold / 2]).append("->").append(names_[system / 2]);
            }
            note(text);
        }
        for (const auto &[gold, system] : found_.predicates) {
            note(text.assign("predicate differs: ").append(names_[gold]).append("->").append(names_[system]));
        }
        for (const auto &[gold, system] : found_.arguments) {
            text.assign("argument differs: ").append(writer_.argument(gold)).append("->");
            note(text.append(writer_.argument(system)));
        }
        for (const Placed &each : found_.definiteness) {
            text.assign(each.definite ? "definiteness lost: " : "definiteness added: ");
            note(text.append(writer_.text(each.term, false)));
        }
        for (const Placed &each : found_.missing) {
            note(text.assign("missing term ").append(writer_.text(each.term, each.definite)));
        }
        for (const Placed &each : found_.extra) {
            const bool known = std::find(theirs_.begin(), theirs_.end(), each) != theirs_.end();
            text.assign(known ? "repeated term " : "extra term ");
            note(text.append(writer_.text(each.term, each.definite)));
        }
    }

    void write_marks() {
        std::string &out = views.text;
        out.append("{\"terms\":[");
        their_free_.assign(theirs_.size(), true);
        our_free_.assign(ours_.size(), true);
        for (const auto &[gold, system] : found_.pairs) {
            const std::int64_t g = take(theirs_, gold, their_free_), s = take(ours_, system, our_free_);
            mark(Mark::changed, g, s);
        }
        their_free_.assign(theirs_.size(), true);
        our_free_.assign(ours_.size(), true);
        for (const Placed &each : found_.missing) mark(Mark::missing, take(theirs_, each, their_free_), -1);
        for (const Placed &each : found_.extra) mark(Mark::surplus, -1, take(ours_, each, our_free_));
        out.append("]},null,").append(notes_);
    }

    // Where a term stands; of equal ones, the last that is not taken: earlier ones matched.
    static std::int64_t take(const std::vector<Placed> &terms, const Placed &term, std::vector<bool> &free) {
        std::size_t place = terms.size() - 1;
        while (!free[place] || !(terms[place] == term)) --place;
        free[place] = false;
        return static_cast<std::int64_t>(place);
    }

    void mark(Mark kind, std::int64_t gold, std::int64_t system) {
        std::string &out = views.text;
        separate(out, '[');
        append_number(static_cast<std::int64_t>(kind), out);
        out.append(",0");
        for (const std::int64_t place : {gold, system}) {
            for (const std::int64_t end : {place, place < 0 ? place : place + 1}) {
                out.push_back(',');
                append_number(end, out);
            }
        }
    }

    void add_faults() {
        for (const auto &[gold, system] : found_.predicates) {
            shown.add_fault("predicates", Mark::changed, names_[gold], names_[system]);
        }
        for (const auto &[gold, system] : found_.predicates) {
            const std::string_view old = role(names_[gold]), other = role(names_[system]);
            if (!old.empty() && !other.empty() && old != other) shown.add_fault("roles", Mark::changed, old, other);
        }
        for (const auto &[gold, system] : found_.constants) {
            shown.add_fault("constants", Mark::changed, names_[gold / 2], names_[system / 2]);
        }
        for (const auto &[gold, system] : found_.arguments) {
            shown.add_fault("arguments", Mark::changed, writer_.argument(gold), writer_.argument(system));
        }
        for (const Placed &each : found_.definiteness) {
            shown.add_fault("definiteness", Mark::changed, each.definite ? "*" : "", each.definite ? "" : "*");
        }
        for (const Placed &each : found_.missing) {
            shown.add_fault("terms", Mark::missing, names_[each.term.predicate], "");
        }
        for (const Placed &each : found_.extra) {
            shown.add_fault("terms", Mark::surplus, "", names_[each.term.predicate]);
        }
    }

    // What follows the first dot of a predicate.
    static std::string_view role(std::string_view predicate) {
        const std::size_t dot = predicate.find('.');
        return dot == predicate.npos ? std::string_view() : predicate.substr(dot + 1);
    }

    static bool same_words(std::string_view a, std::string_view b) {
        Cursor ours(a), theirs(b);
        while (true) {
            ours.blanks(), theirs.blanks();
            const std::string_view word = ours.take_to_blank();
            if (word != theirs.take_to_blank()) return false;
            if (word.empty()) return true;
        }
    }

    bool strict_, told_, shows_;
    Names names_;
    FormReader reader_;
    TermWriter writer_;
    ForcedPartners meaning_;
    Form gold_, system_;
    Aligned found_;
    std::vector<Placed> theirs_, ours_, rest_;
    std::vector<std::pair<bool, std::int32_t>> their_labels_, our_labels_;
    std::vector<bool> their_free_, our_free_;
    std::string members_, notes_, message_;
};

}  // namespace karat::logic
