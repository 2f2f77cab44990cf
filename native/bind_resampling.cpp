#include "arrays.hpp"
#include "karat/parallel.hpp"
#include "karat/resampling.hpp"

namespace nb = nanobind;

namespace {

using Weights = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Draw = void (*)(karat::Random, double *, std::size_t);

void fill(Weights weights, std::size_t first, std::uint64_t seed, std::size_t threads, Draw draw) {
    const std::size_t trials = weights.shape(0), rows = weights.shape(1);
    if (rows > 0xFFFFFFFFu) throw nb::value_error("at most 2^32 - 1 rows");
    double *data = weights.data();
    nb::gil_scoped_release release;
    karat::parallel_for(trials, threads, [&] {
        return [&](std::size_t i) { draw(karat::Random(seed, first + i), data + i * rows, rows); };
    });
}

void bind(nb::module_ &module, const char *name, const char *doc, Draw draw) {
    using namespace nb::literals;
    module.def(
        name,
        [draw](Weights weights, std::size_t first, std::uint64_t seed, std::size_t threads) {
            fill(weights, first, seed, threads, draw);
        },
        "weights"_a.noconvert(), "first"_a, "seed"_a, "threads"_a = 1, doc);
}

}  // namespace

void bind_resampling(nb::module_ &module) {
    bind(module, "bootstrap_weights",
         "Fills `weights`, trials x rows, with how often each row is drawn in trials first, first + 1, ...",
         karat::bootstrap_weights);
    bind(module, "coin_weights", "Fills `weights`, trials x rows, with the tosses of trials first, first + 1, ...",
         karat::coin_weights);
}
