#include "arrays.hpp"
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

}  // namespace

void bind_scores(nb::module_ &module) {
    module.def("quotients", &quotients, "part"_a, "whole"_a, "empty"_a,
               "part / whole, and `empty` where the whole is 0.");
    module.def("harmonic_means", &harmonic_means, "first"_a, "second"_a, "strict"_a,
               "Harmonic means, 0 where both are 0; with `strict`, also where one alone is NaN.");
}
