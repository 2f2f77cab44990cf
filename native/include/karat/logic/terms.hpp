// Logical forms of COGS, SLOG and ReCOGS: a parser that gives terms as numbers.
//
// The grammar needs no choice that has to be taken back: the next character always tells what
// follows. So one pass decides whether a text is well-formed, and it never recurses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/names.hpp"

namespace karat::logic {

enum class Dialect { cogs, slog, recogs, reduced, varfree };

constexpr std::size_t most_binders = 3;
constexpr std::size_t most_digits = 640;

// The predicate, and the arguments, as numbers; an argument that is not there is -1. Constants
// have odd numbers, names, letters and question marks even ones.
struct Term {
    std::int32_t predicate = -1, first = -1, second = -1;

    friend bool operator==(const Term &a, const Term &b) {
        return a.predicate == b.predicate && a.first == b.first && a.second == b.second;
    }
    friend bool operator<(const Term &a, const Term &b) {
        if (a.predicate != b.predicate) return a.predicate < b.predicate;
        if (a.first != b.first) return a.first < b.first;
        return a.second < b.second;
    }
};

inline bool is_constant(std::int32_t argument) { return argument >= 0 && argument % 2 == 1; }

struct Form {
    enum class Type { name, lambda, iota };

    Type type = Type::iota;
    std::int32_t name = -1;
    std::vector<std::int32_t> binders;
    std::vector<Term> definite, conjuncts;
    bool strict = true;  // whether the strict rules are kept

    void clear() {
        type = Type::iota, name = -1, strict = true;
        binders.clear(), definite.clear(), conjuncts.clear();
    }
};

// A place in a text, and the terminals of the grammar.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    bool done() const { return at_ == end_; }

    const char *at() const { return at_; }

    // How many blanks are passed over.
    std::size_t blanks() {
        const char *const begin = at_;
        while (at_ < end_ && is_blank(*at_)) ++at_;
        return static_cast<std::size_t>(at_ - begin);
    }

    bool take(char wanted) {
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }

    bool take(std::string_view wanted) {
        if (static_cast<std::size_t>(end_ - at_) < wanted.size()) return false;
        if (std::string_view(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }

    // A letter that may be bound: a, b or e.
    bool take_letter(std::string_view &found) {
        if (at_ == end_ || (*at_ != 'a' && *at_ != 'b' && *at_ != 'e')) return false;
        found = {at_++, 1};
        return true;
    }

    // Two small letters or more; of any case, but for AND and LAMBDA, where the dialect has that.
    bool take_word(bool any_case, std::string_view &found) {
        const char *last = at_;
        while (last < end_ && (is_lower(*last) || (any_case && is_upper(*last)))) ++last;
        const std::string_view run(at_, static_cast<std::size_t>(last - at_));
        return !(any_case && (run == "AND" || run == "LAMBDA")) && take_run(last, found);
    }

    // A capital and small letters.
    bool take_name(std::string_view &found) {
        if (at_ == end_ || !is_upper(*at_)) return false;
        const char *last = at_ + 1;
        while (last < end_ && is_lower(*last)) ++last;
        return take_run(last, found);
    }

    bool take_digits(std::string_view &found) {
        const char *last = at_;
        while (last < end_ && *last >= '0' && *last <= '9') ++last;
        if (last == at_) return false;
        found = {at_, static_cast<std::size_t>(last - at_)};
        at_ = last;
        return true;
    }

    // All up to the next blank.
    std::string_view take_to_blank() {
        const char *const begin = at_;
        while (at_ < end_ && !is_blank(*at_)) ++at_;
        return {begin, static_cast<std::size_t>(at_ - begin)};
    }

    // Letters of any case, one or more.
    bool take_letters(std::string_view &found) {
        const char *last = at_;
        while (last < end_ && (is_lower(*last) || is_upper(*last))) ++last;
        if (last == at_) return false;
        found = {at_, static_cast<std::size_t>(last - at_)};
        at_ = last;
        return true;
    }

    static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
    static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

  private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

    bool take_run(const char *last, std::string_view &found) {
        if (last - at_ < 2) return false;
        found = {at_, static_cast<std::size_t>(last - at_)};
        at_ = last;
        return true;
    }

    const char *at_, *end_;
};

// Where a text is ill-formed, and what is expected there.
struct Flaw {
    const char *at = nullptr;
    std::string expected;

    bool operator()(Cursor cursor, std::string what) {
        cursor.blanks();
        at = cursor.at();
        expected = std::move(what);
        return false;
    }
};

// Where the terms of a form begin: those of the prefix, and the conjuncts.
struct Starts {
    std::vector<const char *> definite, conjuncts;
};

class FormReader {
  public:
    Flaw flaw;                 // of the last text that was ill-formed
    Starts *starts = nullptr;  // where it is asked for

    FormReader(Dialect dialect, Names &names)
        : dialect_(dialect), names_(names), mixed_(dialect == Dialect::recogs),
          bracketed_(dialect != Dialect::reduced), any_case_(dialect == Dialect::slog) {}

    // Whether a text is well-formed; then `form` is what it says.
    bool read(std::string_view text, Form &form) {
        form.clear();
        too_long_ = nullptr;
        Cursor cursor(text);
        if (read_name(cursor, form)) return true;
        cursor = Cursor(text);
        read_binders(cursor, form);
        form.type = form.binders.empty() ? Form::Type::iota : Form::Type::lambda;
        const Cursor begin = cursor;
        const bool good = form.type == Form::Type::lambda ? read_conjunction(cursor, form)
                          : mixed_                        ? read_in_any_order(cursor, form)
                                                          : read_prefix_first(cursor, form);
        if (!good) {
            if (form.conjuncts.empty() && form.definite.empty()) check_opening(begin, form);
            return false;
        }
        if (too_long_) {
            flaw.at = too_long_;
            flaw.expected = "a number of at most " + std::to_string(most_digits) + " digits";
            return false;
        }
        check_binders(form);
        check_prefix(form);
        return true;
    }

  private:
    enum class Link { none, next, end };

    bool read_name(Cursor &cursor, Form &form) {
        std::string_view name;
        cursor.blanks();
        if (!cursor.take_name(name)) return false;
        cursor.blanks();
        if (!cursor.done()) return false;
        form.type = Form::Type::name;
        form.name = names_(name);
        return true;
    }

    void read_binders(Cursor &cursor, Form &form) {
        while (form.binders.size() < most_binders) {
            Cursor ahead = cursor;
            std::string_view letter;
            ahead.blanks();
            if (!ahead.take("LAMBDA")) return;
            ahead.blanks();
            if (!ahead.take_letter(letter)) return;
            ahead.blanks();
            if (!ahead.take('.')) return;
            form.binders.push_back(2 * names_(letter));
            cursor = ahead;
        }
    }

    // What is wrong with a text of which not even a first term could be read.
    void check_opening(Cursor cursor, const Form &form) {
        std::string_view found;
        cursor.blanks();
        const bool bound = !form.binders.empty(), is_word = Cursor(cursor).take_word(any_case_, found);
        if (bound ? form.binders.size() < most_binders : !is_word) {
            if (cursor.take("LAMBDA")) {
                cursor.blanks();
                if (cursor.take_letter(found)) flaw(cursor, "\".\"");
                else flaw(cursor, "a letter (a, b, e) after LAMBDA");
                return;
            }
        }
        if (bound) return;
        if (cursor.done()) flaw(cursor, "a logical form");
        else if (!mixed_ && !is_word && cursor.take_name(found)) flaw(cursor, "the end after a name");
    }

    bool read_conjunction(Cursor &cursor, Form &form) {
        while (true) {
            Term term;
            switch (read_term(cursor, form, term)) {
                case Link::none: return false;
                case Link::next: break;
                case Link::end: return true;
            }
        }
    }

    bool read_prefix_first(Cursor &cursor, Form &form) {
        while (true) {
            cursor.blanks();
            if (!Cursor(cursor).take('*')) return read_conjunction(cursor, form);
            if (read_definite(cursor, form) != Link::next) return false;
        }
    }

    bool read_in_any_order(Cursor &cursor, Form &form) {
        while (true) {
            Term term;
            cursor.blanks();
            const bool starred = Cursor(cursor).take('*');
            const Link link = starred ? read_definite(cursor, form) : read_term(cursor, form, term);
            if (link != Link::next) return link == Link::end;
        }
    }

    Link read_definite(Cursor &cursor, Form &form) {
        std::string_view word;
        std::int32_t argument;
        cursor.take('*');
        cursor.blanks();
        if (starts) starts->definite.push_back(cursor.at());
        if (!cursor.take_word(any_case_, word)) return none(cursor, "a word after \"*\"");
        if (bracketed_) {
            cursor.blanks();
            if (!cursor.take('(')) return none(cursor, "\"(\"");
            cursor.blanks();
            if (!read_argument(cursor, false, argument)) return no_argument(cursor, false);
            cursor.blanks();
            if (!cursor.take(')')) return none(cursor, "\")\"");
        } else if (!cursor.blanks() || !read_argument(cursor, false, argument)) {
            return no_argument(cursor, false);
        }
        cursor.blanks();
        Link link = Link::next;
        if (mixed_) link = read_link(cursor, true);
        else if (!cursor.take(';')) link = none(cursor, "\";\"");
        if (link != Link::none) form.definite.push_back({names_(word), argument, -1});
        return link;
    }

    Link read_term(Cursor &cursor, Form &form, Term &term) {
        const bool lambda = form.type == Form::Type::lambda;
        std::size_t parts = 1;
        std::string_view words[3];
        cursor.blanks();
        if (starts) starts->conjuncts.push_back(cursor.at());
        const bool is_name = mixed_ && !lambda && cursor.take_name(words[0]);
        if (!is_name) {
            if (!cursor.take_word(any_case_, words[0])) return none(cursor, "a predicate");
            while (parts < 3) {
                Cursor ahead = cursor;
                ahead.blanks();
                if (!ahead.take('.')) break;
                ahead.blanks();
                if (!ahead.take_word(any_case_, words[parts])) return none(ahead, "a word");
                cursor = ahead;
                ++parts;
            }
        }
        const bool may_go_on = !is_name && parts < 3;
        if (!(bracketed_ ? read_in_brackets(cursor, term, may_go_on) : read_apart(cursor, term, may_go_on))) {
            return Link::none;
        }
        cursor.blanks();
        const Link link = read_link(cursor, mixed_ && !lambda);
        if (link == Link::none) return link;
        term.predicate = number_of(words, parts);
        form.conjuncts.push_back(term);
        form.strict = form.strict && has_strict_shape(form, words, parts, term) && has_strict_arguments(form, term);
        return link;
    }

    bool read_in_brackets(Cursor &cursor, Term &term, bool may_go_on) {
        cursor.blanks();
        if (!cursor.take('(')) return flaw(cursor, may_go_on ? "\".\" or \"(\"" : "\"(\"");
        cursor.blanks();
        if (!read_argument(cursor, true, term.first)) return no_argument(cursor, true), false;
        cursor.blanks();
        const bool second = cursor.take(',');
        if (second) {
            cursor.blanks();
            if (!read_argument(cursor, true, term.second)) return no_argument(cursor, true), false;
            cursor.blanks();
        }
        return cursor.take(')') || flaw(cursor, second ? "\")\"" : "\",\" or \")\"");
    }

    bool read_apart(Cursor &cursor, Term &term, bool may_go_on) {
        if (!cursor.blanks() || !read_argument(cursor, true, term.first)) {
            return flaw(cursor, (may_go_on ? "\".\" or " : "") + arguments_in_words(true));
        }
        Cursor ahead = cursor;
        if (ahead.blanks() && read_argument(ahead, true, term.second)) cursor = ahead;
        return true;
    }

    Link read_link(Cursor &cursor, bool semicolon) {
        if (cursor.done()) return Link::end;
        if (cursor.take("AND") || (semicolon && cursor.take(';'))) return Link::next;
        return none(cursor, semicolon ? "\"AND\", \";\" or the end" : "\"AND\" or the end");
    }

    Link none(const Cursor &cursor, const char *expected) {
        flaw(cursor, expected);
        return Link::none;
    }

    // An argument that begins as a constant is followed as far as it goes.
    Link no_argument(Cursor cursor, bool literals) {
        cursor.blanks();
        if (bracketed_ && !mixed_ && cursor.take('x')) {
            cursor.blanks();
            return none(cursor, cursor.take('_') ? "a number" : "\"_\"");
        }
        flaw(cursor, arguments_in_words(literals));
        return Link::none;
    }

    std::string arguments_in_words(bool literals) const {
        std::string constant = mixed_ || !bracketed_ ? "a number" : "'x _ number'";
        if (!literals) return constant + " or a letter (a, b, e)";
        if (mixed_) return constant + ", or a letter (a, b, e)";
        return constant + ", a letter (a, b, e)" + (any_case_ ? ", a name or '?'" : " or a name");
    }

    // An argument; only a constant or a letter unless literals may stand here.
    bool read_argument(Cursor &cursor, bool literals, std::int32_t &argument) {
        std::string_view found;
        const bool plain_numbers = dialect_ == Dialect::recogs || dialect_ == Dialect::reduced;
        if (plain_numbers ? cursor.take_digits(found) : read_constant(cursor, found)) {
            const std::size_t zeros = std::min(found.find_first_not_of('0'), found.size() - 1);
            found.remove_prefix(zeros);
            if (found.size() > most_digits && !too_long_) too_long_ = found.data() - zeros;
            argument = 2 * names_(found) + 1;
            return true;
        }
        const bool names = literals && dialect_ != Dialect::recogs;
        if (cursor.take_letter(found) || (names && cursor.take_name(found))) {
            argument = 2 * names_(found);
            return true;
        }
        if (literals && dialect_ == Dialect::slog && cursor.take('?')) {
            argument = 2 * names_("?");
            return true;
        }
        return false;
    }

    bool read_constant(Cursor &cursor, std::string_view &found) {
        Cursor ahead = cursor;
        if (!ahead.take('x')) return false;
        ahead.blanks();
        if (!ahead.take('_')) return false;
        ahead.blanks();
        if (!ahead.take_digits(found)) return false;
        cursor = ahead;
        return true;
    }

    // The number of a predicate, whose parts are joined by dots.
    std::int32_t number_of(const std::string_view *words, std::size_t parts) {
        if (parts == 1) return names_(words[0]);
        joined_.assign(words[0]);
        for (std::size_t i = 1; i < parts; ++i) joined_.append(".").append(words[i]);
        return names_(joined_);
    }

    bool has_strict_shape(const Form &form, const std::string_view *words, std::size_t parts, const Term &term) const {
        const int count = term.second < 0 ? 1 : 2;
        if (dialect_ == Dialect::recogs && form.type == Form::Type::iota) {
            if (parts > 1) return parts == 2 && words[0] == "nmod" && count == 2;
            return !Cursor::is_upper(words[0][0]) || count == 1;
        }
        if (parts == 3 && words[1] != "nmod") return false;
        return count == (parts == 1 ? 1 : 2);
    }

    bool has_strict_arguments(const Form &form, const Term &term) {
        for (const std::int32_t argument : {term.first, term.second}) {
            if (argument < 0) break;
            if (form.type == Form::Type::lambda) {
                if (std::find(form.binders.begin(), form.binders.end(), argument) == form.binders.end()) return false;
            } else if (!is_constant(argument) && is_letter(argument)) {
                return false;
            }
        }
        return form.type == Form::Type::lambda || is_constant(term.first);
    }

    bool is_letter(std::int32_t argument) const {
        const std::string_view name = names_[argument / 2];
        return name == "a" || name == "b" || name == "e";
    }

    // Binders are distinct, and each is used.
    void check_binders(Form &form) const {
        for (std::size_t i = 0; i < form.binders.size() && form.strict; ++i) {
            const std::int32_t letter = form.binders[i];
            if (std::count(form.binders.begin(), form.binders.end(), letter) > 1) form.strict = false;
            form.strict = form.strict && std::any_of(form.conjuncts.begin(), form.conjuncts.end(), [&](const Term &t) {
                return t.first == letter || t.second == letter;
            });
        }
    }

    // Prefix terms have constants, and each another one.
    void check_prefix(Form &form) {
        if (!form.strict || form.definite.empty()) return;
        seen_.clear();
        for (const Term &term : form.definite) {
            if (!is_constant(term.first)) form.strict = false;
            seen_.push_back(term.first);
        }
        std::sort(seen_.begin(), seen_.end());
        if (std::adjacent_find(seen_.begin(), seen_.end()) != seen_.end()) form.strict = false;
    }

    Dialect dialect_;
    Names &names_;
    bool mixed_, bracketed_, any_case_;
    const char *too_long_ = nullptr;  // the first such number
    std::string joined_;
    std::vector<std::int32_t> seen_;
};

}  // namespace karat::logic
