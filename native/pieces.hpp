// Strings that are handed over to Python in pieces.
#pragma once

#include <string>
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
