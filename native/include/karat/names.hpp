// Numbers for strings, the same for equal ones, and back.
//
// Texts are read by the thousand, so nothing is allocated for a string by itself and
// a table that was cleared is used again as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace karat {

template <class Part>
std::uint64_t loaded(const char *at) {
    Part part;
    std::memcpy(&part, at, sizeof part);
    return part;
}

// All bytes of at most 8, some twice; different for different ones of the same size.
inline std::uint64_t few_bytes(std::string_view text) {
    const char *const at = text.data(), *const end = at + text.size();
    if (text.size() >= 4) return loaded<std::uint32_t>(at) << 32 | loaded<std::uint32_t>(end - 4);
    if (text.size() >= 2) return loaded<std::uint16_t>(at) << 16 | loaded<std::uint16_t>(end - 2);
    return text.empty() ? 0 : static_cast<unsigned char>(*at);
}

// Steele, Lea and Flood's finalizer.
inline std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Drawn for each process, so that nobody can write a file whose names all have one hash. Nothing that is
// told depends on a hash.
inline const std::uint64_t kHashSeed = [] {
    std::random_device random;
    return static_cast<std::uint64_t>(random()) << 32 | random();
}();

// Drawn in the same way: the products of keys with it, which somebody may have chosen, are spread over a table.
inline const std::uint64_t kSpread = mixed(kHashSeed) | 1;

// A hash of a name: its bytes, eight at a time, are mixed into a value one after the other.
inline std::uint64_t hash_of_name(std::string_view name) {
    std::uint64_t value = kHashSeed ^ name.size();
    if (name.size() <= 8) return mixed(value ^ few_bytes(name));
    for (std::size_t at = 0; at + 8 < name.size(); at += 8) value = mixed(value ^ loaded<std::uint64_t>(name.data() + at));
    return mixed(value ^ loaded<std::uint64_t>(name.data() + name.size() - 8));
}

// Whether two names are the same; most are short.
inline bool same_name(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) return false;
    if (one.size() <= 8) return few_bytes(one) == few_bytes(other);
    const std::size_t last = one.size() - 8;
    for (std::size_t at = 0; at < last; at += 8) {
        if (loaded<std::uint64_t>(one.data() + at) != loaded<std::uint64_t>(other.data() + at)) return false;
    }
    return loaded<std::uint64_t>(one.data() + last) == loaded<std::uint64_t>(other.data() + last);
}
// For tables of the standard library, whose own hashes are known to everybody.
struct HashOfName {
    std::size_t operator()(std::string_view name) const { return static_cast<std::size_t>(hash_of_name(name)); }
};
struct HashOfNumber {
    std::size_t operator()(std::uint64_t number) const { return static_cast<std::size_t>(mixed(number ^ kHashSeed)); }
};

// Copies of strings. They stay where they are until all are cleared.
class KeptBytes {
  public:
    std::string_view operator()(std::string_view name) {
        if (name.empty()) return {};
        while (block_ < blocks_.size() && used_ + name.size() > blocks_[block_].size) ++block_, used_ = 0;
        if (block_ == blocks_.size()) {
            const std::size_t size = name.size() > block_size ? name.size() : block_size;
            blocks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
        }
        char *bytes = blocks_[block_].bytes.get() + used_;
        std::memcpy(bytes, name.data(), name.size());
        used_ += name.size();
        return {bytes, name.size()};
    }

    void clear() { block_ = used_ = 0; }

  private:
    static constexpr std::size_t block_size = 1 << 14;

    struct Block {
        std::unique_ptr<char[]> bytes;
        std::size_t size;
    };

    std::vector<Block> blocks_;
    std::size_t block_ = 0, used_ = 0;
};

class Names {
  public:
    // The number of a string: the next one for a string that is new.
    std::int32_t operator()(std::string_view name) {
        if (2 * (strings_.size() + 1) > slots_.size()) grow();
        std::size_t slot = place(name);
        if (slots_[slot] < 0) {
            slots_[slot] = static_cast<std::int32_t>(strings_.size());
            strings_.push_back(kept_(name));
        }
        return slots_[slot];
    }

    // The same for a string that is there; -1 for others.
    std::int32_t find(std::string_view name) const { return slots_.empty() ? -1 : slots_[place(name)]; }

    // What has this number; it stays where it is until the table is cleared.
    std::string_view operator[](std::int32_t number) const { return strings_[static_cast<std::size_t>(number)]; }

    std::size_t size() const { return strings_.size(); }

    void clear() {
        if (strings_.empty()) return;
        strings_.clear();
        std::fill(slots_.begin(), slots_.end(), -1);
        kept_.clear();
    }

  private:
    // The slot of a string, or the free one that it would take.
    std::size_t place(std::string_view name) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash_of_name(name)) & mask;
        while (slots_[slot] >= 0 && !same_name(strings_[static_cast<std::size_t>(slots_[slot])], name)) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), -1);
        for (std::size_t i = 0; i < strings_.size(); ++i) slots_[place(strings_[i])] = static_cast<std::int32_t>(i);
    }

    std::vector<std::string_view> strings_;
    std::vector<std::int32_t> slots_;  // numbers by hash, -1 where free; a power of two
    KeptBytes kept_;
};

}  // namespace karat
