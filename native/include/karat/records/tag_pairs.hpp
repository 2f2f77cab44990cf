// Two sentences in columns that differ in some of their tags, read side by side.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "karat/records/spans.hpp"
#include "karat/records/tag_columns.hpp"

namespace karat::records {

// Most lines of gold and system are the same, and are then read once.
class TagPairs {
  public:
    explicit TagPairs(TagReader &reader) : reader_(reader) {}

    // Adds the spans of both. False where a line is not a token, a tab, and a tag of the scheme in its last
    // column, or where tokens differ: then nothing is added, and nothing said.
    bool read(std::string_view gold, std::string_view system, std::vector<Span> &ours, std::vector<Span> &theirs) {
        gold_.clear(), system_.clear();
        const char *g = gold.data(), *s = system.data();
        const char *const gold_end = g + gold.size(), *const system_end = s + system.size();
        while (g < gold_end && s < system_end) {
            const TabbedLine line(g, gold_end);
            if (!is_plain(g, line)) return false;
            const std::string_view tag(line.last + 1, static_cast<std::size_t>(line.end - line.last - 1));
            if (!reader_.has(tag)) return false;
            gold_.push_back(reader_.token(tag));
            const auto size = static_cast<std::size_t>(line.end - g);
            if (same(g, gold_end, s, system_end, size) && (s + size == system_end || s[size] == '\n')) {
                system_.push_back(gold_.back());
                s += size;
            } else {
                const TabbedLine other(s, system_end);
                if (!is_plain(s, other) || other.first - s != line.first - g ||
                    std::memcmp(s, g, static_cast<std::size_t>(line.first - g)) != 0) {
                    return false;
                }
                const std::string_view guess(other.last + 1, static_cast<std::size_t>(other.end - other.last - 1));
                if (!reader_.has(guess)) return false;
                system_.push_back(reader_.token(guess));
                s = other.end;
            }
            g = line.end;
            g += g < gold_end, s += s < system_end;
        }
        if (g < gold_end || s < system_end) return false;
        reader_.read(gold_, ours);
        reader_.read(system_, theirs);
        return true;
    }

  private:
    // Whether it cannot be blank, a comment or a line that separates documents.
    static bool is_plain(const char *begin, const TabbedLine &line) {
        return line.first && line.first > begin && *begin != ' ' && *begin != '-';
    }

    static bool same(const char *a, const char *a_end, const char *b, const char *b_end, std::size_t size) {
        if (static_cast<std::size_t>(b_end - b) < size) return false;
#if defined(KARAT_WITH_SSE2)
        if (size <= 16 && a_end - a >= 16 && b_end - b >= 16) {
            const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(a)),
                                                 _mm_loadu_si128(reinterpret_cast<const __m128i *>(b)));
            const unsigned wanted = (1u << size) - 1;
            return (static_cast<unsigned>(_mm_movemask_epi8(equal)) & wanted) == wanted;
        }
#else
        (void)a_end;
#endif
        return std::memcmp(a, b, size) == 0;
    }

    TagReader &reader_;
    std::vector<TagReader::Token> gold_, system_;
};

}  // namespace karat::records
