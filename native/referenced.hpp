// Texts with any number of references each.
#pragma once

#include "karat/text_counts.hpp"
#include "sequences.hpp"
#include "strings.hpp"

namespace karat::bindings {

inline Referenced referenced(Strings systems, Strings references, const Bounds &bounds) {
    check_offsets(bounds, references.count);
    if (bounds.shape(0) != systems.count + 1) throw nb::value_error("each system text has its references");
    return {systems, references, bounds.data()};
}

}  // namespace karat::bindings
