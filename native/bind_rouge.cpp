#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "karat/common_grams.hpp"
#include "karat/common_subsequence.hpp"
#include "karat/grams.hpp"
#include "karat/parallel.hpp"
#include "karat/perl_random.hpp"
#include "karat/resampled_sums.hpp"
#include "sequences.hpp"

namespace nb = nanobind;
using karat::bindings::check_offsets;
using karat::bindings::check_pairs;
using karat::bindings::first_of;
using karat::bindings::Matrix;
using karat::bindings::second_of;
using karat::bindings::Vector;
using karat::bindings::vocabulary_of;
using Ints = Vector<std::int32_t>;
using Offsets = Vector<std::int64_t>;
using Pairs = Matrix<std::int32_t>;

namespace {

void overlaps(const karat::Bags &bags, const Pairs &pairs, std::size_t threads, std::int64_t *out, std::size_t stride) {
    karat::parallel_for(pairs.shape(0), threads, [&] {
        return [&, out, stride](std::size_t i) {
            const std::size_t system = first_of(pairs, i), gold = second_of(pairs, i);
            std::int64_t *row = out + i * stride;
            row[0] = bags.common(system, gold);
            row[1] = bags.total(gold);
            row[2] = bags.total(system);
        };
    });
}

nb::ndarray<nb::numpy, std::int64_t> ngram_overlaps(Ints tokens, Offsets offsets, Pairs pairs, std::size_t orders,
                                                    std::size_t threads) {
    check_offsets(offsets, tokens.shape(0));
    check_pairs(pairs, offsets.shape(0) - 1);
    vocabulary_of(tokens);
    const std::size_t count = pairs.shape(0);
    auto text = [&](std::size_t t) {
        return karat::Sequence(tokens.data() + offsets(t), static_cast<std::size_t>(offsets(t + 1) - offsets(t)));
    };
    std::vector<std::int64_t> result(count * orders * 3);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(count, threads, [&] {
            return [&, grams = karat::CommonGrams()](std::size_t i) mutable {
                const auto system = text(first_of(pairs, i)), gold = text(second_of(pairs, i));
                std::int64_t *row = result.data() + i * orders * 3;
                grams(system, &gold, 1, orders, row, 3);
                for (std::size_t n = 0; n < orders; ++n) {
                    row[3 * n + 1] = karat::gram_count(gold.size, n + 1);
                    row[3 * n + 2] = karat::gram_count(system.size, n + 1);
                }
            };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {count, orders, 3});
}

nb::ndarray<nb::numpy, std::int64_t> skip_overlaps(Ints tokens, Offsets offsets, Pairs pairs, std::int64_t gap,
                                                   bool unigrams, std::size_t threads) {
    check_offsets(offsets, tokens.shape(0));
    check_pairs(pairs, offsets.shape(0) - 1);
    vocabulary_of(tokens);
    const std::size_t count = pairs.shape(0);
    std::vector<std::int64_t> result(count * 3);
    {
        nb::gil_scoped_release release;
        const auto bags = karat::skip_bags(tokens.data(), offsets.data(), offsets.shape(0) - 1, gap, unigrams);
        overlaps(bags, pairs, threads, result.data(), 3);
    }
    return karat::bindings::to_numpy(std::move(result), {count, 3});
}

nb::ndarray<nb::numpy, std::int64_t> lcs_lengths(Ints tokens, Offsets offsets, Pairs pairs, double budget,
                                                 std::size_t threads) {
    check_offsets(offsets, tokens.shape(0));
    check_pairs(pairs, offsets.shape(0) - 1);
    const std::size_t vocabulary = vocabulary_of(tokens), count = pairs.shape(0);
    auto text = [&](std::size_t t) {
        return karat::Span{tokens.data() + offsets(t), static_cast<std::size_t>(offsets(t + 1) - offsets(t))};
    };
    std::vector<std::int64_t> result(count);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(count, threads, [&] {
            return [&, lcs = karat::CommonSubsequence(vocabulary)](std::size_t i) mutable {
                result[i] = lcs.length(text(first_of(pairs, i)), text(second_of(pairs, i)), budget);
            };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {count});
}

nb::ndarray<nb::numpy, double> lcs_unions(Ints tokens, Offsets sentences, Offsets texts, Ints all, Offsets whole,
                                          Pairs pairs, double weight, double budget, std::size_t threads) {
    check_offsets(whole, all.shape(0));
    if (whole.shape(0) != texts.shape(0)) throw nb::value_error("as many texts in both forms");
    check_offsets(sentences, tokens.shape(0));
    check_offsets(texts, sentences.shape(0) - 1);
    check_pairs(pairs, texts.shape(0) - 1);
    if (!(weight >= 0) || !std::isfinite(weight)) throw nb::value_error("the weight must not be negative");
    const std::size_t vocabulary = std::max(vocabulary_of(tokens), vocabulary_of(all)), count = pairs.shape(0);
    auto text = [&](std::size_t t) {
        return karat::Span{all.data() + whole(t), static_cast<std::size_t>(whole(t + 1) - whole(t))};
    };
    auto fill = [&](std::size_t t, karat::Sentences &spans) {
        spans.clear();
        for (std::int64_t s = texts(t); s < texts(t + 1); ++s) {
            spans.push_back({tokens.data() + sentences(s), static_cast<std::size_t>(sentences(s + 1) - sentences(s))});
        }
    };
    std::vector<double> result(count * 3);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(count, threads, [&] {
            return [&, lcs = karat::CommonSubsequence(vocabulary), system = karat::Sentences(),
                    gold = karat::Sentences()](std::size_t i) mutable {
                fill(first_of(pairs, i), system);
                fill(second_of(pairs, i), gold);
                const auto matched = lcs.matched(system, gold, text(first_of(pairs, i)), text(second_of(pairs, i)),
                                                 weight, budget);
                result[3 * i] = matched.hits;
                result[3 * i + 1] = matched.gold;
                result[3 * i + 2] = matched.system;
            };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {count, 3});
}

nb::ndarray<nb::numpy, double> perl_bootstrap_means(Matrix<double> rows, std::size_t trials, std::size_t threads) {
    const std::size_t count = rows.shape(0), columns = rows.shape(1);
    std::vector<double> result(trials * columns);
    {
        nb::gil_scoped_release release;
        karat::parallel_for(trials, threads, [&] {
            return [&](std::size_t i) {
                karat::perl_mean(static_cast<std::uint32_t>(i), rows.data(), count, columns, &result[i * columns]);
            };
        });
    }
    return karat::bindings::to_numpy(std::move(result), {trials, columns});
}

nb::ndarray<nb::numpy, std::int64_t> perl_draws(std::size_t count, std::size_t trials) {
    std::vector<std::int64_t> result(count);
    {
        nb::gil_scoped_release release;
        karat::perl_draws(count, trials, result.data());
    }
    return karat::bindings::to_numpy(std::move(result), {count});
}

nb::ndarray<nb::numpy, double> perl_bootstrap_sums(Matrix<double> rows, std::size_t trials, std::size_t threads) {
    const std::size_t count = rows.shape(0), columns = rows.shape(1);
    if (count > 0xFFFFFFFFu) throw nb::value_error("at most 2^32 - 1 rows");
    std::vector<double> result(trials * (columns + 1));
    {
        nb::gil_scoped_release release;
        karat::resampled_sums<karat::resampled::DrawnFrom<karat::PerlRandom>>(
            rows.data(), count, columns, 0, trials, 0, std::max<std::size_t>(threads, 1), result.data());
    }
    return karat::bindings::to_numpy(std::move(result), {trials, columns + 1});
}

}  // namespace

void bind_rouge(nb::module_ &module) {
    using namespace nb::literals;
    module.def("ngram_overlaps", &ngram_overlaps, "tokens"_a, "offsets"_a, "pairs"_a, "orders"_a, "threads"_a = 1,
               "For pairs (system text, gold text) and orders 1, 2, ...: common, gold and system n-grams.");
    module.def("skip_overlaps", &skip_overlaps, "tokens"_a, "offsets"_a, "pairs"_a, "gap"_a, "unigrams"_a,
               "threads"_a = 1, "For pairs (system text, gold text): common, gold and system skip-bigrams.");
    module.def("lcs_lengths", &lcs_lengths, "tokens"_a, "offsets"_a, "pairs"_a, "budget"_a, "threads"_a = 1,
               "The lengths of the longest common subsequences of pairs of texts; -1 where the budget does not suffice.");
    module.def("lcs_unions", &lcs_unions, "tokens"_a, "sentences"_a, "texts"_a, "all"_a, "whole"_a, "pairs"_a,
               "weight"_a, "budget"_a, "threads"_a = 1,
               "For pairs (system text, gold text): union-LCS hits, gold size, system size; hits of -1 where the "
               "budget of table rows does not suffice. A weight of 0 counts tokens, others weigh runs. No token "
               "counts more often than the texts of `all` have it.");
    module.def("perl_bootstrap_means", &perl_bootstrap_means, "rows"_a, "trials"_a, "threads"_a = 1,
               "The means of rows that Perl draws after srand(0), srand(1), ...: trials x columns. Rows are added in the "
               "order in which they are drawn.");
    module.def("perl_bootstrap_sums", &perl_bootstrap_sums, "rows"_a, "trials"_a, "threads"_a = 1,
               "The sums of the same rows, added in the order of the table, and their number: trials x (columns + 1).");
    module.def("perl_draws", &perl_draws, "count"_a, "trials"_a,
               "How often each of so many rows is drawn in all of these trials.");
}
