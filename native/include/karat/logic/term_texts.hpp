// The terms of logical forms as they are written, for people.
#pragma once

#include <string>
#include <string_view>

#include "karat/json_text.hpp"
#include "karat/logic/terms.hpp"
#include "karat/names.hpp"

namespace karat::logic {

// Appends the terms of forms as lists in JSON: those of the prefix, then the conjuncts.
class TermWriter {
  public:
    TermWriter(Dialect dialect, const Names &names) : dialect_(dialect), names_(names) {}

    void operator()(const Form &form, std::string &out) {
        out.push_back('[');
        for (const auto *terms : {&form.definite, &form.conjuncts}) {
            for (const Term &term : *terms) {
                if (out.back() != '[') out.push_back(',');
                append_json(text(term, terms == &form.definite), out);
            }
        }
        out.push_back(']');
    }

    // One term; it is there until the next one is written.
    const std::string &text(const Term &term, bool definite) {
        text_.assign(definite ? "* " : "");
        write(term);
        return text_;
    }

    // One argument.
    std::string argument(std::int32_t number) const {
        const bool marked = dialect_ == Dialect::cogs || dialect_ == Dialect::slog;
        return std::string(marked && is_constant(number) ? "x _ " : "").append(names_[number / 2]);
    }

  private:
    void write(const Term &term) {
        for (const char c : names_[term.predicate]) {
            if (c == '.') text_.append(" . ");
            else text_.push_back(c);
        }
        const bool bare = dialect_ == Dialect::reduced;
        if (term.first < 0) return;
        text_.append(bare ? " " : " ( ");
        text_.append(argument(term.first));
        if (term.second >= 0) {
            text_.append(bare ? " " : " , ");
            text_.append(argument(term.second));
        }
        if (!bare) text_.append(" )");
    }

    Dialect dialect_;
    const Names &names_;
    std::string text_;
};

}  // namespace karat::logic
