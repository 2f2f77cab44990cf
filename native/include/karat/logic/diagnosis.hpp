// What is wrong with logical forms, in words and marks, written as JSON.
//
// Ill-formed forms are left to Python.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
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

// The places of terms by keys of theirs, in order; places that are taken are passed over.
class PlacesByKey {
  public:
    using Key = std::array<std::int32_t, 4>;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    static Key whole(const Placed &each) {
        return {each.definite, each.term.predicate, each.term.first, each.term.second};
    }

    void clear() { entries_.clear(), passed_.clear(); }

    // Places are added in order.
    void add(const Key &key, std::size_t place) { entries_.push_back({key, place}); }

    void sort() {
        if (entries_.size() <= few) return;
        std::sort(entries_.begin(), entries_.end());
        passed_.assign(entries_.size(), 0);
    }

    // By whole terms; where places are counted from the end, the last of equal terms comes first.
    void fill(const std::vector<Placed> &terms, bool from_end = false) {
        clear();
        for (std::size_t i = 0; i < terms.size(); ++i) add(whole(terms[from_end ? terms.size() - 1 - i : i]), i);
        sort();
    }

    bool has(const Key &key) const { return first_of(key) < entries_.size(); }

    // The first place that is not taken; `none` where there is no such.
    std::size_t first(const Key &key, const std::vector<bool> &taken) {
        const std::size_t begin = first_of(key);
        if (entries_.size() <= few) {
            for (std::size_t i = begin; i < entries_.size(); ++i) {
                if (entries_[i].first == key && !taken[entries_[i].second]) return entries_[i].second;
            }
            return none;
        }
        if (begin == entries_.size()) return none;
        std::size_t &passed = passed_[begin];
        for (; begin + passed < entries_.size() && entries_[begin + passed].first == key; ++passed) {
            if (!taken[entries_[begin + passed].second]) return entries_[begin + passed].second;
        }
        return none;
    }

  private:
    static constexpr std::size_t few = 32;  // are looked through faster than they are sorted

    std::size_t first_of(const Key &key) const {
        const auto begin = entries_.begin(), end = entries_.end();
        auto found = end;
        if (entries_.size() <= few) found = std::find_if(begin, end, [&](const auto &each) { return each.first == key; });
        else if (found = std::lower_bound(begin, end, std::pair(key, std::size_t{0})); found != end && found->first != key) found = end;
        return static_cast<std::size_t>(found - begin);
    }

    std::vector<std::pair<Key, std::size_t>> entries_;
    std::vector<std::size_t> passed_;  // by the first of equal keys: how many of them are taken
};

// Missing and extra terms that differ in one respect, put together, nearest first.
class Aligned {
  public:
    using Numbers = std::pair<std::int32_t, std::int32_t>;  // of gold and of the system

    std::vector<Placed> missing, extra;
    std::vector<Numbers> constants, predicates, arguments;  // constants each once
    std::vector<Placed> definiteness;
    std::vector<std::pair<Placed, Placed>> pairs;

    // From the terms that only one side has; none of them is wholly on both sides.
    void align() {
        constants.clear(), predicates.clear(), arguments.clear(), definiteness.clear(), pairs.clear();
        known_constants_.clear();
        const auto note_arguments = [this](const Placed &gold, const Placed &system) {
            note(gold.term.first, system.term.first);
            note(gold.term.second, system.term.second);
        };
        join([](const Placed &each, Keys &keys) { keys.push_back({each.term.predicate, each.term.first, each.term.second, 0}); },
             [this](const Placed &gold, const Placed &) { definiteness.push_back(gold); });
        join(
            [](const Placed &each, Keys &keys) {  // two arguments, of which one is a constant and may be another
                const auto &[predicate, first, second] = each.term;
                if (second < 0) return;
                if (is_constant(second)) keys.push_back({each.definite, predicate, 0, first});
                if (is_constant(first)) keys.push_back({each.definite, predicate, 1, second});
            },
            note_arguments);
        join(
            [](const Placed &each, Keys &keys) {
                const auto fixed = [](std::int32_t argument) { return is_constant(argument) ? -2 : argument; };
                keys.push_back({each.definite, each.term.predicate, fixed(each.term.first), fixed(each.term.second)});
            },
            note_arguments);
        join([](const Placed &each, Keys &keys) { keys.push_back({each.definite, each.term.first, each.term.second, 0}); },
             [this](const Placed &gold, const Placed &system) {
                 predicates.emplace_back(gold.term.predicate, system.term.predicate);
             });
        join(
            [](const Placed &each, Keys &keys) {
                const std::int32_t count = (each.term.first >= 0) + (each.term.second >= 0);
                keys.push_back({each.definite, each.term.predicate, count, 0});
            },
            note_arguments);
    }

  private:
    using Keys = std::vector<PlacesByKey::Key>;

    // Each missing term takes the first extra one that has one of its keys.
    template <class KeysOf, class Note>
    void join(KeysOf keys_of, Note note) {
        if (missing.empty() || extra.empty()) return;
        waiting_.clear();
        for (std::size_t place = 0; place < extra.size(); ++place) {
            keys_.clear();
            keys_of(extra[place], keys_);
            for (const auto &key : keys_) waiting_.add(key, place);
        }
        waiting_.sort();
        taken_.assign(extra.size(), false);
        std::size_t left = 0;
        for (std::size_t i = 0; i < missing.size(); ++i) {
            const Placed gold = missing[i];
            keys_.clear();
            keys_of(gold, keys_);
            std::size_t found = PlacesByKey::none;
            for (const auto &key : keys_) found = std::min(found, waiting_.first(key, taken_));
            if (found == PlacesByKey::none) {
                missing[left++] = gold;
                continue;
            }
            taken_[found] = true;
            pairs.emplace_back(gold, extra[found]);
            note(gold, extra[found]);
        }
        missing.resize(left);
        left = 0;
        for (std::size_t i = 0; i < extra.size(); ++i) {
            if (!taken_[i]) extra[left++] = extra[i];
        }
        extra.resize(left);
    }

    void note(std::int32_t gold, std::int32_t system) {
        if (gold == system) return;
        const Numbers both{gold, system};
        if (!is_constant(gold) || !is_constant(system)) arguments.push_back(both);
        else if (known_constants_.insert(both).second) constants.push_back(both);
    }

    PlacesByKey waiting_;
    Keys keys_;
    std::vector<bool> taken_;
    std::set<Numbers> known_constants_;
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
        else if (reader_.read(system, system_) && (!strict_ || system_.strict)) add_differing(system, gold);
        for (TextPieces *each : {&explanations, &golds, &systems, &views}) each->end();
        shown.golds.end();  // which counts the pairs
    }

  private:
    void add_equal(std::string_view text) {
        if (told_) explain("", text, text);
        if (!shows_) return;
        write_content(gold_, text, golds.text);
        write_content(gold_, text, systems.text);
        views.text.append("{},null,[]");
    }

    // Compares the terms of both; whether the names of constants alone differ.
    bool is_renamed() {
        place(gold_, theirs_);
        place(system_, ours_);
        without(theirs_, ours_, found_.missing);
        without(ours_, theirs_, found_.extra);
        if ((found_.missing.empty() && found_.extra.empty()) || !have_same_predicates()) return false;
        return meaning_(system_, gold_) != Meaning::other && renaming_(system_, gold_) == Meaning::same;
    }

    static void place(const Form &form, std::vector<Placed> &out) {
        out.clear();
        for (const Term &term : form.definite) out.push_back({true, term});
        for (const Term &term : form.conjuncts) out.push_back({false, term});
    }

    // The terms that the others do not have, or not so often: later ones of equal terms.
    void without(const std::vector<Placed> &terms, const std::vector<Placed> &others, std::vector<Placed> &left) {
        left.clear();
        places_.fill(others);
        taken_.assign(others.size(), false);
        for (const Placed &term : terms) {
            const std::size_t found = places_.first(PlacesByKey::whole(term), taken_);
            if (found == PlacesByKey::none) left.push_back(term);
            else taken_[found] = true;
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
        const bool renamed = is_renamed();
        members_.clear();
        notes_.assign("[");
        note_heads();
        if (found_.missing.empty() && found_.extra.empty() && notes_.size() == 1) {
            note(same_words(system, gold) ? "only white space differs" : "only the order or the spelling differs");
        }
        if (renamed) {
            members_.append(",\"missing\":[],\"extra\":[]");
            note_renaming();
            found_.align();
        } else {
            write_list("missing", found_.missing);
            write_list("extra", found_.extra);
            found_.align();
            write_numbers("constants", found_.constants, false);
            write_numbers("predicates", found_.predicates, true);
            write_numbers("arguments", found_.arguments, false);
            write_messages();
        }
        notes_.push_back(']');
        if (told_) explain(members_, system, gold);
        if (!shows_) return;
        if (gold_.type == Form::Type::name || system_.type == Form::Type::name) {
            write_raw(gold, golds.text);
            write_raw(system, systems.text);
            views.text.append("{},null,").append(notes_);
            return;
        }
        write_content(gold_, gold, golds.text);
        write_content(system_, system, systems.text);
        marked = true;
        write_marks();
        add_faults();
    }

    // What differs besides terms.
    void note_heads() {
        static constexpr std::string_view types[] = {"name", "lambda", "iota"};
        const auto binders = [this](const Form &form) {
            for (const std::int32_t letter : form.binders) {
                if (message_.back() != ' ' && message_.back() != '>') message_.push_back(' ');
                message_.append(names_[letter / 2]);
            }
        };
        if (system_.type != gold_.type) {
            message_.assign("the form is of the type ").append(types[static_cast<int>(system_.type)]);
            message_.append(", the gold of the type ").append(types[static_cast<int>(gold_.type)]);
        } else if (system_.name != gold_.name) {
            message_.assign("the name differs: ").append(names_[gold_.name]).append("->").append(names_[system_.name]);
        } else if (system_.binders != gold_.binders) {
            message_.assign("binders differ: ");
            binders(gold_);
            message_.append("->");
            binders(system_);
        } else {
            return;
        }
        note(message_);
    }

    void note_renaming() {
        members_.append(",\"renamed\":[");
        message_.assign("constants are renamed consistently: ");
        for (const auto &[theirs, ours] : renaming_.constants) {
            if (theirs == ours) continue;
            const std::string_view gold = names_[theirs / 2], system = names_[ours / 2];
            if (message_.back() != ' ') message_.append(", ");
            message_.append(gold).append("->").append(system);
            separate(members_, '[');
            members_.append("[").append(gold).append(",").append(system).append("]");
        }
        members_.push_back(']');
        if (members_[members_.size() - 2] != '[') note(message_);
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
        if (form.type == Form::Type::name) return write_raw(text, out);
        drawn = true;
        out.append("[\"form\",");
        writer_(form, out);
        out.push_back(']');
    }

    static void write_raw(std::string_view text, std::string &out) {
        out.append("[\"raw\",");
        append_json(text, out);
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
        if (!found_.extra.empty()) places_.fill(theirs_);
        for (const Placed &each : found_.extra) {
            text.assign(places_.has(PlacesByKey::whole(each)) ? "repeated term " : "extra term ");
            note(text.append(writer_.text(each.term, each.definite)));
        }
    }

    void write_marks() {
        std::string &out = views.text;
        out.append("{\"terms\":[");
        their_places_.fill(theirs_), our_places_.fill(ours_);
        for (const auto &[gold, system] : found_.pairs) {
            mark(Mark::changed, their_places_.take(gold), our_places_.take(system));
        }
        their_places_.fill(theirs_), our_places_.fill(ours_);
        for (const Placed &each : found_.missing) mark(Mark::missing, their_places_.take(each), -1);
        for (const Placed &each : found_.extra) mark(Mark::surplus, -1, our_places_.take(each));
        out.append("]},null,").append(notes_);
    }

    // Where terms stand; of equal ones, the last that is not taken: earlier ones matched.
    class LastPlaces {
      public:
        void fill(const std::vector<Placed> &terms) {
            places_.fill(terms, true);
            taken_.assign(terms.size(), false);
        }

        std::int64_t take(const Placed &term) {
            const std::size_t found = places_.first(PlacesByKey::whole(term), taken_);
            taken_[found] = true;
            return static_cast<std::int64_t>(taken_.size() - 1 - found);
        }

      private:
        PlacesByKey places_;
        std::vector<bool> taken_;
    };

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
    FormRenaming renaming_;
    Form gold_, system_;
    Aligned found_;
    std::vector<Placed> theirs_, ours_;
    PlacesByKey places_;
    std::vector<bool> taken_;
    LastPlaces their_places_, our_places_;
    std::vector<std::pair<bool, std::int32_t>> their_labels_, our_labels_;
    std::string members_, notes_, message_;
};

}  // namespace karat::logic
