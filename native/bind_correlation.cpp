#include "arrays.hpp"
#include "karat/correlation.hpp"
#include "karat/parallel.hpp"

namespace nb = nanobind;
using karat::bindings::Matrix;
using karat::bindings::to_numpy;
using karat::bindings::Vector;

namespace {

auto group_correlations(Vector<double> x, Vector<double> y, Vector<std::int32_t> x_codes,
                        Vector<std::int32_t> y_codes, Vector<std::int64_t> sources,
                        Vector<std::int64_t> offsets, Matrix<double> weights, std::size_t threads) {
    const std::size_t points = x.shape(0), trials = weights.shape(0), width = weights.shape(1);
    if (y.shape(0) != points || x_codes.shape(0) != points || y_codes.shape(0) != points ||
        sources.shape(0) != points) {
        throw nb::value_error("points must have equally many values, codes and sources");
    }
    if (offsets.shape(0) < 1 || offsets.data()[0] != 0) throw nb::value_error("offsets must begin with 0");
    const std::size_t groups = offsets.shape(0) - 1;
    for (std::size_t g = 0; g < groups; ++g) {
        if (offsets.data()[g + 1] < offsets.data()[g]) throw nb::value_error("offsets must not fall");
    }
    if (static_cast<std::size_t>(offsets.data()[groups]) != points) {
        throw nb::value_error("offsets must end with the number of points");
    }
    for (std::size_t i = 0; i < points; ++i) {
        if (sources.data()[i] < 0 || static_cast<std::size_t>(sources.data()[i]) >= width) {
            throw nb::value_error("a source lies outside the weights");
        }
        if (x_codes.data()[i] < 0 || y_codes.data()[i] < 0) throw nb::value_error("codes must not be negative");
    }
    for (std::size_t g = 0; g < groups; ++g) {
        if (!std::is_sorted(x_codes.data() + offsets.data()[g], x_codes.data() + offsets.data()[g + 1])) {
            throw nb::value_error("the points of a group must be sorted");
        }
    }
    std::vector<double> result(trials * groups * karat::COEFFICIENTS);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(trials, threads, [&] {
            return [&, correlate = karat::Correlator()](std::size_t trial) mutable {
                const double *row = weights.data() + trial * width;
                for (std::size_t g = 0; g < groups; ++g) {
                    const auto first = static_cast<std::size_t>(offsets.data()[g]);
                    const auto last = static_cast<std::size_t>(offsets.data()[g + 1]);
                    const karat::Points one{x.data() + first, y.data() + first, x_codes.data() + first,
                                            y_codes.data() + first, last - first};
                    const std::int64_t *source = sources.data() + first;
                    correlate(one, [&](std::size_t i) { return row[source[i]]; },
                              result.data() + (trial * groups + g) * karat::COEFFICIENTS);
                }
            };
        });
    }
    return to_numpy(std::move(result), {trials, groups, karat::COEFFICIENTS});
}

auto row_correlations(Matrix<double> x, Matrix<double> y, Matrix<double> weights, std::size_t threads) {
    const std::size_t trials = x.shape(0), size = x.shape(1);
    if (y.shape(0) != trials || weights.shape(0) != trials || y.shape(1) != size || weights.shape(1) != size) {
        throw nb::value_error("x, y and weights must have one shape");
    }
    std::vector<double> result(trials * karat::COEFFICIENTS);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(trials, threads, [&] {
            return [&, correlate = karat::Sorter()](std::size_t trial) mutable {
                correlate(x.data() + trial * size, y.data() + trial * size, weights.data() + trial * size, size,
                          result.data() + trial * karat::COEFFICIENTS);
            };
        });
    }
    return to_numpy(std::move(result), {trials, karat::COEFFICIENTS});
}

}  // namespace

void bind_correlation(nb::module_ &module) {
    using namespace nb::literals;
    module.def("group_correlations", &group_correlations, "x"_a, "y"_a, "x_codes"_a, "y_codes"_a, "sources"_a,
               "offsets"_a, "weights"_a, "threads"_a = 1,
               "Pearson, Spearman, Kendall tau-b and tau-c of each group of sorted points, for each row of "
               "weights: trials x groups x 4. A point weighs what its source weighs.");
    module.def("row_correlations", &row_correlations, "x"_a, "y"_a, "weights"_a, "threads"_a = 1,
               "The same coefficients of each row of x and y, whose points weigh what `weights` says: trials x 4.");
}
