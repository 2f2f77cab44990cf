// Labelled spans: from tags of tokens, and what two sets of them have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "karat/names.hpp"
#include "karat/records/assignment.hpp"
#include "karat/scanning.hpp"

namespace karat::records {

struct Span {
    Id label;
    std::int64_t begin, end;  // the end is not part of it

    bool operator==(const Span &other) const {
        return label == other.label && begin == other.begin && end == other.end;
    }
};

enum class Tags { lenient, iob1, iob2, iobes, bilou };

// Reads tags of one sentence after the other. Strict schemes take well-formed spans alone, as
// seqeval's strict mode does; `lenient` begins and ends spans as conlleval does.
class TagReader {
  public:
    TagReader(Tags scheme, Names &labels) : scheme_(scheme), labels_(labels), no_label_(labels("_")) {
        for (const char c : prefixes()) allowed_[static_cast<unsigned char>(c)] = true;
    }

    struct Token {
        char prefix;
        Id label;
    };

    // A token that is not outside of all spans, and which one of its sentence it is.
    struct Inside {
        std::int64_t place;
        Token token;
    };

    // Adds the spans of a sentence; the position of a tag that the scheme does not have, or -1.
    std::int64_t read(const std::vector<std::string_view> &tags, std::vector<Span> &spans) {
        inside_.clear();
        for (std::size_t i = 0; i < tags.size(); ++i) {
            if (!add(tags[i], static_cast<std::int64_t>(i), inside_)) return static_cast<std::int64_t>(i);
        }
        read(inside_, tags.size(), spans);
        return -1;
    }

    // Adds the token of a tag, unless it is outside. False where the scheme does not have it. `before` is
    // how many bytes may be looked at before the tag.
    bool add(std::string_view tag, std::int64_t place, std::vector<Inside> &inside, std::size_t before = 0) {
        const std::uint64_t bytes = short_bytes(tag, before);
        // Few tags come again and again: each is taken apart once, if no other one takes its place.
        Known &known = known_[(bytes * 0x9e3779b97f4a7c15u) >> 56];
        if (bytes == 0 || known.bytes != bytes || known.size != tag.size()) {
            if (tag.empty() || !allowed_[static_cast<unsigned char>(tag[0])]) return false;
            known = {bytes, tag.size(), {tag[0], label(tag.substr(1))}};
        }
        if (known.token.prefix != 'O') inside.push_back({place, known.token});
        return true;
    }

    // Adds the spans of a sentence of so many tokens.
    void read(const std::vector<Inside> &inside, std::size_t size, std::vector<Span> &spans) {
        if (scheme_ == Tags::lenient) return lenient(inside, spans);
        tokens_.assign(size, {'O', no_label_});
        for (const Inside &each : inside) tokens_[static_cast<std::size_t>(each.place)] = each.token;
        strict(tokens_, spans);
    }

  private:
    std::string_view prefixes() const {
        switch (scheme_) {
            case Tags::lenient:
            case Tags::iobes: return "IOBES";
            case Tags::bilou: return "BILOU";
            default: return "IOB";
        }
    }

    Id label(std::string_view rest) {
        if (rest.empty()) return no_label_;
        if (scheme_ == Tags::lenient) {
            const std::size_t dash = rest.find('-');
            if (dash != std::string_view::npos) rest.remove_prefix(dash + 1);
        } else {
            while (!rest.empty() && rest.front() == '-') rest.remove_prefix(1);
            while (!rest.empty() && rest.back() == '-') rest.remove_suffix(1);
        }
        return rest.empty() ? no_label_ : labels_(rest);
    }

    // All bytes of a tag of at most eight; 0 for others.
    static std::uint64_t short_bytes(std::string_view tag, std::size_t before) {
        if (tag.empty() || tag.size() > 8) return 0;
        std::uint64_t bytes = 0;
#if defined(KARAT_SCANS_64)  // where numbers begin with their lowest byte
        if (before + tag.size() >= 8) {
            std::memcpy(&bytes, tag.data() + tag.size() - 8, 8);
            return bytes >> (64 - 8 * tag.size());
        }
#else
        (void)before;
#endif
        for (std::size_t i = tag.size(); i-- > 0;) bytes = bytes << 8 | static_cast<unsigned char>(tag[i]);
        return bytes;
    }

    static void lenient(const std::vector<Inside> &inside, std::vector<Span> &spans) {
        Inside before{-2, {'O', -1}};
        for (const Inside &now : inside) {
            const bool follows = now.place == before.place + 1;
            const char last = before.token.prefix, prefix = now.token.prefix;
            if (follows && last != 'E' && last != 'S' && prefix != 'B' && prefix != 'S' &&
                before.token.label == now.token.label) {
                spans.back().end = now.place + 1;
            } else {
                spans.push_back({now.token.label, now.place, now.place + 1});
            }
            before = now;
        }
    }

    static bool any(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

    bool starts(Token before, Token now) const {
        const bool same = before.label == now.label;
        switch (scheme_) {
            case Tags::iob1:
                if (now.prefix == 'I') return before.prefix == 'O' || before.prefix == 'B' || (before.prefix == 'I' && !same);
                return now.prefix == 'B' && any(before.prefix, "IB") && same;
            case Tags::iob2: return now.prefix == 'B';
            case Tags::iobes: return any(now.prefix, "BS");
            default: return any(now.prefix, "BU");
        }
    }

    bool goes_on(Token before, Token now) const {
        const std::string_view inside = scheme_ == Tags::iobes ? "IE" : scheme_ == Tags::bilou ? "IL" : "I";
        return any(before.prefix, "BI") && any(now.prefix, inside) && before.label == now.label;
    }

    bool ends(Token before, Token now) const {
        const bool same = before.label == now.label;
        switch (scheme_) {
            case Tags::iob1:
                if (now.prefix == 'O') return any(before.prefix, "IB");
                if (now.prefix == 'I') return any(before.prefix, "IB") && !same;
                return before.prefix == 'I' || (before.prefix == 'B' && same);
            case Tags::iob2:
                return any(before.prefix, "IB") && (now.prefix == 'O' || now.prefix == 'B' || !same);
            case Tags::iobes: return any(before.prefix, "SE");
            default: return any(before.prefix, "UL");
        }
    }

    void strict(std::vector<Token> &tokens, std::vector<Span> &spans) const {
        const Token outside{'O', no_label_};
        tokens.push_back(outside);
        const std::size_t size = tokens.size();
        Token before = outside;
        for (std::size_t i = 0; i < size;) {
            if (!starts(before, tokens[i])) {
                before = tokens[i++];
                continue;
            }
            std::size_t end = i + 1;
            while (end < size && goes_on(tokens[end - 1], tokens[end])) ++end;
            if (end < size && ends(tokens[end - 1], tokens[end])) {
                spans.push_back({tokens[i].label, static_cast<std::int64_t>(i), static_cast<std::int64_t>(end)});
            }
            i = end;
            before = tokens[i - 1];
        }
        tokens.pop_back();
    }

    Tags scheme_;
    Names &labels_;
    Id no_label_;
    std::array<bool, 256> allowed_{};
    std::vector<Inside> inside_;
    std::vector<Token> tokens_;
    struct Known {
        std::uint64_t bytes;
        std::size_t size;
        Token token;
    };
    std::array<Known, 256> known_{};
};

// Correct, incorrect, partial, missed, spurious.
using SpanCounts = std::array<std::int64_t, 5>;
enum class SpanMatch { strict, exact, partial, type };

class SpanMatcher {
  public:
    static constexpr std::size_t most = 5000;  // spans that overlap each other
    static constexpr std::uint64_t most_steps = 1'000'000'000;  // to pair them in one way

    // The least overlap that counts, as a share of the gold span: any, if it is 0.
    explicit SpanMatcher(double least) : least_(least) {}

    // One to one: the most correct pairs, then the most pairs that overlap; for each way to match.
    void operator()(const Span *gold, std::size_t golds, const Span *system, std::size_t systems,
                    std::array<SpanCounts, 4> &counts) {
        counts = {};
        for_components(gold, golds, system, systems, [&](const auto &ours, const auto &theirs) {
            if (std::max(ours.size(), theirs.size()) > most) {
                throw std::length_error("more than 5,000 spans of an item overlap each other");
            }
            if (std::min(ours.size(), theirs.size()) == 1) {
                lone(gold, ours, system, theirs, counts);
                return;
            }
            for (int way = 0; way < 4; ++way) {
                const auto match = static_cast<SpanMatch>(way);
                const Worth total = component(gold, ours, system, theirs, match);
                add(counts, match, total.matched, total.excused - total.matched);
            }
        });
        for (SpanCounts &each : counts) {
            const std::int64_t paired = each[0] + each[1] + each[2];
            each[3] = static_cast<std::int64_t>(golds) - paired;
            each[4] = static_cast<std::int64_t>(systems) - paired;
        }
    }

    // As nervaluate does: each span of the system, in the given order, takes the first free one of
    // gold that is correct (by type: the closest), else the first that it overlaps.
    SpanCounts greedy(const Span *gold, std::size_t golds, const Span *system, std::size_t systems, SpanMatch match) {
        SpanCounts counts{};
        std::vector<char> taken(golds, 0);
        for (std::size_t j = 0; j < systems; ++j) {
            const Span &s = system[j];
            std::size_t right = golds, other = golds;
            std::int64_t nearest = 0;
            for (std::size_t i = 0; i < golds; ++i) {
                const Span &g = gold[i];
                if (taken[i]) continue;
                const bool overlaps = overlap(g, s);
                if (match == SpanMatch::type) {
                    const std::int64_t apart = std::abs(g.begin - s.begin) + std::abs(g.end - s.end);
                    if (!overlaps) continue;
                    if (g.label == s.label && (right == golds || apart < nearest)) right = i, nearest = apart;
                    else if (g.label != s.label && other == golds) other = i;
                } else if (is_correct(g, s, match)) {
                    right = i;
                    break;
                } else if (overlaps && other == golds) {
                    other = i;
                }
            }
            if (right < golds) ++counts[0], taken[right] = 1;
            else if (other < golds) ++counts[match == SpanMatch::partial ? 2 : 1], taken[other] = 1;
            else ++counts[4];
        }
        counts[3] = std::count(taken.begin(), taken.end(), 0);
        return counts;
    }

  private:
    static void add(std::array<SpanCounts, 4> &counts, SpanMatch match, std::int64_t correct, std::int64_t others) {
        SpanCounts &here = counts[static_cast<std::size_t>(match)];
        here[0] += correct;
        here[match == SpanMatch::partial ? 2 : 1] += others;
    }

    // One span on a side: there is one pair at most, a correct one if any is.
    void lone(const Span *gold, const std::vector<std::size_t> &ours, const Span *system,
              const std::vector<std::size_t> &theirs, std::array<SpanCounts, 4> &counts) const {
        bool any = false, place = false, label = false, both = false;
        for (const std::size_t i : ours) {
            for (const std::size_t j : theirs) {
                const Span &g = gold[i], &s = system[j];
                if (!overlap(g, s)) continue;
                const bool same_place = g.begin == s.begin && g.end == s.end, same_label = g.label == s.label;
                any = true, place |= same_place, label |= same_label, both |= same_place && same_label;
            }
        }
        if (!any) return;
        add(counts, SpanMatch::strict, both, !both);
        add(counts, SpanMatch::exact, place, !place);
        add(counts, SpanMatch::partial, place, !place);
        add(counts, SpanMatch::type, label, !label);
    }

    // Correct pairs, and all pairs, of spans that overlap each other.
    Worth component(const Span *gold, const std::vector<std::size_t> &ours, const Span *system,
                    const std::vector<std::size_t> &theirs, SpanMatch match) {
        WorthTable table(static_cast<Id>(ours.size()), static_cast<Id>(theirs.size()));
        for (const std::size_t i : ours) {
            for (const std::size_t j : theirs) {
                const Span &g = gold[i], &s = system[j];
                table.push(overlap(g, s) ? Worth{is_correct(g, s, match) ? 1 : 0, 1, 0} : Worth{});
            }
        }
        return Pairing(table, most_steps).total();
    }

    bool overlap(const Span &g, const Span &s) const {
        const std::int64_t shared = std::min(g.end, s.end) - std::max(g.begin, s.begin);
        return shared > 0 && static_cast<double>(shared) >= least_ * static_cast<double>(g.end - g.begin);
    }

    static bool is_correct(const Span &g, const Span &s, SpanMatch match) {
        const bool place = g.begin == s.begin && g.end == s.end, label = g.label == s.label;
        if (match == SpanMatch::strict) return place && label;
        return match == SpanMatch::type ? label : place;
    }

    // Groups of spans that overlap each other, through whichever others; each is matched by itself.
    template <class Take>
    void for_components(const Span *gold, std::size_t golds, const Span *system, std::size_t systems, Take take) {
        order_.clear();
        for (std::size_t i = 0; i < golds; ++i) order_.push_back({gold[i].begin, gold[i].end, true, i});
        for (std::size_t j = 0; j < systems; ++j) order_.push_back({system[j].begin, system[j].end, false, j});
        const auto earlier = [](const Entry &a, const Entry &b) { return a.begin < b.begin; };
        const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(golds);
        // Spans of tags come in order on each side.
        if (std::is_sorted(order_.begin(), middle, earlier) && std::is_sorted(middle, order_.end(), earlier)) {
            merged_.resize(order_.size());
            std::merge(order_.begin(), middle, middle, order_.end(), merged_.begin(), earlier);
            order_.swap(merged_);
        } else {
            std::sort(order_.begin(), order_.end(), earlier);
        }
        for (std::size_t at = 0; at < order_.size();) {
            std::int64_t reach = order_[at].end;
            ours_.clear(), theirs_.clear();
            std::size_t next = at;
            for (; next < order_.size() && (next == at || order_[next].begin < reach); ++next) {
                reach = std::max(reach, order_[next].end);
                (order_[next].gold ? ours_ : theirs_).push_back(order_[next].index);
            }
            if (!ours_.empty() && !theirs_.empty()) take(ours_, theirs_);
            at = next;
        }
    }

    struct Entry {
        std::int64_t begin, end;
        bool gold;
        std::size_t index;
    };

    double least_;
    std::vector<Entry> order_, merged_;
    std::vector<std::size_t> ours_, theirs_;
};

}  // namespace karat::records
