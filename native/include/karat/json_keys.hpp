// Keys that stand twice in one object of JSON. Readers take the last of them, and so do not see it.
//
// Nothing is checked here but keys: what is no JSON is passed over, for readers to refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "karat/json.hpp"
#include "karat/names.hpp"

#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#endif

namespace karat {

struct DoubledKeys {
    std::size_t records = 0;  // lines, or objects where the text is one document
    std::size_t line = 0;     // that of the first, from 0
    std::string name;         // its key
};

class JsonKeys {
  public:
    // `lines`: each line is a document; `deep`: objects within others count as well.
    JsonKeys(std::string_view text, bool lines, bool deep)
        : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), lines_(lines), deep_(deep) {}

    DoubledKeys find() {
        while (at_ < end_) {
            switch (*at_++) {
                case '"': string(); break;
                case '{': open(true); break;
                case '[': open(false); break;
                case '}':
                case ']': close(); break;
                case ',': awaits_key_ = !levels_.empty() && levels_.back().is_object; break;
                case '\n':
                    if (lines_) next_line();
                    break;
                default: break;
            }
        }
        return std::move(found_);
    }

  private:
    struct Level {
        bool is_object, is_doubled;
        std::uint32_t many;  // which of the sets holds its keys, from 1; 0: there are few
        std::uint64_t seen;  // a bit for each key, by its hash
        std::size_t first;   // of its keys
    };
    static constexpr std::size_t few = 24;

    void open(bool is_object) {
        levels_.push_back({is_object, false, 0, 0, keys_.size()});
        awaits_key_ = is_object;
    }

    void close() {
        if (levels_.empty()) return;
        keys_.resize(levels_.back().first);
        if (levels_.back().many) sets_.pop_back();
        levels_.pop_back();
        awaits_key_ = false;
    }

    void next_line() {
        levels_.clear();
        keys_.clear();
        if (!sets_.empty()) sets_.clear();
        if (!unescaped_.empty()) unescaped_.clear();
        awaits_key_ = is_line_doubled_ = false;
    }

    void string() {
        const char *const first = at_;
        bool has_escapes = false;
        while (true) {
            pass_plain();
            if (at_ == end_) return;
            const char c = *at_++;
            if (c == '"') break;
            if (c == '\n' && lines_) return next_line();
            if (c == '\\') {
                has_escapes = true;
                if (at_ < end_ && *at_ != '\n') ++at_;
            }
        }
        if (!awaits_key_) return;
        awaits_key_ = false;
        if (!deep_ && levels_.size() > 1) return;
        std::string_view name(first, static_cast<std::size_t>(at_ - 1 - first));
        if (has_escapes) {
            std::string plain;
            if (JsonReader({first - 1, name.size() + 2}).string(plain)) {
                name = unescaped_.emplace_back(std::move(plain));
            }
        }
        if (is_again(levels_.back(), name)) tell(name);
    }

    // Up to a quotation mark, a backslash or the end of a line.
    void pass_plain() {
#if defined(__SSE2__) && defined(__GNUC__)
        const __m128i quotation = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), newline = _mm_set1_epi8('\n');
        for (; end_ - at_ >= 16; at_ += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at_));
            const __m128i stops = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quotation), _mm_cmpeq_epi8(bytes, backslash)),
                                               _mm_cmpeq_epi8(bytes, newline));
            if (const int mask = _mm_movemask_epi8(stops)) {
                at_ += __builtin_ctz(static_cast<unsigned>(mask));
                return;
            }
        }
#endif
        while (at_ < end_ && *at_ != '"' && *at_ != '\\' && *at_ != '\n') ++at_;
    }

    bool is_again(Level &level, std::string_view name) {
        if (level.many) return !sets_[level.many - 1].insert(name).second;
        std::uint64_t hash = 0;
        if (name.size() >= 8) {
            std::memcpy(&hash, name.data(), 8);
        } else {
            for (const char c : name) hash = hash << 8 | static_cast<unsigned char>(c);
        }
        hash = (hash ^ name.size()) * 0x9E3779B97F4A7C15u;
        const std::uint64_t bit = std::uint64_t{1} << (hash >> 58);
        if (level.seen & bit) {
            for (std::size_t i = level.first; i < keys_.size(); ++i) {
                if (keys_[i] == name) return true;
            }
        }
        level.seen |= bit;
        keys_.push_back(name);
        if (keys_.size() - level.first > few) {
            sets_.emplace_back(keys_.begin() + static_cast<std::ptrdiff_t>(level.first), keys_.end());
            level.many = static_cast<std::uint32_t>(sets_.size());
        }
        return false;
    }

    void tell(std::string_view name) {
        if (found_.records == 0) {
            found_.name = name;
            for (const char *c = begin_; c < at_; ++c) found_.line += *c == '\n';
        }
        bool &is_told = lines_ ? is_line_doubled_ : levels_.back().is_doubled;
        if (!is_told) ++found_.records;
        is_told = true;
    }

    const char *begin_, *at_, *end_;
    bool lines_, deep_, awaits_key_ = false, is_line_doubled_ = false;
    std::vector<Level> levels_;
    std::vector<std::string_view> keys_;
    std::vector<std::unordered_set<std::string_view, HashOfName>> sets_;
    std::deque<std::string> unescaped_;
    DoubledKeys found_;
};

}  // namespace karat
