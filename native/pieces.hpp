// Strings that are handed over to Python in pieces.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "karat/shown.hpp"

namespace karat::bindings {

class Pieces : public TextPieces {
  public:
    nb::list take() const {
        nb::list result;
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            result.append(nb::bytes(text.data() + begin, end - begin));
            begin = end;
        }
        return result;
    }
};

// The bytes in a list, which has to outlive them; there must be so many.
inline std::vector<std::string_view> views(const nb::list &pieces, std::size_t count) {
    if (pieces.size() != count) throw nb::value_error("there must be as many bytes as texts");
    std::vector<std::string_view> result;
    for (const nb::handle each : pieces) {
        const auto bytes = nb::cast<nb::bytes>(each);
        result.emplace_back(bytes.c_str(), bytes.size());
    }
    return result;
}

// A list of what `make` appends to a text for each number. The text is handed over every so often, while
// it is in the processor's cache, and its memory is used again.
template <class Make>
nb::list list_of(std::size_t count, Make make) {
    constexpr std::size_t together = 64;
    nb::list result;
    TextPieces pieces;
    for (std::size_t first = 0; first < count; first += together) {
        pieces.text.clear(), pieces.ends.clear();
        {
            nb::gil_scoped_release release;
            for (std::size_t i = first; i < std::min(count, first + together); ++i) {
                make(i, pieces.text);
                pieces.end();
            }
        }
        std::size_t begin = 0;
        for (const std::size_t end : pieces.ends) {
            result.append(nb::bytes(pieces.text.data() + begin, end - begin));
            begin = end;
        }
    }
    return result;
}

inline nb::list to_python(const TextPieces &pieces) { return static_cast<const Pieces &>(pieces).take(); }

// Cells of files may hold halves of pairs of surrogates.
inline nb::str to_python(std::string_view text) {
    return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

// The members of karat.core.shown.ShownPairs.
inline nb::tuple to_python(ShownPairs &&pairs, const nb::list &layers, bool drawn) {
    nb::list faults;
    for (const ShownFault &each : pairs.faults) {
        faults.append(nb::make_tuple(to_python(each.part), static_cast<int>(each.kind), to_python(each.gold),
                                     to_python(each.system)));
    }
    const std::size_t count = pairs.rows.size();
    return nb::make_tuple(to_python(pairs.golds), to_python(pairs.systems), to_python(pairs.views), faults,
                          to_numpy(std::move(pairs.rows), {count}), to_numpy(std::move(pairs.numbers), {count}), layers,
                          drawn);
}

}  // namespace karat::bindings
