#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "karat/chrf_sums.hpp"
#include "karat/quotients.hpp"

namespace nb = nanobind;

namespace {

using namespace nb::literals;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Found = nb::ndarray<nb::numpy, double>;

karat::Column column(const Numbers &numbers) { return {numbers.data(), numbers.stride(0)}; }

std::size_t shared_size(const Numbers &first, const Numbers &second) {
    if (first.shape(0) != second.shape(0)) throw nb::value_error("both arrays must have the same length");
    return first.shape(0);
}

Found quotients(Numbers part, Numbers whole, double empty) {
    std::vector<double> result(shared_size(part, whole));
    {
        nb::gil_scoped_release release;
        karat::quotients(column(part), column(whole), empty, result.size(), result.data());
    }
    const std::size_t size = result.size();
    return karat::bindings::to_numpy(std::move(result), {size});
}

Found harmonic_means(Numbers first, Numbers second, bool strict) {
    std::vector<double> result(shared_size(first, second));
    {
        nb::gil_scoped_release release;
        karat::harmonic_means(column(first), column(second), strict, result.size(), result.data());
    }
    const std::size_t size = result.size();
    return karat::bindings::to_numpy(std::move(result), {size});
}

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Found chrf_sums(Table table, std::size_t characters, std::optional<double> weight) {
    const std::size_t rows = table.shape(0), orders = table.shape(1) / 3, size = rows * orders;
    if (table.shape(1) % 3) throw nb::value_error("there must be three columns for each order");
    const std::size_t tables = weight ? 1 : 3;
    std::vector<double> result(tables * size);
    {
        nb::gil_scoped_release release;
        const karat::ChrfSums sums(table.data(), rows, orders, characters);
        double *const first = result.data();
        if (weight) sums.smoothed(*weight, first);
        else sums.averages(first, first + size, first + 2 * size);
    }
    return karat::bindings::to_numpy(std::move(result), {tables, orders, rows});
}

}  // namespace

void bind_scores(nb::module_ &module) {
    module.def("quotients", &quotients, "part"_a, "whole"_a, "empty"_a,
               "part / whole, and `empty` where the whole is 0.");
    module.def("harmonic_means", &harmonic_means, "first"_a, "second"_a, "strict"_a,
               "Harmonic means, 0 where both are 0; with `strict`, also where one alone is NaN.");
    module.def("chrf_sums", &chrf_sums, "table"_a, "characters"_a, "weight"_a = nb::none(),
               "Sums over orders, up to each, those of characters and of words apart, from a table of n-grams of system, "
               "gold and both for each order: how many both have, their precision, and recall. With a weight of recall, "
               "of the smoothed F of each order. float64 (3 or 1, orders, rows)");
}
