// Sentences in columns, most of which are as plain as can be: each line is a token and, in its last column, a tag.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "karat/records/spans.hpp"
#include "karat/records/tag_columns.hpp"
#include "karat/scanning.hpp"

namespace karat::records {

// Looks at 64 bytes at a time: most lines end in a tag that is outside of all spans, and are only counted.
class PlainTags {
  public:
    explicit PlainTags(TagReader &reader) : reader_(reader) {}

    // Adds the spans of a sentence. False where it is not plain: then nothing is added, and nothing said.
    bool read(std::string_view sentence, std::vector<Span> &spans) {
#if defined(KARAT_SCANS_64)
        inside_.clear();
        begin_ = sentence.data(), lines_ = 0, carried_ = {};
        separator_ = sentence.find('\t') == std::string_view::npos ? ' ' : '\t';
        checked_ = false;
        const char *at = begin_, *const end = at + sentence.size();
        for (; end - at >= 64; at += 64) {
            if (!look(at, at, ~std::uint64_t{0}, sentence)) return false;
        }
        const auto left = static_cast<std::size_t>(end - at);
        char rest[64] = {};
        if (left) std::memcpy(rest, at, left);
        rest[left] = '\n';  // which ends the last line
        if (!look(rest, at, (std::uint64_t{2} << left) - 1, sentence)) return false;
        reader_.read(inside_, static_cast<std::size_t>(lines_), spans);
        return true;
#else
        (void)sentence, (void)spans;
        return false;
#endif
    }

    // Whether two plain sentences have the same tokens in the first columns of their lines.
    static bool have_same_tokens(std::string_view gold, std::string_view system) {
        for (;;) {
            const std::size_t same = common(gold, system);
            if (same == gold.size() && same == system.size()) return true;
            // The line that differs: its token has to end before it does.
            const std::size_t begin = gold.substr(0, same).rfind('\n') + 1;
            const std::size_t g = gold.find('\n', same), s = system.find('\n', same);
            if (!has_token(gold.substr(begin, g - begin), system.substr(begin, s - begin), same - begin)) return false;
            if (g == std::string_view::npos || s == std::string_view::npos) return g == s;
            gold.remove_prefix(g + 1), system.remove_prefix(s + 1);
        }
    }

  private:
    // Whether the first column of two lines ends in what they begin with: at a blank in lines without tabs.
    static bool has_token(std::string_view gold, std::string_view system, std::size_t same) {
        const auto has = [](std::string_view text, char c) { return text.find(c) != std::string_view::npos; };
        const std::string_view both = gold.substr(0, same);
        return has(both, '\t') || (has(both, ' ') && !has(gold, '\t') && !has(system, '\t'));
    }

    static std::size_t common(std::string_view a, std::string_view b) {
        const std::size_t size = std::min(a.size(), b.size());
        std::size_t i = 0;
        for (; i + 8 <= size && std::memcmp(a.data() + i, b.data() + i, 8) == 0; i += 8) {}
        while (i < size && a[i] == b[i]) ++i;
        return i;
    }

#if defined(KARAT_SCANS_64)
    // Of the bytes before: whether a line ended, whether the last one was an O, and the last two that were
    // separators; at first, a line begins.
    struct Carried {
        std::uint64_t feeds = 1, outs = 0, separators = 0;
    };

    // The lines that end among 64 bytes, of which some are valid; `place` is where they are in the sentence.
    bool look(const char *bytes, const char *place, std::uint64_t valid, std::string_view sentence) {
        const auto equal = [bytes](char c) {
            return of_64_bytes(bytes, [c](__m128i each) { return _mm_cmpeq_epi8(each, _mm_set1_epi8(c)); });
        };
        const std::uint64_t feeds = equal('\n'), tabs = equal('\t'), blanks = equal(' '), outs = equal('O');
        const std::uint64_t low = of_64_bytes(bytes, [](__m128i each) { return _mm_cmplt_epi8(each, _mm_set1_epi8(' ')); });
        if ((low & ~feeds & ~tabs & valid) && !checked_) {  // a control character, or not ASCII
            if (has_returns(sentence)) return false;
            checked_ = true;
        }
        const std::uint64_t begins = ((feeds << 1) | carried_.feeds) & valid;
        if (begins & (feeds | tabs | blanks | equal('-'))) return false;
        const std::uint64_t separators = separator_ == ' ' ? blanks : tabs;
        const std::uint64_t outside = ((outs << 1) | carried_.outs) & ((separators << 2) | carried_.separators);
        for (std::uint64_t left = feeds & ~outside; left; left &= left - 1) {
            const std::uint64_t earlier = (left & -left) - 1, before = feeds & earlier, columns = separators & earlier;
            const char *const end = place + __builtin_ctzll(left);
            const char *tag = columns > before ? place + 64 - __builtin_clzll(columns) : end;
            if (tag == end) {  // it is empty, or begins among the bytes before
                while (tag > begin_ && tag[-1] != separator_ && tag[-1] != '\n') --tag;
                if (tag == begin_ || tag[-1] == '\n') return false;
            }
            if (!reader_.add({tag, static_cast<std::size_t>(end - tag)}, lines_ + __builtin_popcountll(before), inside_,
                             static_cast<std::size_t>(tag - begin_))) {
                return false;
            }
        }
        lines_ += __builtin_popcountll(feeds);
        carried_ = {feeds >> 63, outs >> 63, separators >> 62};
        return true;
    }

    const char *begin_ = nullptr;
    std::int64_t lines_ = 0;
    Carried carried_;
    char separator_ = '\t';
    bool checked_ = false;
#endif

    TagReader &reader_;
    std::vector<TagReader::Inside> inside_;
};

}  // namespace karat::records
