// Whether two forms are the same up to order and a renaming of constants, and by which renaming.
//
// Where partners are not forced, this is graph isomorphism, and is decided as such: the forms fall apart into pieces that
// share no constant; pieces are compared by colour refinement, and where colours alone do not decide, one constant is
// singled out and the refinement goes on (McKay's method).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "karat/logic/terms.hpp"

namespace karat::logic {

enum class Meaning { same, other, open };

// A term whose constants may have any names: what else it says, and its arguments. A constant is its number in the form,
// from 0 in order of appearance; anything else is below 0.
using OpenTerm = std::pair<std::int64_t, std::vector<std::int64_t>>;

class RenamingSearch {
  public:
    static constexpr std::int64_t usual_steps = 2000000;  // occurrences of constants that may be looked at

    std::vector<std::int32_t> partners;  // of each constant of gold the system's, if the meaning is the same

    // Open: it takes more steps.
    Meaning operator()(const std::vector<OpenTerm> &system, const std::vector<OpenTerm> &gold, std::int64_t steps) {
        left_ = steps;
        partners.clear();
        if (system.size() != gold.size()) return Meaning::other;
        ours_.fill(system), theirs_.fill(gold);
        partners.assign(theirs_.occurrences.size(), -1);
        std::map<Kind, std::vector<const Piece *>> waiting;
        for (const Piece &piece : ours_.pieces) waiting[piece.kind()].push_back(&piece);
        try {
            for (const Piece &piece : theirs_.pieces) {
                if (!find_partner(piece, waiting[piece.kind()])) return Meaning::other;
            }
        } catch (const OutOfSteps &) {
            return Meaning::open;
        }
        const auto is_empty = [](const auto &each) { return each.second.empty(); };
        return std::all_of(waiting.begin(), waiting.end(), is_empty) ? Meaning::same : Meaning::other;
    }

  private:
    struct OutOfSteps {};
    using Kind = std::pair<std::size_t, std::vector<std::vector<std::int64_t>>>;
    using Constants = std::vector<std::int32_t>;
    using Colours = std::vector<std::int32_t>;        // by the places of constants in a piece
    using Signature = std::vector<std::int64_t>;      // the colour of a constant, and how it occurs

    // Terms that share constants, or one that has none.
    struct Piece {
        std::vector<const OpenTerm *> terms;
        Constants constants;  // in order of appearance

        // What any partner must share.
        Kind kind() const {
            Kind found{constants.size(), {}};
            for (const OpenTerm *term : terms) {
                std::vector<std::int64_t> &shape = found.second.emplace_back(1, term->first);
                for (const std::int64_t argument : term->second) shape.push_back(std::min<std::int64_t>(argument, 0));
            }
            std::sort(found.second.begin(), found.second.end());
            return found;
        }
    };

    struct Side {
        std::vector<Piece> pieces;
        std::vector<std::vector<std::pair<const OpenTerm *, std::int64_t>>> occurrences;  // by constant: terms and slots
        std::vector<Constants> neighbours;                                                 // itself included
        Constants places;                                                                  // in the piece

        void fill(const std::vector<OpenTerm> &terms) {
            pieces.clear(), occurrences.clear(), neighbours.clear();
            std::vector<std::size_t> leader;
            for (const OpenTerm &term : terms) {
                std::int64_t first = -1;
                for (std::size_t slot = 0; slot < term.second.size(); ++slot) {
                    const std::int64_t constant = term.second[slot];
                    if (constant < 0) continue;
                    const auto place = static_cast<std::size_t>(constant);
                    while (occurrences.size() <= place) {
                        leader.push_back(leader.size());
                        occurrences.emplace_back(), neighbours.emplace_back();
                    }
                    occurrences[place].emplace_back(&term, static_cast<std::int64_t>(slot));
                    for (const std::int64_t other : term.second) {
                        if (other >= 0) neighbours[place].push_back(static_cast<std::int32_t>(other));
                    }
                    if (first < 0) first = constant;
                    else leader[found(leader, place)] = found(leader, static_cast<std::size_t>(first));
                }
            }
            for (Constants &each : neighbours) {
                std::sort(each.begin(), each.end());
                each.erase(std::unique(each.begin(), each.end()), each.end());
            }
            std::vector<std::int64_t> piece_of(occurrences.size(), -1);
            std::int64_t without_constants = -1;
            for (const OpenTerm &term : terms) {
                const auto first = std::find_if(term.second.begin(), term.second.end(), [](std::int64_t each) { return each >= 0; });
                std::int64_t &piece = first == term.second.end() ? without_constants
                                                                 : piece_of[found(leader, static_cast<std::size_t>(*first))];
                if (piece < 0) piece = static_cast<std::int64_t>(pieces.size()), pieces.emplace_back();
                pieces[static_cast<std::size_t>(piece)].terms.push_back(&term);
            }
            places.assign(occurrences.size(), -1);
            for (std::size_t constant = 0; constant < occurrences.size(); ++constant) {
                if (occurrences[constant].empty()) continue;
                const std::int64_t piece = piece_of[found(leader, constant)];
                Constants &own = pieces[static_cast<std::size_t>(piece)].constants;
                places[constant] = static_cast<std::int32_t>(own.size());
                own.push_back(static_cast<std::int32_t>(constant));
            }
        }

        static std::size_t found(std::vector<std::size_t> &leader, std::size_t constant) {
            while (leader[constant] != constant) constant = leader[constant] = leader[leader[constant]];
            return constant;
        }

        std::int64_t size(const Constants &constants) const {
            std::size_t total = 0;
            for (const std::int32_t constant : constants) total += occurrences[static_cast<std::size_t>(constant)].size();
            return static_cast<std::int64_t>(total);
        }

        std::int32_t colour(const Colours &colours, std::int64_t constant) const {
            return colours[static_cast<std::size_t>(places[static_cast<std::size_t>(constant)])];
        }

        void set(Colours &colours, std::int32_t constant, std::int32_t colour) const {
            colours[static_cast<std::size_t>(places[static_cast<std::size_t>(constant)])] = colour;
        }

        Signature signature(std::int32_t constant, const Colours &colours) const {
            std::vector<Signature> seen;
            for (const auto &[term, slot] : occurrences[static_cast<std::size_t>(constant)]) {
                Signature &row = seen.emplace_back(Signature{term->first, slot});
                for (const std::int64_t argument : term->second) {
                    row.push_back(argument < 0 ? argument : colour(colours, argument));
                }
            }
            std::sort(seen.begin(), seen.end());
            Signature result{colour(colours, constant)};
            for (const Signature &row : seen) {
                result.push_back(static_cast<std::int64_t>(row.size()));
                result.insert(result.end(), row.begin(), row.end());
            }
            return result;
        }
    };

    // A colouring of two pieces, in which partners have the same colour.
    struct State {
        Colours mine, yours;
        std::vector<std::int64_t> sizes;  // by colour: how many of our constants have it

        std::int32_t fresh() const { return static_cast<std::int32_t>(sizes.size()); }
    };

    // A state with constants that are still equal: one of ours, and those of theirs that could be its partner.
    struct Branch {
        State state;
        std::int32_t chosen;
        Constants candidates;
        std::size_t next = 0;
    };

    void spend(std::int64_t steps) {
        left_ -= steps;
        if (left_ < 0) throw OutOfSteps{};
    }

    // Whichever partner a piece takes, the rest is the same.
    bool find_partner(const Piece &gold, std::vector<const Piece *> &candidates) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (!are_same(*candidates[i], gold)) continue;
            candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
        return false;
    }

    // A search with a stack, so that depth costs no recursion.
    bool are_same(const Piece &ours, const Piece &theirs) {
        State start{Colours(ours.constants.size(), 0), Colours(theirs.constants.size(), 0),
                    {static_cast<std::int64_t>(ours.constants.size())}};
        if (!refine(start, ours.constants, theirs.constants)) return false;
        std::optional<State> state = std::move(start);
        std::vector<Branch> stack;
        while (true) {
            if (state && is_settled(*state, ours)) {
                if (take_partners(*state, ours, theirs)) return true;
                state.reset();
            }
            if (state) stack.push_back(branch(std::move(*state), ours, theirs));
            while (!stack.empty() && stack.back().next == stack.back().candidates.size()) stack.pop_back();
            if (stack.empty()) return false;
            state = single_out(stack.back(), ours);
        }
    }

    // Splits colours until nothing changes; false when the two sides come apart. Only constants beside a changed one can
    // change, so a round costs what it touches.
    bool refine(State &state, Constants changed, Constants others_changed) {
        while (!changed.empty() || !others_changed.empty()) {
            spend(ours_.size(changed) + theirs_.size(others_changed));
            std::map<Signature, std::size_t> number;
            std::vector<std::int32_t> colours;    // of the signatures, in order
            std::vector<std::int64_t> counts;
            std::vector<std::size_t> mine, yours;
            for (const std::int32_t constant : changed) {
                const auto [found, is_new] = number.try_emplace(ours_.signature(constant, state.mine), counts.size());
                if (is_new) colours.push_back(ours_.colour(state.mine, constant)), counts.push_back(0);
                ++counts[found->second];
                mine.push_back(found->second);
            }
            std::vector<std::int64_t> left = counts;
            for (const std::int32_t constant : others_changed) {
                const auto found = number.find(theirs_.signature(constant, state.yours));
                if (found == number.end() || --left[found->second] < 0) return false;
                yours.push_back(found->second);
            }
            if (changed.size() != others_changed.size()) return false;
            const std::vector<std::int32_t> names = new_colours(state, colours, counts);
            changed = recolour(state.mine, changed, mine, names, ours_);
            others_changed = recolour(state.yours, others_changed, yours, names, theirs_);
        }
        return true;
    }

    // A colour for each part that is split off, -1 for others: the largest part keeps the one it has.
    static std::vector<std::int32_t> new_colours(State &state, const std::vector<std::int32_t> &colours,
                                                 const std::vector<std::int64_t> &counts) {
        std::map<std::int32_t, std::pair<std::int64_t, std::size_t>> parts;  // their sizes, and the largest
        for (std::size_t i = 0; i < colours.size(); ++i) {
            auto &[size, largest] = parts.try_emplace(colours[i], 0, i).first->second;
            size += counts[i];
            if (counts[i] > counts[largest]) largest = i;
        }
        std::vector<std::int32_t> names(colours.size(), -1);
        for (std::size_t i = 0; i < colours.size(); ++i) {
            const auto &[size, largest] = parts.at(colours[i]);
            const auto colour = static_cast<std::size_t>(colours[i]);
            if (i == largest && size == state.sizes[colour]) continue;
            names[i] = state.fresh();
            state.sizes.push_back(counts[i]);
        }
        for (std::size_t i = 0; i < colours.size(); ++i) {
            if (names[i] >= 0) state.sizes[static_cast<std::size_t>(colours[i])] -= counts[i];
        }
        return names;
    }

    // The neighbours of the constants that have another colour now.
    static Constants recolour(Colours &colours, const Constants &constants, const std::vector<std::size_t> &signatures,
                              const std::vector<std::int32_t> &names, const Side &side) {
        Constants beside;
        for (std::size_t i = 0; i < constants.size(); ++i) {
            if (names[signatures[i]] < 0) continue;
            side.set(colours, constants[i], names[signatures[i]]);
            const Constants &own = side.neighbours[static_cast<std::size_t>(constants[i])];
            beside.insert(beside.end(), own.begin(), own.end());
        }
        std::sort(beside.begin(), beside.end());
        beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
        return beside;
    }

    std::int64_t size_of(const State &state, std::int32_t constant) const {
        return state.sizes[static_cast<std::size_t>(ours_.colour(state.mine, constant))];
    }

    // Whether no constants that are still equal are neighbours: then any partners of the same colour will do.
    bool is_settled(const State &state, const Piece &ours) const {
        for (const std::int32_t constant : ours.constants) {
            if (size_of(state, constant) == 1) continue;
            for (const std::int32_t other : ours_.neighbours[static_cast<std::size_t>(constant)]) {
                if (other != constant && size_of(state, other) != 1) return false;
            }
        }
        return true;
    }

    Branch branch(State state, const Piece &ours, const Piece &theirs) const {
        std::int32_t chosen = -1;
        const auto rank = [&](std::int32_t constant) {
            return std::pair(size_of(state, constant), ours_.colour(state.mine, constant));
        };
        for (const std::int32_t constant : ours.constants) {
            if (size_of(state, constant) > 1 && (chosen < 0 || rank(constant) < rank(chosen))) chosen = constant;
        }
        Constants candidates;
        for (const std::int32_t constant : theirs.constants) {
            if (theirs_.colour(state.yours, constant) == ours_.colour(state.mine, chosen)) candidates.push_back(constant);
        }
        return {std::move(state), chosen, std::move(candidates)};
    }

    // The state in which the next two are set apart from all others; nothing where the sides come apart then.
    std::optional<State> single_out(Branch &from, const Piece &ours) {
        const std::int32_t partner = from.candidates[from.next++];
        const auto one = static_cast<std::size_t>(from.chosen), other = static_cast<std::size_t>(partner);
        spend(static_cast<std::int64_t>(ours.constants.size()));
        State state = from.state;
        --state.sizes[static_cast<std::size_t>(ours_.colour(state.mine, from.chosen))];
        ours_.set(state.mine, from.chosen, state.fresh());
        theirs_.set(state.yours, partner, state.fresh());
        state.sizes.push_back(1);
        if (!refine(state, ours_.neighbours[one], theirs_.neighbours[other])) return {};
        return state;
    }

    // Constants of the same colour become partners, if the terms are the same then.
    bool take_partners(const State &state, const Piece &ours, const Piece &theirs) {
        std::vector<Constants> by_colour(state.sizes.size());
        for (const std::int32_t constant : ours.constants) {
            by_colour[static_cast<std::size_t>(ours_.colour(state.mine, constant))].push_back(constant);
        }
        for (const std::int32_t constant : theirs.constants) {
            Constants &left = by_colour[static_cast<std::size_t>(theirs_.colour(state.yours, constant))];
            if (left.empty()) return false;
            partners[static_cast<std::size_t>(constant)] = left.back();
            left.pop_back();
        }
        std::vector<OpenTerm> mine, yours;
        for (const OpenTerm *term : ours.terms) mine.push_back(*term);
        for (const OpenTerm *term : theirs.terms) {
            for (std::int64_t &argument : yours.emplace_back(*term).second) {
                if (argument >= 0) argument = partners[static_cast<std::size_t>(argument)];
            }
        }
        std::sort(mine.begin(), mine.end());
        std::sort(yours.begin(), yours.end());
        return mine == yours;
    }

    std::int64_t left_ = 0;
    Side ours_, theirs_;
};

// The same for forms, whose names are numbers of one table.
class FormRenaming {
  public:
    // The constants of gold in order of appearance, and of each the system's, if the meaning is the same.
    std::vector<std::pair<std::int32_t, std::int32_t>> constants;

    Meaning operator()(const Form &system, const Form &gold) {
        constants.clear();
        if (system.type != gold.type || system.binders.size() != gold.binders.size()) return Meaning::other;
        if (system.type == Form::Type::name) return system.name == gold.name ? Meaning::same : Meaning::other;
        ours_.fill(system), theirs_.fill(gold);
        const Meaning found = search_(ours_.terms, theirs_.terms, RenamingSearch::usual_steps);
        if (found != Meaning::same) return found;
        for (std::size_t i = 0; i < theirs_.constants.size(); ++i) {
            constants.emplace_back(theirs_.constants[i], ours_.constants[static_cast<std::size_t>(search_.partners[i])]);
        }
        return found;
    }

  private:
    struct Side {
        std::vector<OpenTerm> terms;
        std::vector<std::int32_t> constants;  // in order of appearance

        void fill(const Form &form) {
            terms.clear(), constants.clear(), numbers_.clear();
            for (const Term &term : form.definite) add(form, term, 1);
            for (const Term &term : form.conjuncts) add(form, term, 0);
        }

      private:
        void add(const Form &form, const Term &term, std::int64_t prefix) {
            OpenTerm &added = terms.emplace_back(2 * std::int64_t{term.predicate} + prefix, std::vector<std::int64_t>());
            for (const std::int32_t argument : {term.first, term.second}) {
                if (argument >= 0) added.second.push_back(of(form, argument));
            }
        }

        // A bound letter counts by the position of its binder, the last one where it is bound twice.
        std::int64_t of(const Form &form, std::int32_t argument) {
            if (is_constant(argument)) {
                const auto [found, is_new] = numbers_.try_emplace(argument, static_cast<std::int64_t>(constants.size()));
                if (is_new) constants.push_back(argument);
                return found->second;
            }
            for (std::size_t i = form.binders.size(); i-- > 0;) {
                if (form.binders[i] == argument) return -2 - 2 * static_cast<std::int64_t>(i);
            }
            return -1 - 2 * std::int64_t{argument / 2};
        }

        std::map<std::int32_t, std::int64_t> numbers_;
    };

    Side ours_, theirs_;
    RenamingSearch search_;
};

}  // namespace karat::logic
