// One string that is handed over to Python in pieces.
#pragma once

#include <string>
#include <vector>

#include "arrays.hpp"

namespace karat::bindings {

class Pieces {
  public:
    std::string text;

    void end() { ends_.push_back(text.size()); }

    nb::list take() const {
        nb::list result;
        std::size_t begin = 0;
        for (const std::size_t end : ends_) {
            result.append(nb::bytes(text.data() + begin, end - begin));
            begin = end;
        }
        return result;
    }

  private:
    std::vector<std::size_t> ends_;
};

}  // namespace karat::bindings
