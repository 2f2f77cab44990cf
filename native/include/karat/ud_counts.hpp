// The counts of the CoNLL 2018 shared task: two analyses of the same characters, aligned word by word.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/names.hpp"
#include "karat/scanning.hpp"
#include "karat/tree_columns.hpp"

namespace karat {

// Whether a relation counts as content or as function word; neither: punctuation, and what is unknown.
enum class Relation : std::uint8_t { other, content, functional };

inline Relation relation_of(std::string_view label) {
    // By length, since most labels differ in that.
    static constexpr std::string_view content[11][8] = {
        {}, {}, {}, {"obj", "obl", "acl", "dep"},
        {"nmod", "root", "amod", "conj", "flat", "expl", "iobj", "list"},
        {"nsubj", "advcl", "appos", "xcomp", "ccomp", "fixed", "csubj"},
        {"advmod", "nummod", "orphan"}, {},
        {"compound", "vocative", "goeswith"}, {"parataxis", "discourse"}, {"dislocated", "reparandum"}};
    static constexpr std::string_view functional[] = {"case", "det", "aux", "cop", "mark", "cc", "clf"};
    if (label.empty() || label.size() > 10) return Relation::other;
    for (const std::string_view each : content[label.size()]) {
        if (!each.empty() && each[0] == label[0] && each == label) return Relation::content;
    }
    for (const std::string_view each : functional) {
        if (each[0] == label[0] && each == label) return Relation::functional;
    }
    return Relation::other;
}

inline bool is_universal_feature(std::string_view name) {
    static constexpr std::string_view names[] = {
        "PronType", "NumType",  "Poss", "Reflex", "Foreign", "Abbr",  "Gender",  "Animacy",  "Number", "Case", "Definite",
        "Degree",   "VerbForm", "Mood", "Tense",  "Aspect",  "Voice", "Evident", "Polarity", "Person", "Polite"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The universal features of a cell, sorted.
inline void universal_features(std::string_view feats, std::vector<std::string_view> &found) {
    found.clear();
    for (std::size_t begin = 0; begin <= feats.size();) {
        const std::size_t stop = std::min(feats.find('|', begin), feats.size());
        const std::string_view each = feats.substr(begin, stop - begin);
        if (is_universal_feature(each.substr(0, each.find('=')))) found.push_back(each);
        begin = stop + 1;
    }
    std::sort(found.begin(), found.end());
}

// A form without Unicode's space separators, appended to a text.
inline void add_visible(std::string_view form, std::string &text) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < form.size();) {
        const auto byte = static_cast<unsigned char>(form[i]);
        if (byte != ' ' && byte != 0xC2 && (byte < 0xE1 || byte > 0xE3)) {  // no separator begins so
            ++i;
            continue;
        }
        const CodePoint c = code_point(form, i);
        if (is_space_separator(c.value)) {
            text.append(form.substr(begin, i - begin));
            begin = i + c.size;
        }
        i += c.size;
    }
    text.append(form.substr(begin));
}

// Sentences of two files with the same characters. First they are read and their words are laid side
// by side; then, once the forms in question are known in lower case, aligned and counted.
class UdChunk {
  public:
    static constexpr std::size_t columns = 22;
    static constexpr std::size_t compared = 12;  // the last of them, in which aligned words are compared
    static constexpr std::size_t largest_table = 10'000'000;

    struct Sentences {
        std::string_view data;
        TreeRules rules;
        const std::int64_t *begin, *end;
        std::size_t count;
    };

    // What is wrong with sentences: a form without characters, by the number of its word (-1: a sentence
    // cannot be read, or has other than one root); the characters; or a region that is too large, by
    // its words of gold and of the system.
    struct Refusal {
        enum Kind : std::uint8_t { none, system_form, gold_form, text, region } kind = none;
        std::int64_t place = -1, other = -1;
    };

    const Refusal &refusal() const { return refused_; }

    // False where something is wrong.
    bool read(const Sentences &system, const Sentences &gold, bool single_root) {
        if (!read_side(system, single_root, true, system_)) return refuse(Refusal::system_form, system_.empty_form);
        if (!read_side(gold, single_root, true, gold_)) return refuse(Refusal::gold_form, gold_.empty_form);
        if (system_.text != gold_.text) return refuse(Refusal::text);
        return lay_side_by_side();
    }

    // What follows in the system's text and in gold's from where they differ, and the sentence there.
    struct Difference {
        std::string_view system, gold;
        bool of_gold;  // the system's text is at its end
        std::size_t sentence;
    };

    Difference difference(std::size_t characters) const {
        const std::string_view ours = system_.text, theirs = gold_.text;
        auto at = static_cast<std::size_t>(
            std::mismatch(ours.begin(), ours.begin() + static_cast<std::ptrdiff_t>(std::min(ours.size(), theirs.size())),
                          theirs.begin())
                .first -
            ours.begin());
        while (at > 0 && at < ours.size() && (static_cast<unsigned char>(ours[at]) & 0xC0) == 0x80) --at;
        const auto shown = [&](std::string_view text) {
            std::size_t end = at;
            for (std::size_t i = 0; i < characters && end < text.size(); ++i) end += code_point(text, end).size;
            return text.substr(at, end - at);
        };
        const bool of_gold = at >= ours.size();
        const std::vector<Span> &sentences = of_gold ? gold_.sentences : system_.sentences;
        std::size_t sentence = 0;
        while (sentence + 1 < sentences.size() && sentences[sentence].end <= at) ++sentence;
        return {shown(ours), shown(theirs), of_gold, sentence};
    }

    // For each word of the system its partner or -1, and the gold sentence that it starts in; for each
    // gold sentence the tokens and sentences of the system that start in it, and those equal to gold's.
    struct Alignment {
        std::vector<std::int32_t> partners, homes;
        std::vector<std::int64_t> spans;
    };

    Alignment alignment(const std::vector<std::string> &lowered) {
        align(lowered);
        rows_.assign(columns * gold_.trees.size(), 0);
        count_spans();
        Alignment found;
        std::size_t home = 0;
        for (const Word &word : system_.words) {
            while (home + 1 < gold_.sentences.size() && gold_.sentences[home + 1].start <= word.start) ++home;
            found.partners.push_back(word.partner);
            found.homes.push_back(static_cast<std::int32_t>(home));
        }
        for (std::size_t i = 0; i < gold_.trees.size(); ++i) {
            for (const Column each : {system_tokens, tokens, system_sentences, sentences}) {
                found.spans.push_back(static_cast<std::int64_t>(at(i, each)));
            }
        }
        return found;
    }

    // Reads sentences whose words have partners by number, or -1. False where one cannot be read.
    bool read_aligned(const Sentences &system, const Sentences &gold, const std::int32_t *partners, std::size_t size) {
        if (!read_side(system, false, false, system_) || !read_side(gold, false, false, gold_)) return false;
        if (size != system_.words.size()) return false;
        for (std::size_t s = 0; s < size; ++s) {
            if (partners[s] < -1 || partners[s] >= static_cast<std::int32_t>(gold_.words.size())) return false;
            if (partners[s] >= 0) join(static_cast<std::size_t>(partners[s]), s);
        }
        relate(gold_);
        relate(system_);
        return true;
    }

    // For each word of the system what it counts for in the columns from `words` on; then, for both
    // sides, which words are content words.
    struct Agreements {
        std::vector<std::uint8_t> same, system_content, gold_content;
    };

    Agreements agreements() {
        Agreements found;
        found.same.assign(compared * system_.words.size(), 0);
        for (std::size_t s = 0; s < system_.words.size(); ++s) {
            found.system_content.push_back(system_.words[s].relation == Relation::content);
            if (system_.words[s].partner < 0) continue;
            std::uint8_t *row = &found.same[compared * s];
            count_agreement(s, static_cast<std::size_t>(system_.words[s].partner), [&](Column column) -> std::uint8_t & {
                return row[column - words];
            });
        }
        for (const Word &word : gold_.words) found.gold_content.push_back(word.relation == Relation::content);
        return found;
    }

    // The forms that are not ASCII and have to be known in lower case.
    const Names &forms() const { return forms_; }

    // A row for each gold sentence; `lowered` has each of `forms` in lower case.
    std::vector<double> rows(const std::vector<std::string> &lowered) {
        align(lowered);
        rows_.assign(columns * gold_.trees.size(), 0);
        count_spans();
        count_system_words();
        count_gold_words();
        return std::move(rows_);
    }

  protected:
    // Aligns the words, and tells what relations they have.
    void align(const std::vector<std::string> &lowered) {
        std::vector<std::int32_t> number(lowered.size());
        for (std::size_t i = 0; i < lowered.size(); ++i) number[i] = lower_(lowered[i]);
        for (const Region &region : regions_) align_region(region, number);
        relate(gold_);
        relate(system_);
    }

    enum Column : std::size_t {
        gold_tokens, system_tokens, gold_sentences, system_sentences, gold_words, system_words, gold_content,
        system_content, tokens, sentences, words, content, upos, xpos, ufeats, alltags, lemmas, uas, las, clas, mlas, blex
    };
    enum Cell : std::size_t { form_cell = 1, lemma_cell, upos_cell, xpos_cell, feats_cell, label_cell = 7 };

    // A word as a span of the text; those of a multiword token all have its span.
    struct Word {
        std::uint32_t start, end;
        std::int32_t sentence;
        bool multiword;
        Relation relation;
        std::uint32_t label_end;
        std::int32_t partner;                          // the number of the word in the other file, or -1
        std::int32_t first_function, next_function;  // its function words: the first; of the same head the next
    };

    struct Span {
        std::uint32_t start, end;
    };

    struct Side {
        std::string_view data;
        TreeColumns trees;
        std::string text;
        std::vector<Word> words;
        std::vector<Span> tokens, sentences;
        std::int64_t empty_form = -1;  // the first word of a token without characters

        std::string_view cell(std::size_t word, std::size_t column) const {
            return TreeColumns::cell(data, trees.words[word], column);
        }
        std::string_view label(std::size_t word) const {
            const std::uint32_t begin = trees.words[word].bounds[label_cell];
            return data.substr(begin, words[word].label_end - begin);
        }
    };

    // Words of both files that are aligned by their forms.
    struct Region {
        std::size_t gold_begin, gold_end, system_begin, system_end, forms;
    };

    bool refuse(Refusal::Kind kind, std::int64_t place = -1, std::int64_t other = -1) {
        refused_ = {kind, place, other};
        return false;
    }

    static bool read_side(const Sentences &given, bool single_root, bool spelled, Side &side) {
        side.data = given.data;
        TreeReader reader(given.rules);
        for (std::size_t i = 0; i < given.count; ++i) {
            const auto begin = static_cast<std::size_t>(given.begin[i]), end = static_cast<std::size_t>(given.end[i]);
            if (reader.read(given.data, begin, end, side.trees).fault != TreeFault::none) return false;
            if (single_root && roots(side.trees, i) != 1) return false;
            if (spelled ? !spell(side, i) : !number(side, i)) return false;
        }
        return true;
    }

    static std::size_t roots(const TreeColumns &trees, std::size_t sentence) {
        std::size_t found = 0;
        for (std::size_t w = trees.first_word[sentence]; w < trees.first_word[sentence + 1]; ++w) {
            found += trees.words[w].head == 0;
        }
        return found;
    }

    // Adds the words of a sentence, whose characters are not asked for.
    static bool number(Side &side, std::size_t sentence) {
        const Word word{0, 0, static_cast<std::int32_t>(sentence), false, Relation::other, 0, -1, -1, -1};
        side.words.resize(side.trees.first_word[sentence + 1], word);
        return true;
    }

    // Adds the characters of a sentence; false where a token has none.
    static bool spell(Side &side, std::size_t sentence) {
        const TreeColumns &trees = side.trees;
        const auto start = static_cast<std::uint32_t>(side.text.size());
        const std::size_t first = trees.first_word[sentence];
        std::size_t word = first;
        const auto add_token = [&](std::string_view form, std::size_t stop, bool multiword) {
            const auto begin = static_cast<std::uint32_t>(side.text.size());
            add_visible(form, side.text);
            const auto end = static_cast<std::uint32_t>(side.text.size());
            side.tokens.push_back({begin, end});
            if (end == begin) side.empty_form = static_cast<std::int64_t>(word);
            for (; word < stop; ++word) {
                side.words.push_back({begin, end, static_cast<std::int32_t>(sentence), multiword, Relation::other, 0,
                                      -1, -1, -1});
            }
            return end > begin;
        };
        const auto single_words = [&](std::size_t stop) {
            while (word < stop) {
                if (!add_token(side.cell(word, form_cell), word + 1, false)) return false;
            }
            return true;
        };
        for (std::size_t t = trees.first_token[sentence]; t < trees.first_token[sentence + 1]; ++t) {
            const TreeToken &token = trees.tokens[t];
            const std::string_view form = side.data.substr(token.form_begin, token.form_end - token.form_begin);
            if (!single_words(first + static_cast<std::size_t>(token.first) - 1)) return false;
            if (!add_token(form, first + static_cast<std::size_t>(token.last), true)) return false;
        }
        if (!single_words(trees.first_word[sentence + 1])) return false;
        side.sentences.push_back({start, static_cast<std::uint32_t>(side.text.size())});
        return true;
    }

    // Pairs the words outside multiword tokens whose spans are the same, and finds the regions around
    // multiword tokens; false where one is too large.
    bool lay_side_by_side() {
        const std::vector<Word> &gold = gold_.words, &system = system_.words;
        std::size_t g = 0, s = 0;
        while (g < gold.size() && s < system.size()) {
            if (gold[g].multiword || system[s].multiword) {
                const Region region = region_at(g, s);
                g = region.gold_end;
                s = region.system_end;
                const std::size_t cells = (region.gold_end - region.gold_begin) * (region.system_end - region.system_begin);
                if (cells > largest_table) {
                    return refuse(Refusal::region, static_cast<std::int64_t>(region.gold_end - region.gold_begin),
                                  static_cast<std::int64_t>(region.system_end - region.system_begin));
                }
                if (cells == 0) continue;
                regions_.push_back(region);
                for (std::size_t w = region.gold_begin; w < region.gold_end; ++w) note_form(gold_, w);
                for (std::size_t w = region.system_begin; w < region.system_end; ++w) note_form(system_, w);
            } else if (gold[g].start == system[s].start && gold[g].end == system[s].end) {
                join(g++, s++);
            } else if (gold[g].start <= system[s].start) {
                ++g;
            } else {
                ++s;
            }
        }
        return true;
    }

    void join(std::size_t g, std::size_t s) {
        gold_.words[g].partner = static_cast<std::int32_t>(s);
        system_.words[s].partner = static_cast<std::int32_t>(g);
    }

    // The smallest run of words on both sides that no multiword token leads out of. A single word
    // that sticks out of the region, on either side, is not part of it.
    Region region_at(std::size_t g, std::size_t s) const {
        const std::vector<Word> &gold = gold_.words, &system = system_.words;
        std::uint32_t end;
        if (gold[g].multiword) {
            end = gold[g].end;
            s += !system[s].multiword && system[s].start < gold[g].start;
        } else {
            end = system[s].end;
            g += !gold[g].multiword && gold[g].start < system[s].start;
        }
        Region region{g, g, s, s, form_numbers_.size()};
        while (is_inside(gold, g, end) || is_inside(system, s, end)) {
            // The side that lags behind goes on, even with a word that sticks out.
            const bool of_gold = g < gold.size() && (s >= system.size() || gold[g].start <= system[s].start);
            const Word &word = of_gold ? gold[g++] : system[s++];
            if (word.multiword) end = std::max(end, word.end);
        }
        region.gold_end = g;
        region.system_end = s;
        return region;
    }

    static bool is_inside(const std::vector<Word> &words, std::size_t place, std::uint32_t end) {
        if (place >= words.size()) return false;
        return words[place].multiword ? words[place].start < end : words[place].end <= end;
    }

    // Numbers the form of a word of a region: in lower case if it is ASCII, else, as -1 - number,
    // among those that are to be made so.
    void note_form(const Side &side, std::size_t word) {
        const Word &span = side.words[word];
        const std::string_view form = span.multiword
                                          ? side.cell(word, form_cell)
                                          : std::string_view(side.text).substr(span.start, span.end - span.start);
        scratch_.assign(form);
        bool ascii = true;
        for (char &c : scratch_) {
            ascii = ascii && static_cast<unsigned char>(c) < 0x80;
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        form_numbers_.push_back(ascii ? lower_(scratch_) : -1 - forms_(form));
    }

    // A longest common subsequence of forms, the leftmost that gold allows.
    void align_region(const Region &region, const std::vector<std::int32_t> &number) {
        const std::size_t golds = region.gold_end - region.gold_begin, systems = region.system_end - region.system_begin;
        std::int32_t *gold = &form_numbers_[region.forms], *system = gold + golds;
        for (std::size_t i = 0; i < golds + systems; ++i) {
            if (gold[i] < 0) gold[i] = number[static_cast<std::size_t>(-1 - gold[i])];
        }
        const std::size_t width = systems + 1;
        longest_.assign((golds + 1) * width, 0);
        for (std::size_t g = golds; g-- > 0;) {
            std::uint32_t *row = &longest_[g * width], *below = row + width;
            for (std::size_t s = systems; s-- > 0;) {
                row[s] = gold[g] == system[s] ? below[s + 1] + 1 : std::max(below[s], row[s + 1]);
            }
        }
        for (std::size_t g = 0, s = 0; g < golds && s < systems;) {
            if (gold[g] == system[s]) {
                join(region.gold_begin + g++, region.system_begin + s++);
            } else if (longest_[g * width + s] == longest_[(g + 1) * width + s]) {
                ++g;
            } else {
                ++s;
            }
        }
    }

    double &at(std::size_t sentence, Column column) { return rows_[columns * sentence + column]; }

    // Tokens and sentences of the system count for the gold sentence that they start in.
    void count_spans() {
        for (std::size_t i = 0; i < gold_.trees.size(); ++i) at(i, gold_sentences) = 1;
        std::size_t home = 0, other = 0;
        const auto go_to = [&](std::uint32_t start) {
            while (home + 1 < gold_.sentences.size() && gold_.sentences[home + 1].start <= start) ++home;
        };
        for (const Span &span : gold_.tokens) {
            go_to(span.start);
            at(home, gold_tokens) += 1;
        }
        home = 0;
        for (const Span &span : system_.tokens) {
            go_to(span.start);
            at(home, system_tokens) += 1;
            while (other < gold_.tokens.size() && gold_.tokens[other].start < span.start) ++other;
            if (other < gold_.tokens.size() && gold_.tokens[other].start == span.start) {
                at(home, tokens) += gold_.tokens[other].end == span.end;
            }
        }
        home = 0;
        for (const Span &span : system_.sentences) {
            go_to(span.start);
            at(home, system_sentences) += 1;
            at(home, sentences) += gold_.sentences[home].start == span.start && gold_.sentences[home].end == span.end;
        }
    }

    // Cuts the labels, and links the function words of each word.
    static void relate(Side &side) {
        for (std::size_t w = side.words.size(); w-- > 0;) {
            Word &word = side.words[w];
            const std::string_view label = side.cell(w, label_cell);
            word.label_end = static_cast<std::uint32_t>(side.trees.words[w].bounds[label_cell] +
                                                        std::min(label.find(':'), label.size()));
            word.relation = relation_of(side.label(w));
            const std::int32_t head = side.trees.words[w].head;
            if (word.relation != Relation::functional || head == 0) continue;
            Word &above = side.words[side.trees.first_word[static_cast<std::size_t>(word.sentence)] +
                                     static_cast<std::size_t>(head) - 1];
            word.next_function = above.first_function;
            above.first_function = static_cast<std::int32_t>(w);
        }
    }

    void count_system_words() {
        std::size_t home = 0;
        for (const Word &word : system_.words) {
            while (home + 1 < gold_.sentences.size() && gold_.sentences[home + 1].start <= word.start) ++home;
            at(home, system_words) += 1;
            at(home, system_content) += word.relation == Relation::content;
        }
    }

    void count_gold_words() {
        for (std::size_t g = 0; g < gold_.words.size(); ++g) {
            const Word &word = gold_.words[g];
            double *row = &rows_[columns * static_cast<std::size_t>(word.sentence)];
            row[gold_words] += 1;
            row[gold_content] += word.relation == Relation::content;
            if (word.partner < 0) continue;
            const auto s = static_cast<std::size_t>(word.partner);
            count_agreement(s, g, [&](Column column) -> double & { return row[column]; });
        }
    }

    // Counts two aligned words in all columns in which they agree.
    template <class At>
    void count_agreement(std::size_t s, std::size_t g, At at) {
        const bool is_content = gold_.words[g].relation == Relation::content;
        const Agreement same = agreement(s, g, is_content);
        at(words) += 1;
        at(upos) += same.upos;
        at(xpos) += same.xpos;
        at(ufeats) += same.feats;
        at(alltags) += same.upos && same.xpos && same.feats;
        at(lemmas) += same.lemma;
        at(uas) += same.head;
        at(las) += same.edge;
        if (!is_content) return;
        at(content) += 1;
        at(clas) += same.edge;
        at(blex) += same.edge && same.lemma;
        at(mlas) += same.functions;
    }

    // In what two aligned words agree.
    struct Agreement {
        bool upos, xpos, feats, lemma, head;
        bool edge;       // head and label
        bool functions;  // of a content word: all but the lemma, and its function words
    };

    Agreement agreement(std::size_t s, std::size_t g, bool is_content) {
        Agreement same{};
        same.upos = same_cell(s, g, upos_cell);
        same.xpos = same_cell(s, g, xpos_cell);
        same.feats = has_same_features(s, g);
        same.lemma = gold_.cell(g, lemma_cell) == "_" || same_cell(s, g, lemma_cell);
        same.head = has_same_head(s, g);
        same.edge = same.head && system_.label(s) == gold_.label(g);
        same.functions = is_content && same.edge && same.upos && same.feats && has_same_function_words(s, g);
        return same;
    }

    bool same_cell(std::size_t s, std::size_t g, std::size_t column) const {
        return system_.cell(s, column) == gold_.cell(g, column);
    }

    bool has_same_features(std::size_t s, std::size_t g) {
        const std::string_view ours = system_.cell(s, feats_cell), theirs = gold_.cell(g, feats_cell);
        if (ours == theirs) return true;
        universal_features(ours, our_features_);
        universal_features(theirs, their_features_);
        return our_features_ == their_features_;
    }

    // An unaligned head is no word of gold.
    bool has_same_head(std::size_t s, std::size_t g) const {
        const std::int32_t ours = system_.trees.words[s].head, theirs = gold_.trees.words[g].head;
        if (ours == 0 || theirs == 0) return ours == theirs;
        return system_.words[word_of(system_, s, ours)].partner == static_cast<std::int32_t>(word_of(gold_, g, theirs));
    }

    // The number of the word that has this place, from 1, in the sentence of another.
    static std::size_t word_of(const Side &side, std::size_t other, std::int32_t place) {
        return side.trees.first_word[static_cast<std::size_t>(side.words[other].sentence)] +
               static_cast<std::size_t>(place) - 1;
    }

    bool has_same_function_words(std::size_t s, std::size_t g) {
        std::int32_t ours = system_.words[s].first_function, theirs = gold_.words[g].first_function;
        while (ours >= 0 && theirs >= 0) {
            const auto a = static_cast<std::size_t>(ours), b = static_cast<std::size_t>(theirs);
            if (system_.words[a].partner != theirs || system_.label(a) != gold_.label(b) ||
                !same_cell(a, b, upos_cell) || !has_same_features(a, b)) {
                return false;
            }
            ours = system_.words[a].next_function;
            theirs = gold_.words[b].next_function;
        }
        return ours == theirs;
    }

    Side system_, gold_;
    std::vector<Region> regions_;
    std::vector<std::int32_t> form_numbers_;  // of the words of regions: gold's, then the system's
    Names forms_, lower_;
    std::string scratch_;
    std::vector<std::uint32_t> longest_;
    std::vector<double> rows_;
    std::vector<std::string_view> our_features_, their_features_;
    Refusal refused_;
};

}  // namespace karat
