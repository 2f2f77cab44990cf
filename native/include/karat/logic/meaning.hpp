// Whether two forms are the same up to a renaming of constants, as far as no choice is needed; see renaming.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "karat/logic/renaming.hpp"
#include "karat/logic/terms.hpp"

namespace karat::logic {

// A term whose shape occurs once on each side can only go to the other; its constants then
// stand for themselves, which sets further terms apart. What that leaves open takes a search.
class ForcedPartners {
  public:
    Meaning operator()(const Form &system, const Form &gold) {
        if (system.type != gold.type || system.binders.size() != gold.binders.size()) return Meaning::other;
        if (system.type == Form::Type::name) return system.name == gold.name ? Meaning::same : Meaning::other;
        if (system.definite.size() + system.conjuncts.size() != gold.definite.size() + gold.conjuncts.size()) {
            return Meaning::other;
        }
        ours_.fill(system);
        theirs_.fill(gold);
        for (int round = 0; round < rounds; ++round) {
            ours_.arrange();
            theirs_.arrange();
            const std::size_t known = ours_.known;
            bool all_unlike = true;
            if (!join(all_unlike) || ours_.known != theirs_.known) return Meaning::other;
            if (all_unlike || ours_.known == known) {
                return theirs_.known == theirs_.numbers.size() ? Meaning::same : Meaning::open;
            }
        }
        return Meaning::open;
    }

  private:
    static constexpr int rounds = 12;
    static constexpr std::int64_t nothing = -2, unknown = -1;

    // What is fixed about a term: label, literals, constants that have a partner; and its place.
    struct Shape {
        std::int64_t label, first, second;
        std::size_t term;

        bool operator==(const Shape &other) const {
            return label == other.label && first == other.first && second == other.second;
        }
        bool operator<(const Shape &other) const {
            if (label != other.label) return label < other.label;
            if (first != other.first) return first < other.first;
            return second < other.second;
        }
    };

    struct Labelled {
        std::int64_t label;
        std::int64_t arguments[2];  // a constant is -3 minus its number here, a literal what it is
    };

    struct Side {
        std::vector<Labelled> terms;
        std::vector<Shape> shapes;
        std::vector<std::int32_t> constants;  // in order
        std::vector<std::int64_t> numbers;    // of the constants that have a partner
        std::size_t known = 0;

        void fill(const Form &form) {
            terms.clear(), constants.clear();
            known = 0;
            for (const auto *part : {&form.definite, &form.conjuncts}) {
                for (const Term &term : *part) {
                    for (const std::int32_t argument : {term.first, term.second}) {
                        if (is_constant(argument)) constants.push_back(argument);
                    }
                }
            }
            std::sort(constants.begin(), constants.end());
            constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
            numbers.assign(constants.size(), unknown);
            for (const Term &term : form.definite) add(form, term, 1);
            for (const Term &term : form.conjuncts) add(form, term, 0);
        }

        void add(const Form &form, const Term &term, std::int64_t prefix) {
            terms.push_back({2 * std::int64_t{term.predicate} + prefix, {of(form, term.first), of(form, term.second)}});
        }

        // A bound letter counts by the position of its binder, the last one where it is bound twice.
        std::int64_t of(const Form &form, std::int32_t argument) const {
            if (argument < 0) return nothing;
            if (is_constant(argument)) {
                return -3 - (std::lower_bound(constants.begin(), constants.end(), argument) - constants.begin());
            }
            for (std::size_t i = form.binders.size(); i-- > 0;) {
                if (form.binders[i] == argument) return 4 * static_cast<std::int64_t>(i) + 3;
            }
            return 4 * std::int64_t{argument / 2} + 2;
        }

        void arrange() {
            shapes.clear();
            for (std::size_t i = 0; i < terms.size(); ++i) {
                shapes.push_back({terms[i].label, fixed(terms[i].arguments[0]), fixed(terms[i].arguments[1]), i});
            }
            std::sort(shapes.begin(), shapes.end());
        }

        std::int64_t fixed(std::int64_t argument) const {
            if (argument > -3) return argument;
            const std::int64_t number = numbers[static_cast<std::size_t>(-3 - argument)];
            return number < 0 ? unknown : 4 * number;
        }
    };

    // Gives partners to the constants of terms that look like no other; false where that fails.
    bool join(bool &all_unlike) {
        const std::vector<Shape> &left = ours_.shapes, &right = theirs_.shapes;
        for (std::size_t i = 0; i < left.size();) {
            std::size_t last = i + 1;
            while (last < left.size() && left[last] == left[i]) ++last;
            for (std::size_t k = i; k < last; ++k) {
                if (!(right[k] == left[i])) return false;
            }
            if (last < right.size() && right[last] == left[i]) return false;
            if (last - i > 1) {
                all_unlike = false;
            } else if (!partners(ours_.terms[left[i].term], theirs_.terms[right[i].term])) {
                return false;
            }
            i = last;
        }
        return true;
    }

    bool partners(const Labelled &ours, const Labelled &theirs) {
        for (int slot = 0; slot < 2; ++slot) {
            if (ours.arguments[slot] > -3) continue;
            std::int64_t &mine = ours_.numbers[static_cast<std::size_t>(-3 - ours.arguments[slot])];
            std::int64_t &yours = theirs_.numbers[static_cast<std::size_t>(-3 - theirs.arguments[slot])];
            if (mine < 0) mine = static_cast<std::int64_t>(ours_.known++);
            if (yours < 0) {
                yours = mine;
                ++theirs_.known;
            } else if (yours != mine) {
                return false;
            }
        }
        return true;
    }

    Side ours_, theirs_;
};

}  // namespace karat::logic
