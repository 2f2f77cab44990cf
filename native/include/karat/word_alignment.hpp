// One-to-one alignments of words by a beam search from left to right: as many
// matches as possible, then as few chunks, then as little movement (Denkowski and
// Lavie 2014, for matches of single words).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <vector>

namespace karat {

// What may match what: words by number, and for each number its stem, whether it
// is a function word, and the numbers of its sets of synonyms, in order.
struct Lexicon {
    const std::int32_t *stems;
    const std::uint8_t *function;
    const std::int32_t *synsets;
    const std::int64_t *synset_offsets;

    enum Stage : std::int32_t { exact, stem, synonym, stages };

    // The first stage in which two words match, or `stages`.
    std::int32_t stage(std::int32_t a, std::int32_t b) const {
        if (a == b) return exact;
        if (stems[a] == stems[b]) return stem;
        std::int64_t i = synset_offsets[a], j = synset_offsets[b];
        while (i < synset_offsets[a + 1] && j < synset_offsets[b + 1]) {
            if (synsets[i] == synsets[j]) return synonym;
            if (synsets[i] < synsets[j]) {
                ++i;
            } else {
                ++j;
            }
        }
        return stages;
    }
};

struct WordSpan {
    const std::int32_t *data;
    std::size_t size;
};

// One object per thread; its tables are reused.
class WordAlignment {
  public:
    // Fills `places` with the gold place of each system word, or -1, and `stage`
    // with how it matched. False where more than `budget` steps are needed.
    bool operator()(const Lexicon &lexicon, WordSpan system, WordSpan gold, double budget) {
        places.assign(system.size, -1);
        stage.assign(system.size, Lexicon::stages);
        if (static_cast<double>(system.size) * static_cast<double>(gold.size) > budget) return false;
        find_candidates(lexicon, system, gold);
        if (static_cast<double>(candidates_.size()) * width > budget) return false;
        search(system.size, gold.size);
        for (std::size_t i = system.size, node = states_[0].node; i-- > 0; node = nodes_[node].parent) {
            const std::int64_t candidate = nodes_[node].candidate;
            if (candidate >= 0) {
                places[i] = candidates_[candidate].place;
                stage[i] = candidates_[candidate].stage;
            }
        }
        return true;
    }

    std::int64_t chunks() const {
        std::int64_t count = 0, previous = -2;
        for (const std::int32_t place : places) {
            if (place >= 0 && !(previous >= 0 && place == previous + 1)) ++count;
            previous = place;
        }
        return count;
    }

    std::vector<std::int32_t> places, stage;

  private:
    static constexpr std::size_t width = 40;

    struct Candidate {
        std::int32_t place, stage;
    };
    struct Node {
        std::size_t parent;
        std::int64_t candidate;
    };
    struct State {
        std::int64_t matches, chunks, distance, last;
        std::size_t node, used;  // where its bit set of used places is
        std::int64_t candidate;  // the step that leads to it

        auto rank() const { return std::make_tuple(-matches, chunks, distance, candidate, node); }
    };

    void find_candidates(const Lexicon &lexicon, WordSpan system, WordSpan gold) {
        candidates_.clear();
        begin_.assign(1, 0);
        for (std::size_t i = 0; i < system.size; ++i) {
            for (std::size_t j = 0; j < gold.size; ++j) {
                const std::int32_t found = lexicon.stage(system.data[i], gold.data[j]);
                if (found < Lexicon::stages) candidates_.push_back({static_cast<std::int32_t>(j), found});
            }
            begin_.push_back(candidates_.size());
        }
        // Two words that can only match each other do so in every best alignment.
        rivals_.assign(gold.size, 0);
        for (const Candidate &candidate : candidates_) ++rivals_[candidate.place];
        forced_.assign(system.size, 0);
        for (std::size_t i = 0; i < system.size; ++i) {
            forced_[i] = begin_[i + 1] == begin_[i] + 1 && rivals_[candidates_[begin_[i]].place] == 1;
        }
    }

    void search(std::size_t words, std::size_t places_of_gold) {
        const std::size_t blocks = (places_of_gold + 63) / 64;
        nodes_.assign(1, {0, -1});
        states_.assign(1, {0, 0, 0, -2, 0, 0, -1});
        used_.assign(blocks, 0);
        for (std::size_t i = 0; i < words; ++i) {
            next_.clear();
            for (std::size_t s = 0; s < states_.size(); ++s) {
                State state = states_[s];
                state.used = s;
                const std::int64_t last = state.last;
                state.last = -2;
                state.candidate = -1;
                if (!forced_[i]) next_.push_back(state);
                for (std::size_t c = begin_[i]; c < begin_[i + 1]; ++c) {
                    const std::int32_t place = candidates_[c].place;
                    if (used_[s * blocks + place / 64] >> (place % 64) & 1) continue;
                    State step = states_[s];
                    step.used = s;
                    step.candidate = static_cast<std::int64_t>(c);
                    ++step.matches;
                    step.chunks += place != last + 1 || last < 0;
                    step.distance += std::abs(static_cast<std::int64_t>(i) - place);
                    step.last = place;
                    next_.push_back(step);
                }
            }
            const auto better = [](const State &a, const State &b) { return a.rank() < b.rank(); };
            if (next_.size() > width) {
                std::nth_element(next_.begin(), next_.begin() + width, next_.end(), better);
                next_.resize(width);
            }
            std::sort(next_.begin(), next_.end(), better);
            take_steps(blocks);
        }
    }

    void take_steps(std::size_t blocks) {
        next_used_.resize(next_.size() * blocks);
        for (std::size_t s = 0; s < next_.size(); ++s) {
            State &state = next_[s];
            std::copy_n(used_.begin() + state.used * blocks, blocks, next_used_.begin() + s * blocks);
            if (state.candidate >= 0) {
                const std::int32_t place = candidates_[state.candidate].place;
                next_used_[s * blocks + place / 64] |= std::uint64_t{1} << (place % 64);
            }
            nodes_.push_back({state.node, state.candidate});
            state.node = nodes_.size() - 1;
        }
        states_.swap(next_);
        used_.swap(next_used_);
    }

    std::vector<Candidate> candidates_;
    std::vector<std::size_t> begin_;
    std::vector<std::int32_t> rivals_;
    std::vector<char> forced_;
    std::vector<Node> nodes_;
    std::vector<State> states_, next_;
    std::vector<std::uint64_t> used_, next_used_;
};

}  // namespace karat
