// One-to-one alignments of words by a beam search from left to right: as many
// matches as possible, then as few chunks, then as little movement (Denkowski and
// Lavie 2014, for matches of single words).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
        const double cells = static_cast<double>(system.size) * static_cast<double>(gold.size);
        if (cells > std::min(budget, most_cells)) return false;
        find_candidates(lexicon, system, gold);
        if (static_cast<double>(candidates_.size()) * width > std::min(budget, most_cells)) return false;
        search(system.size, gold.size);
        for (std::size_t node = states_[0].node; node > 0; node = nodes_[node].parent) {
            const Candidate &candidate = candidates_[nodes_[node].candidate];
            places[nodes_[node].word] = candidate.place;
            stage[nodes_[node].word] = candidate.stage;
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
    static constexpr double most_cells = 1 << 27;  // so that ranks fit in 64 bits

    struct Candidate {
        std::int32_t place, stage;
    };
    struct Node {  // the match that led to a state; node 0 is the beginning
        std::uint32_t parent, candidate, word;
    };
    struct State {
        std::uint64_t rank;
        std::uint32_t node;
        std::int32_t last;  // the gold place of the word before, -2 without one
    };
    // Matches, chunks and distance of an alignment in one number that is smaller for
    // better ones: 16, 16 and 32 bits. There are at most as many matches as words on
    // the shorter side, and at most as much distance as there are pairs of words.
    static constexpr std::uint64_t none_matched = std::uint64_t{0xFFFF} << 48, one_match = std::uint64_t{1} << 48,
                                   one_chunk = std::uint64_t{1} << 32;
    struct Step {
        std::uint64_t rank;
        std::uint32_t candidate, state;  // the candidate counted from 1; 0 leaves the word alone

        bool operator<(const Step &other) const {
            if (rank != other.rank) return rank < other.rank;
            return candidate != other.candidate ? candidate < other.candidate : state < other.state;
        }
    };

    // The places of gold words by stem and by set of synonyms, as linked lists in order.
    void index(const Lexicon &lexicon, WordSpan gold) {
        next_stem_.resize(gold.size);
        for (std::size_t j = gold.size; j-- > 0;) {
            const auto word = gold.data[j];
            const auto stem = static_cast<std::size_t>(lexicon.stems[word]);
            if (stem >= first_stem_.size()) first_stem_.resize(stem + 1, -1);
            next_stem_[j] = first_stem_[stem];
            first_stem_[stem] = static_cast<std::int32_t>(j);
            for (std::int64_t k = lexicon.synset_offsets[word]; k < lexicon.synset_offsets[word + 1]; ++k) {
                const auto synset = static_cast<std::size_t>(lexicon.synsets[k]);
                if (synset >= first_synset_.size()) first_synset_.resize(synset + 1, -1);
                links_.push_back({static_cast<std::int32_t>(j), first_synset_[synset]});
                first_synset_[synset] = static_cast<std::int32_t>(links_.size() - 1);
            }
        }
    }

    void clear_index(const Lexicon &lexicon, WordSpan gold) {
        links_.clear();
        for (std::size_t j = 0; j < gold.size; ++j) {
            const auto word = gold.data[j];
            first_stem_[lexicon.stems[word]] = -1;
            for (std::int64_t k = lexicon.synset_offsets[word]; k < lexicon.synset_offsets[word + 1]; ++k) {
                first_synset_[lexicon.synsets[k]] = -1;
            }
        }
    }

    void find_candidates(const Lexicon &lexicon, WordSpan system, WordSpan gold) {
        index(lexicon, gold);
        candidates_.clear();
        begin_.assign(1, 0);
        for (std::size_t i = 0; i < system.size; ++i) {
            const auto word = system.data[i];
            const auto stem = static_cast<std::size_t>(lexicon.stems[word]);
            found_.clear();
            for (std::int32_t j = stem < first_stem_.size() ? first_stem_[stem] : -1; j >= 0; j = next_stem_[j]) {
                found_.push_back(j);
            }
            for (std::int64_t k = lexicon.synset_offsets[word]; k < lexicon.synset_offsets[word + 1]; ++k) {
                const auto synset = static_cast<std::size_t>(lexicon.synsets[k]);
                std::int32_t link = synset < first_synset_.size() ? first_synset_[synset] : -1;
                for (; link >= 0; link = links_[link].next) found_.push_back(links_[link].place);
            }
            if (lexicon.synset_offsets[word] != lexicon.synset_offsets[word + 1]) {
                std::sort(found_.begin(), found_.end());
                found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
            }
            for (const std::int32_t j : found_) candidates_.push_back({j, lexicon.stage(word, gold.data[j])});
            begin_.push_back(candidates_.size());
        }
        clear_index(lexicon, gold);
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
        nodes_.assign(1, {0, 0, 0});
        states_.assign(1, {none_matched, 0, -2});
        used_.assign(blocks, 0);
        for (std::size_t i = 0; i < words; ++i) {
            if (begin_[i] == begin_[i + 1]) {  // nothing to match: all states stay, in order
                for (State &state : states_) state.last = -2;
                continue;
            }
            steps_.clear();
            for (std::size_t s = 0; s < states_.size(); ++s) {
                const State &state = states_[s];
                if (!forced_[i]) steps_.push_back({state.rank, 0, static_cast<std::uint32_t>(s)});
                for (std::size_t c = begin_[i]; c < begin_[i + 1]; ++c) {
                    const std::int32_t place = candidates_[c].place;
                    if (used_[s * blocks + place / 64] >> (place % 64) & 1) continue;
                    const auto distance = static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(i) - place));
                    const bool begins = state.last < 0 || place != state.last + 1;
                    steps_.push_back({state.rank - one_match + (begins ? one_chunk : 0) + distance,
                                      static_cast<std::uint32_t>(c + 1), static_cast<std::uint32_t>(s)});
                }
            }
            if (steps_.size() > width) {
                std::nth_element(steps_.begin(), steps_.begin() + width, steps_.end());
                steps_.resize(width);
            }
            std::sort(steps_.begin(), steps_.end());
            take_steps(blocks, static_cast<std::uint32_t>(i));
        }
    }

    void take_steps(std::size_t blocks, std::uint32_t word) {
        next_.resize(steps_.size());
        next_used_.resize(steps_.size() * blocks);
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            const Step &step = steps_[s];
            std::copy_n(used_.begin() + step.state * blocks, blocks, next_used_.begin() + s * blocks);
            next_[s] = {step.rank, states_[step.state].node, -2};
            if (step.candidate > 0) {
                const std::uint32_t candidate = step.candidate - 1;
                const std::int32_t place = candidates_[candidate].place;
                next_used_[s * blocks + place / 64] |= std::uint64_t{1} << (place % 64);
                nodes_.push_back({next_[s].node, candidate, word});
                next_[s].node = static_cast<std::uint32_t>(nodes_.size() - 1);
                next_[s].last = place;
            }
        }
        states_.swap(next_);
        used_.swap(next_used_);
    }

    struct Link {
        std::int32_t place, next;
    };
    std::vector<Candidate> candidates_;
    std::vector<std::size_t> begin_;
    std::vector<std::int32_t> rivals_, first_stem_, next_stem_, first_synset_, found_;
    std::vector<Link> links_;
    std::vector<char> forced_;
    std::vector<Node> nodes_;
    std::vector<State> states_, next_;
    std::vector<Step> steps_;
    std::vector<std::uint64_t> used_, next_used_;
};

}  // namespace karat
