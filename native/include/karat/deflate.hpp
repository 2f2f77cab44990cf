// Compression for pages: DEFLATE (RFC 1951), as small as zlib's levels 2 to 7 make it, in about half their time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace karat {

class Deflate {
  public:
    // Of `depth` earlier places with the same hash, the one with most in common is taken; more make less, and take longer.
    explicit Deflate(int depth) : depth_(depth) {}

    // A whole stream.
    std::string operator()(std::string_view data) {
        out_.assign(data.size() / 4 + 64, '\0');
        bits_ = 0, filled_ = 0, written_ = 0;
        tokens_.clear(), tokens_.reserve(block + 1);
        int log = 8;
        while (log < most_buckets && (std::size_t(1) << log) < data.size()) ++log;
        shift_ = 32 - log;
        last_.assign(std::size_t(1) << log, none);
        before_.assign(std::min(std::size_t(far), data.size()), none);
        const bool waits = depth_ > hasty;  // whether a longer match at the next place is preferred
        const auto size = static_cast<std::int64_t>(data.size());
        std::int64_t at = 0;
        Match match = find(data, at, 0);
        while (at < size) {
            if (tokens_.size() >= block) write_block(false);
            const Match next = waits && match.size < enough ? find(data, at + 1, match.size) : Match{};
            if (match.size == 0 || next.size > match.size) {
                tokens_.push_back(static_cast<unsigned char>(data[static_cast<std::size_t>(at++)]));
                match = waits && match.size < enough ? next : find(data, at, 0);
                continue;
            }
            tokens_.push_back(static_cast<std::uint32_t>(match.size) << 16 | static_cast<std::uint32_t>(match.distance));
            // Of long ones, a few places will do.
            const std::int64_t end = std::min(at + match.size, size - least + 1), step = waits || match.size < enough ? 1 : 4;
            for (std::int64_t place = at + (waits && match.size < enough ? 2 : 1); place < end; place += step) enter(data, place);
            at += match.size;
            match = find(data, at, 0);
        }
        write_block(true);
        write_bytes((filled_ + 7) / 8);
        out_.resize(written_);
        return std::move(out_);
    }

  private:
    static constexpr int most_buckets = 15, hasty = 4;
    static constexpr std::int32_t none = -1;
    static constexpr std::int64_t far = 32768, least = 4, longest = 258, enough = 64;
    static constexpr std::size_t block = 1 << 15, few = 128;  // so many tokens share a code
    static constexpr std::size_t literals = 286, distances = 30, end_of_block = 256;

    struct Match {
        std::int64_t size = 0, distance = 0;
    };

    static std::uint32_t four(std::string_view data, std::int64_t at) {
        std::uint32_t result;
        std::memcpy(&result, data.data() + at, 4);
        return result;
    }

    // The last place where something with the same hash stands; the ones before it form a chain.
    std::int32_t &last(std::uint32_t bytes) { return last_[std::size_t(bytes * 0x9e3779b1u >> shift_)]; }

    // Where a place stands among the last ones.
    static std::size_t ring(std::int64_t place) { return static_cast<std::size_t>(place) % static_cast<std::size_t>(far); }

    std::int64_t enter(std::string_view data, std::int64_t at) {
        std::int32_t &place = last(four(data, at));
        const std::int32_t earlier = place;
        before_[ring(at)] = earlier;
        place = static_cast<std::int32_t>(at);
        return earlier;
    }

    // The longest match, of more than so many bytes.
    Match find(std::string_view data, std::int64_t at, std::int64_t known) {
        Match best;
        if (at + least > static_cast<std::int64_t>(data.size())) return best;
        const std::uint32_t bytes = four(data, at);
        std::int64_t place = enter(data, at), longest_known = std::max(known, least - 1);
        for (int i = 0; i < depth_ && place >= 0 && at - place <= far; ++i) {
            if (at + longest_known >= static_cast<std::int64_t>(data.size())) break;
            if (data[static_cast<std::size_t>(place + longest_known)] == data[static_cast<std::size_t>(at + longest_known)] && four(data, place) == bytes) {
                const std::int64_t size = same(data, place, at);
                if (size > longest_known) {
                    best = {size, at - place};
                    longest_known = size;
                    if (size >= enough) break;
                }
            }
            const std::int64_t earlier = before_[ring(place)];
            if (earlier >= place) break;
            place = earlier;
        }
        return best;
    }

    // How many bytes are the same; four are.
    static std::int64_t same(std::string_view data, std::int64_t place, std::int64_t at) {
        const char *one = data.data() + place, *other = data.data() + at;
        const std::int64_t most = std::min(longest, static_cast<std::int64_t>(data.size()) - at);
        std::int64_t size = least;
        for (; size + 8 <= most; size += 8) {
            std::uint64_t a, b;
            std::memcpy(&a, one + size, 8);
            std::memcpy(&b, other + size, 8);
            if (a == b) continue;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return size + __builtin_ctzll(a ^ b) / 8;
#else
            break;
#endif
        }
        while (size < most && one[size] == other[size]) ++size;
        return size;
    }

    struct Code {
        std::uint32_t bits = 0;
        int size = 0;
    };

    // The symbol that a length or distance begins with, and how many bits follow it.
    struct Ranged {
        std::size_t symbol;
        int more;
        std::uint32_t rest;
    };

    static int log2(std::uint32_t value) {
        int result = 0;
        while (value >>= 1) ++result;
        return result;
    }

    static Ranged ranged_distance(std::uint32_t distance) {
        const std::uint32_t from = distance - 1;
        if (from < 4) return {from, 0, 0};
        const int more = log2(from) - 1;
        return {static_cast<std::size_t>(2 * more + 2) + (from >> more & 1u), more, from & ((1u << more) - 1)};
    }

    static Ranged ranged_length(std::uint32_t length) {
        if (length == longest) return {285, 0, 0};
        const std::uint32_t from = length - 3;
        if (from < 8) return {257 + from, 0, 0};
        const int more = log2(from) - 2;
        return {static_cast<std::size_t>(257 + 4 * more + 4) + (from >> more & 3u), more, from & ((1u << more) - 1)};
    }

    // Both of all lengths and distances, as tables: a distance by its number below 256, or by the part above its last 7 bits.
    struct Tables {
        std::array<Ranged, longest + 1> lengths;
        std::array<std::uint8_t, 512> distances;

        Tables() {
            for (std::uint32_t length = 3; length <= longest; ++length) lengths[length] = ranged_length(length);
            for (std::uint32_t from = 0; from < 256; ++from) {
                distances[from] = static_cast<std::uint8_t>(ranged_distance(from + 1).symbol);
                distances[256 + from] = static_cast<std::uint8_t>(ranged_distance((from << 7) + 1).symbol);
            }
        }

        std::size_t distance(std::uint32_t distance) const {
            const std::uint32_t from = distance - 1;
            return distances[from < 256 ? from : 256 + (from >> 7)];
        }
    };

    static const Tables &tables() {
        static const Tables made;
        return made;
    }

    // Sizes of the codes of symbols, by how often there is each: Huffman's, of at most `most` bits.
    template <std::size_t count>
    static std::array<Code, count> codes(const std::array<std::uint32_t, count> &times, int most) {
        std::vector<std::size_t> used;
        for (std::size_t i = 0; i < count; ++i) {
            if (times[i] > 0) used.push_back(i);
        }
        std::array<Code, count> result{};
        if (used.empty()) return result;
        std::sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) {
            return times[a] != times[b] ? times[a] < times[b] : a < b;
        });
        // Nodes are made in the order of their weights, so that two queues take the place of a heap.
        const std::size_t leaves = used.size();
        std::vector<std::uint64_t> weight(2 * leaves);
        std::vector<std::size_t> parent(2 * leaves, 0);
        for (std::size_t i = 0; i < leaves; ++i) weight[i] = times[used[i]];
        std::size_t leaf = 0, inner = leaves, made = leaves;
        const auto lightest = [&] {
            return leaf < leaves && (inner == made || weight[leaf] <= weight[inner]) ? leaf++ : inner++;
        };
        for (; made < 2 * leaves - 1; ++made) {
            const std::size_t one = lightest(), other = lightest();
            weight[made] = weight[one] + weight[other];
            parent[one] = parent[other] = made;
        }
        std::array<int, 64> number{};  // of codes of each size
        std::vector<int> depth(2 * leaves, 0);
        for (std::size_t i = made - 1; i-- > 0;) depth[i] = depth[parent[i]] + 1;
        for (std::size_t i = 0; i < leaves; ++i) ++number[static_cast<std::size_t>(std::clamp(depth[i], 1, most))];
        // Where codes were too long, others become longer until all fit.
        std::int64_t total = 0;
        for (int size = 1; size <= most; ++size) total += std::int64_t(number[static_cast<std::size_t>(size)]) << (most - size);
        for (; total > std::int64_t(1) << most; --total) {
            --number[static_cast<std::size_t>(most)];
            std::size_t size = static_cast<std::size_t>(most) - 1;
            while (number[size] == 0) --size;
            --number[size];
            number[size + 1] += 2;
        }
        std::size_t place = leaves;  // the most frequent symbols have the shortest codes
        for (int size = 1; size <= most; ++size) {
            for (int i = 0; i < number[static_cast<std::size_t>(size)]; ++i) result[used[--place]].size = size;
        }
        number_codes(result);
        return result;
    }

    // Codes of the same size follow each other; they are written from their first bit on.
    template <std::size_t count>
    static void number_codes(std::array<Code, count> &codes) {
        std::uint32_t next = 0;
        for (int size = 1; size < 16; ++size, next <<= 1) {
            for (Code &code : codes) {
                if (code.size != size) continue;
                for (int i = 0; i < size; ++i) code.bits |= (next >> i & 1u) << (size - 1 - i);
                ++next;
            }
        }
    }

    static std::array<Code, literals> fixed_codes() {
        std::array<Code, 288> result;  // of which two stand for nothing
        for (std::size_t i = 0; i < result.size(); ++i) result[i].size = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        number_codes(result);
        std::array<Code, literals> used;
        std::copy_n(result.begin(), literals, used.begin());
        return used;
    }

    static std::array<Code, distances> fixed_codes_of_distances() {
        std::array<Code, distances> result;
        for (Code &code : result) code.size = 5;
        number_codes(result);
        return result;
    }

    void put(std::uint32_t bits, int size) {
        bits_ |= std::uint64_t(bits) << filled_;
        filled_ += size;
        if (filled_ >= 32) write_bytes(4);
    }

    void write_bytes(int count) {
        if (out_.size() < written_ + 4) out_.resize(2 * out_.size() + 64);
        for (std::size_t i = 0; i < 4; ++i) out_[written_ + i] = static_cast<char>(bits_ >> 8 * i);
        written_ += static_cast<std::size_t>(count);
        bits_ >>= 8 * count;
        filled_ -= 8 * count;
    }

    void put(Code code) { put(code.bits, code.size); }

    void write_block(bool last) {
        put(last ? 1 : 0, 1);
        if (tokens_.size() < few) {  // where their own codes would hardly pay for being written
            static const auto fixed = fixed_codes();
            static const auto fixed_distances = fixed_codes_of_distances();
            put(1, 2);
            write_tokens(fixed, fixed_distances);
        } else {
            std::array<std::uint32_t, literals> times{};
            std::array<std::uint32_t, distances> times_of_distances{};
            const Tables &known = tables();
            times[end_of_block] = 1;
            for (const std::uint32_t token : tokens_) {
                if (token < 256) {
                    ++times[token];
                } else {
                    ++times[known.lengths[token >> 16].symbol];
                    ++times_of_distances[known.distance(token & 0xffff)];
                }
            }
            const auto own = codes(times, 15);
            const auto own_distances = codes(times_of_distances, 15);
            put(2, 2);
            write_codes(own, own_distances);
            write_tokens(own, own_distances);
        }
        tokens_.clear();
    }

    void write_tokens(const std::array<Code, literals> &own, const std::array<Code, distances> &own_distances) {
        const Tables &known = tables();
        for (const std::uint32_t token : tokens_) {
            if (token < 256) {
                put(own[token]);
                continue;
            }
            const Ranged &length = known.lengths[token >> 16];
            const Code &code = own[length.symbol];
            put(code.bits | length.rest << code.size, code.size + length.more);
            const std::uint32_t distance = token & 0xffff;
            const std::size_t symbol = known.distance(distance);
            put(own_distances[symbol]);
            if (symbol >= 4) {
                const int more = static_cast<int>(symbol) / 2 - 1;
                put((distance - 1) & ((1u << more) - 1), more);
            }
        }
        put(own[end_of_block]);
    }

    // The sizes of all codes, themselves coded: repeated ones as their number.
    void write_codes(const std::array<Code, literals> &own, const std::array<Code, distances> &own_distances) {
        std::size_t count = literals, count_of_distances = distances;
        while (count > 257 && own[count - 1].size == 0) --count;
        while (count_of_distances > 1 && own_distances[count_of_distances - 1].size == 0) --count_of_distances;
        std::vector<int> sizes;
        for (std::size_t i = 0; i < count; ++i) sizes.push_back(own[i].size);
        for (std::size_t i = 0; i < count_of_distances; ++i) sizes.push_back(own_distances[i].size);
        struct Part {
            std::size_t symbol;
            std::uint32_t rest;
            int more;
        };
        std::vector<Part> parts;
        std::array<std::uint32_t, 19> times{};
        for (std::size_t i = 0; i < sizes.size();) {
            std::size_t end = i + 1;
            while (end < sizes.size() && sizes[end] == sizes[i]) ++end;
            std::size_t run = end - i;
            const bool none = sizes[i] == 0;
            if (!none) parts.push_back({static_cast<std::size_t>(sizes[i]), 0, 0}), --run;
            while (run >= 3) {
                const std::size_t some = std::min<std::size_t>(run, none ? 138 : 6);
                if (!none) parts.push_back({16, static_cast<std::uint32_t>(some - 3), 2});
                else if (some < 11) parts.push_back({17, static_cast<std::uint32_t>(some - 3), 3});
                else parts.push_back({18, static_cast<std::uint32_t>(some - 11), 7});
                run -= some;
            }
            for (; run > 0; --run) parts.push_back({static_cast<std::size_t>(sizes[i]), 0, 0});
            i = end;
        }
        for (const Part &part : parts) ++times[part.symbol];
        const auto of_sizes = codes(times, 7);
        constexpr std::size_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
        std::size_t written = 19;
        while (written > 4 && of_sizes[order[written - 1]].size == 0) --written;
        put(static_cast<std::uint32_t>(count - 257), 5);
        put(static_cast<std::uint32_t>(count_of_distances - 1), 5);
        put(static_cast<std::uint32_t>(written - 4), 4);
        for (std::size_t i = 0; i < written; ++i) put(static_cast<std::uint32_t>(of_sizes[order[i]].size), 3);
        for (const Part &part : parts) {
            put(of_sizes[part.symbol]);
            put(part.rest, part.more);
        }
    }

    std::string out_;
    std::size_t written_ = 0;
    std::uint64_t bits_ = 0;
    int filled_ = 0, shift_ = 0, depth_;
    std::vector<std::int32_t> last_, before_;
    std::vector<std::uint32_t> tokens_;  // a byte, or a length and a distance
};

}  // namespace karat
