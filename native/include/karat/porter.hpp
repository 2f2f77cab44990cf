// The Porter stemmer (Porter 1980) in the variants that published figures depend on; see
// src/karat/text/words/porter.py for what they are. Time is linear in the length of a word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace karat {

class Porter {
  public:
    enum class Variant { original, martin, nltk, engine_155 };

    explicit Porter(Variant variant)
        : original_(variant == Variant::original), nltk_(variant == Variant::nltk),
          engine_(variant == Variant::engine_155) {}

    // The stem of a lower-case word, given as characters so that each counts as one letter.
    void operator()(std::u32string &word) {
        word_.swap(word);
        engine_ ? stem_155() : stem();
        word_.swap(word);
    }

  private:
    using View = std::string_view;
    using Ending = std::pair<View, View>;

    static constexpr Ending step_2[] = {
        {"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
        {"tional", "tion"}, {"biliti", "ble"},  {"entli", "ent"},   {"ousli", "ous"},   {"ation", "ate"},
        {"alism", "al"},    {"aliti", "al"},    {"iviti", "ive"},   {"enci", "ence"},   {"anci", "ance"},
        {"izer", "ize"},    {"alli", "al"},     {"ator", "ate"},    {"eli", "e"}};
    static constexpr Ending step_3[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                        {"ical", "ic"},  {"ness", ""},  {"ful", ""}};
    static constexpr View step_4[] = {"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate",
                                      "iti",   "ous",  "ive",  "ize",  "ion",  "al",   "er",  "ic",  "ou"};
    static constexpr Ending irregular[] = {
        {"skies", "sky"},     {"sky", "sky"},         {"dying", "die"},     {"lying", "lie"},
        {"tying", "tie"},     {"news", "news"},       {"innings", "inning"}, {"inning", "inning"},
        {"outings", "outing"}, {"outing", "outing"},  {"cannings", "canning"}, {"canning", "canning"},
        {"howe", "howe"},     {"proceed", "proceed"}, {"exceed", "exceed"}, {"succeed", "succeed"}};

    std::size_t size() const { return word_.size(); }
    char32_t last(std::size_t back = 1) const { return word_[size() - back]; }
    void cut(std::size_t count) { word_.resize(size() - count); }
    void append(View letters) { word_.append(letters.begin(), letters.end()); }

    bool is(View other) const { return size() == other.size() && ends(other); }
    bool ends(View ending) const {
        return size() >= ending.size() && std::equal(ending.rbegin(), ending.rend(), word_.rbegin(), [](char a, char32_t b) {
                   return static_cast<char32_t>(static_cast<unsigned char>(a)) == b;
               });
    }

    static bool in(char32_t letter, View letters) {
        return letter < 128 && letters.find(static_cast<char>(letter)) != View::npos;
    }

    // What the first `count` letters look like. A y is a vowel after a consonant, and only there.
    struct Shape {
        std::size_t measure = 0;  // how often a consonant follows a vowel
        bool has_vowel = false;
        bool short_end = false;    // consonant, vowel, consonant at the end
        bool vowel_last = false;
        std::size_t vowels = 0;
    };

    Shape shape(std::size_t count) const {
        Shape result;
        bool previous = true, before = true, earlier = true;  // whether the last letters are vowels
        for (std::size_t i = 0; i < count; ++i) {
            const bool vowel = in(word_[i], "aeiou") || (word_[i] == U'y' && !previous);
            if (i > 0 && previous && !vowel) ++result.measure;
            result.vowels += vowel;
            earlier = before, before = previous, previous = vowel;
        }
        result.has_vowel = result.vowels > 0;
        result.vowel_last = previous;
        result.short_end = count >= 3 && !earlier && before && !previous;
        return result;
    }

    std::size_t measure_without(std::size_t ending) const { return shape(size() - ending).measure; }

    // Replaces the longest of the endings, which are sorted by length, where a syllable comes before it.
    template <std::size_t count>
    void replace(const Ending (&endings)[count]) {
        for (const auto &[ending, other] : endings) {
            if (!ends(ending)) continue;
            if (measure_without(ending.size()) > 0) {
                cut(ending.size());
                append(other);
            }
            return;
        }
    }

    // -- the published algorithm and its extensions

    void stem() {
        if (nltk_) {
            for (const auto &[form, base] : irregular) {
                if (!is(form)) continue;
                word_.assign(base.begin(), base.end());
                return;
            }
        }
        if (!original_ && size() <= 2) return;
        plural();
        past();
        final_y();
        double_suffix();
        replace(step_3);
        remove();
        tidy();
    }

    // Whether the first letters end in consonant, vowel, consonant other than w, x, y.
    bool is_short(std::size_t count) const {
        const Shape found = shape(count);
        if (found.short_end && !in(word_[count - 1], "wxy")) return true;
        return nltk_ && count == 2 && found.measure == 1;
    }

    void plural() {
        if (nltk_ && size() == 4 && ends("ies")) {
            cut(1);
        } else if (ends("sses") || ends("ies")) {
            cut(2);
        } else if (ends("s") && !ends("ss")) {
            cut(1);
        }
    }

    void past() {
        if (nltk_ && ends("ied")) return cut(size() == 4 ? 1 : 2);
        if (ends("eed")) {
            if (measure_without(3) > 0) cut(1);
            return;
        }
        for (const View ending : {View("ed"), View("ing")}) {
            if (!ends(ending) || !shape(size() - ending.size()).has_vowel) continue;
            cut(ending.size());
            return restore();
        }
    }

    // Gives back what a removed -ed or -ing had changed.
    void restore() {
        const Shape found = shape(size());
        if (ends("at") || ends("bl") || ends("iz")) {
            append("e");
        } else if (size() > 1 && last() == last(2) && !found.vowel_last) {
            if (!in(last(), "lsz")) cut(1);
        } else if (found.measure == 1 && is_short(size())) {
            append("e");
        }
    }

    void final_y() {
        if (!ends("y")) return;
        const Shape rest = shape(size() - 1);
        if (nltk_ ? size() > 2 && !rest.vowel_last : rest.has_vowel) word_.back() = U'i';
    }

    void double_suffix() {
        if (nltk_ && ends("alli") && measure_without(4) > 0) cut(2);
        if (nltk_ && ends("logi")) {
            if (measure_without(3) > 0) cut(1);  // counted with the l, which is part of the stem
            return;
        }
        second_step(nltk_);
    }

    // The table of the second step, and the endings that the variants add to it, in their places.
    void second_step(bool with_fulli) {
        static constexpr Ending abli[] = {{"abli", "able"}}, fulli[] = {{"fulli", "ful"}},
                                added[] = {{"logi", "log"}, {"bli", "ble"}};
        if (with_fulli && ends("fulli")) return replace(fulli);
        if (original_) {
            if (ends("abli")) return replace(abli);
        } else if (ends("logi") || ends("bli")) {
            return replace(added);
        }
        replace(step_2);
    }

    void remove() {
        for (const View ending : step_4) {
            if (!ends(ending)) continue;
            const bool fits = ending != "ion" || (size() > 3 && in(last(4), "st"));
            if (fits && measure_without(ending.size()) > 1) cut(ending.size());
            return;
        }
    }

    void tidy() {
        if (ends("e")) {
            const std::size_t measure = measure_without(1);
            if (measure > 1 || (measure == 1 && !is_short(size() - 1))) cut(1);
        }
        if (ends("ll") && measure_without(1) > 1) cut(1);
    }

    // -- the engine of ROUGE-1.5.5, whose fourth step cascades

    // Whether the first letters are consonants, a vowel, and a consonant other than w, x, y.
    bool is_short_155(std::size_t count) const {
        const Shape found = shape(count);
        return found.short_end && found.vowels == 1 && !in(word_[count - 1], "wxy");
    }

    void stem_155() {
        if (size() < 3) return;
        inflection_155();
        second_step(false);
        replace(step_3);
        derivation_155();
        if (ends("e")) {
            const std::size_t measure = measure_without(1);
            if (measure > 1 || (measure == 1 && !is_short_155(size() - 1))) cut(1);
        }
        if (ends("ll") && shape(size()).measure > 1) cut(1);
    }

    void inflection_155() {
        if (ends("sses") || ends("ies")) {
            cut(2);
        } else if (size() > 1 && last() == U's' && last(2) != U's') {
            cut(1);
        }
        if (ends("eed")) {
            if (measure_without(3) > 0) cut(1);
        } else if (ends("ed") || ends("ing")) {
            const std::size_t ending = ends("ed") ? 2 : 3;
            if (shape(size() - ending).has_vowel) {
                cut(ending);
                if (ends("at") || ends("bl") || ends("iz")) {
                    append("e");
                } else if (size() > 1 && last() == last(2) && !in(last(), "aeiouylsz")) {
                    cut(1);
                } else if (is_short_155(size())) {
                    append("e");
                }
            }
        }
        if (ends("y") && shape(size() - 1).has_vowel) word_.back() = U'i';
    }

    void derivation_155() {
        for (const View ending : step_4) {
            if (ending == "ment" || ending == "ent" || ending == "ion" || !ends(ending)) continue;
            if (measure_without(ending.size()) > 1) cut(ending.size());
            break;
        }
        if (ends("ment") && measure_without(4) > 1) cut(4);
        if (ends("ent")) {
            if (measure_without(3) > 1) cut(3);
        } else if ((ends("sion") || ends("tion")) && measure_without(3) > 1) {
            cut(3);
        }
    }

    bool original_, nltk_, engine_;
    std::u32string word_;
};

}  // namespace karat
