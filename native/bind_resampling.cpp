#include "arrays.hpp"
#include "karat/parallel.hpp"
#include "karat/resampling.hpp"

namespace nb = nanobind;

namespace {

using Draw = void (*)(karat::Random, double *, std::size_t);

nb::ndarray<nb::numpy, double> weights(std::size_t first, std::size_t trials, std::size_t rows, std::uint64_t seed,
                                       std::size_t threads, Draw draw) {
    if (rows > 0xFFFFFFFFu) throw nb::value_error("at most 2^32 - 1 rows");
    std::vector<double> result(trials * rows);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(trials, threads, [&] {
            return [&](std::size_t i) { draw(karat::Random(seed, first + i), result.data() + i * rows, rows); };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {trials, rows});
}

void bind(nb::module_ &module, const char *name, const char *doc, Draw draw) {
    using namespace nb::literals;
    module.def(
        name,
        [draw](std::size_t first, std::size_t trials, std::size_t rows, std::uint64_t seed, std::size_t threads) {
            return weights(first, trials, rows, seed, threads, draw);
        },
        "first"_a, "trials"_a, "rows"_a, "seed"_a, "threads"_a = 1, doc);
}

}  // namespace

void bind_resampling(nb::module_ &module) {
    bind(module, "bootstrap_weights",
         "How often each row is drawn in trials first, first + 1, ...: an array of trials x rows.",
         karat::bootstrap_weights);
    bind(module, "coin_weights", "Which rows win a fair toss in trials first, first + 1, ...: trials x rows.",
         karat::coin_weights);
}
