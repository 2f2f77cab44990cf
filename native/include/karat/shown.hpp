// Pairs as a page shows them, written as JSON, and the errors that it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/names.hpp"

namespace karat {

// What a mark says of a part, as in karat.core.shown.
enum class Mark : int { matched, missing, surplus, changed, moved, clipped, stem, synonym, ignored };

// One text that consists of pieces.
struct TextPieces {
    std::string text;
    std::vector<std::size_t> ends;

    void end() { ends.push_back(text.size()); }
    void clear() { text.clear(), ends.clear(); }
};

// One error of an item: the sort of part, what happened to it, and in whose words.
struct ShownFault {
    std::string_view part;  // a name that lasts
    Mark kind;
    std::string gold, system;
};

class ShownPairs {
  public:
    TextPieces golds;    // source and golds: two members of a list
    TextPieces systems;
    TextPieces views;    // layers, overlay and notes: three members of a list
    std::vector<ShownFault> faults;              // each once
    std::vector<std::int32_t> rows, numbers;  // of each error of a pair: the pair, and which one it is

    // Adds an error of the pair that is being written.
    void add_fault(std::string_view part, Mark kind, std::string_view gold, std::string_view system) {
        key_.assign(part).push_back(static_cast<char>(kind));
        key_.append(std::to_string(gold.size())).push_back(' ');
        const std::int32_t number = known_(key_.append(gold).append(system));
        if (static_cast<std::size_t>(number) == faults.size()) {
            faults.push_back({part, kind, std::string(gold), std::string(system)});
        }
        rows.push_back(static_cast<std::int32_t>(golds.ends.size()));
        numbers.push_back(number);
    }

    void end() {
        golds.end();
        systems.end();
        views.end();
    }

  private:
    Names known_;
    std::string key_;
};

// Adds a part of a list, with a comma unless it is the first.
inline void separate(std::string &out, char opening) {
    if (out.back() != opening) out.push_back(',');
}

}  // namespace karat
