// Sums over orders of n-grams, from which chrF follows for any longest order and weight.
#pragma once

#include <algorithm>
#include <cstddef>

#include "karat/quotients.hpp"

namespace karat {

// Tables of n-grams of system, gold and both for each order: those of characters come first, and are summed by
// themselves. Results have a row for each order, with a number for each row of the table.
class ChrfSums {
  public:
    ChrfSums(const double *table, std::size_t rows, std::size_t orders, std::size_t characters)
        : table_(table), rows_(rows), orders_(orders), characters_(characters) {}

    // How many orders both texts have, up to each, and the sums of precision and recall over these.
    void averages(double *orders, double *precisions, double *recalls) const {
        for (std::size_t i = 0; i < rows_; ++i) {
            double count = 0, precision = 0, recall = 0;
            for (std::size_t n = 0; n < orders_; ++n) {
                if (n == characters_) count = precision = recall = 0;
                const double *const cell = table_ + 3 * (i * orders_ + n);
                if (cell[0] > 0 && cell[1] > 0) {
                    ++count;
                    precision += cell[2] / cell[0];
                    recall += cell[2] / cell[1];
                }
                orders[n * rows_ + i] = count, precisions[n * rows_ + i] = precision, recalls[n * rows_ + i] = recall;
            }
        }
    }

    // The sums of the F of each order, with recall weighing so much, and next to nothing for what is undefined.
    void smoothed(double weight, double *sums) const {
        constexpr double tiny = 1e-16;
        for (std::size_t i = 0; i < rows_; ++i) {
            double sum = 0;
            for (std::size_t n = 0; n < orders_; ++n) {
                if (n == characters_) sum = 0;
                const double *const cell = table_ + 3 * (i * orders_ + n);
                const double precision = quotient(cell[2], cell[0], tiny), recall = quotient(cell[2], cell[1], tiny);
                sum += quotient((1 + weight) * precision * recall, weight * precision + recall, tiny);
                sums[n * rows_ + i] = sum;
            }
        }
    }

  private:
    const double *table_;
    std::size_t rows_, orders_, characters_;
};

}  // namespace karat
