// Which name of one list is which of another, by a table of places: nothing is made of the names.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "karat/names.hpp"
#include "karat/strings.hpp"

namespace karat {

class NameTable {
  public:
    explicit NameTable(const Strings &names) : names_(names) {
        std::size_t size = 64;
        while (size < 2 * names.count) size *= 2;
        slots_.assign(size, 0);
    }

    // Adds a name by its place; false where it is there already.
    bool add(std::size_t place) {
        const std::uint64_t hash = hash_of_name(names_[place]);
        std::size_t slot = find(names_[place], hash);
        if (slots_[slot]) return false;
        slots_[slot] = (hash & high) | (place + 1);
        return true;
    }

    // The place of a name, or -1.
    std::int64_t operator[](std::string_view name) const {
        return static_cast<std::int64_t>(slots_[find(name, hash_of_name(name))] & ~high) - 1;
    }

    static constexpr std::size_t most = 0xFFFFFFFEu;

  private:
    static constexpr std::uint64_t high = 0xFFFFFFFF00000000u;

    // The slot of a name, or the free one that it would take.
    std::size_t find(std::string_view name, std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash) & mask;
        while (slots_[slot]) {
            const std::uint64_t found = slots_[slot];
            if ((found & high) == (hash & high) && names_[static_cast<std::size_t>(found & ~high) - 1] == name) break;
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    Strings names_;
    std::vector<std::uint64_t> slots_;  // half of the hash, and the place from 1; 0 where free
};

// For each gold name the place of the same system name, -1 where there is none. False where a
// name comes twice on a side, or a system name is not among those of gold.
inline bool name_partners(const Strings &golds, const Strings &systems, std::vector<std::int64_t> &partner) {
    if (systems.count > golds.count || golds.count > NameTable::most) return false;
    NameTable table(golds);
    for (std::size_t i = 0; i < golds.count; ++i) {
        if (!table.add(i)) return false;
    }
    partner.assign(golds.count, -1);
    for (std::size_t i = 0; i < systems.count; ++i) {
        const std::int64_t place = table[systems[i]];
        if (place < 0 || partner[static_cast<std::size_t>(place)] >= 0) return false;
        partner[static_cast<std::size_t>(place)] = static_cast<std::int64_t>(i);
    }
    return true;
}

}  // namespace karat
