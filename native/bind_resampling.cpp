#include "arrays.hpp"
#include "karat/parallel.hpp"
#include "karat/resampled_sums.hpp"
#include "karat/resampling.hpp"

namespace nb = nanobind;

namespace {

using namespace nb::literals;
using karat::bindings::Matrix;
using Weights = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Sums = nb::ndarray<nb::numpy, double>;
using Draw = void (*)(karat::Random, double *, std::size_t);

void check_rows(std::size_t rows) {
    if (rows > 0xFFFFFFFFu) throw nb::value_error("at most 2^32 - 1 rows");
}

void fill(Weights weights, std::size_t first, std::uint64_t seed, std::size_t threads, Draw draw) {
    const std::size_t trials = weights.shape(0), rows = weights.shape(1);
    check_rows(rows);
    double *data = weights.data();
    nb::gil_scoped_release release;
    karat::parallel_for(trials, threads, [&] {
        return [&](std::size_t i) { draw(karat::Random(seed, first + i), data + i * rows, rows); };
    });
}

void bind(nb::module_ &module, const char *name, const char *doc, Draw draw) {
    module.def(
        name,
        [draw](Weights weights, std::size_t first, std::uint64_t seed, std::size_t threads) {
            fill(weights, first, seed, threads, draw);
        },
        "weights"_a.noconvert(), "first"_a, "seed"_a, "threads"_a = 1, doc);
}

template <class Drawn, class... More>
Sums sums(Matrix<double> rows, std::size_t trials, std::uint64_t seed, std::size_t threads, More... more) {
    check_rows(rows.shape(0));
    std::vector<double> result(trials * (rows.shape(1) + 1));
    {
        nb::gil_scoped_release release;
        karat::resampled_sums<Drawn>(rows.data(), rows.shape(0), rows.shape(1), 0, trials, seed,
                                     std::max<std::size_t>(threads, 1), result.data(), more...);
    }
    return karat::bindings::to_numpy(std::move(result), {trials, rows.shape(1) + 1});
}

}  // namespace

void bind_resampling(nb::module_ &module) {
    bind(module, "bootstrap_weights",
         "Fills `weights`, trials x rows, with how often each row is drawn in trials first, first + 1, ...",
         karat::bootstrap_weights);
    bind(module, "coin_weights", "Fills `weights`, trials x rows, with the tosses of trials first, first + 1, ...",
         karat::coin_weights);
    module.def("bootstrap_sums", &sums<karat::resampled::Drawn>, "rows"_a, "trials"_a, "seed"_a, "threads"_a = 1,
               "Sums of as many rows as there are, drawn with replacement, and of their weights, for each trial.");
    module.def("coin_sums", &sums<karat::resampled::Tossed>, "rows"_a, "trials"_a, "seed"_a, "threads"_a = 1,
               "Sums of the rows that win a fair toss, and how many these are, for each trial.");
    module.def("poisson_sums", &sums<karat::resampled::Poisson, std::uint64_t>, "rows"_a, "trials"_a, "seed"_a,
               "threads"_a = 1, "first_row"_a = 0,
               "Sums of rows with independent Poisson(1) weights, and of these, for each trial. A weight depends on "
               "seed, trial and the number of its row, so that parts of a table may be summed by themselves.");
}
