// Pearson's r, Spearman's rho and Kendall's tau of weighted points. A weight
// says how often a point is there, so that a bootstrap resample or a permutation
// is a vector of weights over points that were sorted once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace karat {

// Pearson, Spearman, Kendall tau-b, Kendall tau-c.
constexpr std::size_t COEFFICIENTS = 4;

// Points in ascending order of x, and of y where x is equal. Codes number the
// distinct values from 0, so that what made the codes has decided on ties.
struct Points {
    const double *x, *y;
    const std::int32_t *x_codes, *y_codes;
    std::size_t size;
};

class Correlator {
  public:
    // Writes the four coefficients of points that weigh `weight(i)` each; what is
    // undefined (fewer than two points, no variance) is NaN.
    template <class Weight>
    void operator()(const Points &points, const Weight &weight, double *result) {
        const double undefined = std::numeric_limits<double>::quiet_NaN();
        std::fill(result, result + COEFFICIENTS, undefined);
        if (points.size == 0) return;
        gather(points, weight);
        if (x_.size() < 2 || x_classes_ < 2 || y_classes_ < 2) return;
        result[0] = pearson();
        result[1] = spearman();
        kendall(result[2], result[3]);
    }

  private:
    std::vector<double> x_, y_, weight_;
    std::vector<std::int32_t> x_code_, y_code_;
    std::vector<double> x_count_, y_count_, x_rank_, y_rank_, tree_;
    double total_ = 0;
    std::size_t x_classes_ = 0, y_classes_ = 0;

    template <class Weight>
    void gather(const Points &points, const Weight &weight) {
        x_.clear(), y_.clear(), weight_.clear(), x_code_.clear(), y_code_.clear();
        const auto y_last = *std::max_element(points.y_codes, points.y_codes + points.size);
        x_count_.assign(static_cast<std::size_t>(points.x_codes[points.size - 1]) + 1, 0);
        y_count_.assign(static_cast<std::size_t>(y_last) + 1, 0);
        total_ = 0;
        for (std::size_t i = 0; i < points.size; ++i) {
            const double w = weight(i);
            if (w == 0) continue;
            x_.push_back(points.x[i]);
            y_.push_back(points.y[i]);
            weight_.push_back(w);
            x_code_.push_back(points.x_codes[i]);
            y_code_.push_back(points.y_codes[i]);
            x_count_[static_cast<std::size_t>(points.x_codes[i])] += w;
            y_count_[static_cast<std::size_t>(points.y_codes[i])] += w;
            total_ += w;
        }
        x_classes_ = classes(x_count_);
        y_classes_ = classes(y_count_);
    }

    static std::size_t classes(const std::vector<double> &counts) {
        return counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0.0));
    }

    static double bounded(double value) { return std::min(1.0, std::max(-1.0, value)); }

    // One root where the product is within range, so that a perfect fit is exactly 1.
    static double over_root(double value, double a, double b) {
        const double product = a * b;
        return bounded(std::isnormal(product) ? value / std::sqrt(product) : value / std::sqrt(a) / std::sqrt(b));
    }

    double pearson() const {
        double mean_x = 0, mean_y = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            mean_x += weight_[i] * x_[i];
            mean_y += weight_[i] * y_[i];
        }
        mean_x /= total_;
        mean_y /= total_;
        double xx = 0, yy = 0, xy = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const double dx = x_[i] - mean_x, dy = y_[i] - mean_y;
            xx += weight_[i] * dx * dx;
            yy += weight_[i] * dy * dy;
            xy += weight_[i] * dx * dy;
        }
        return over_root(xy, xx, yy);
    }

    // Ranks of tied points are the mean of the places they take.
    static void rank(const std::vector<double> &counts, std::vector<double> &ranks) {
        ranks.resize(counts.size());
        double before = 0;
        for (std::size_t code = 0; code < counts.size(); ++code) {
            ranks[code] = before + (counts[code] + 1) / 2;
            before += counts[code];
        }
    }

    double spearman() {
        rank(x_count_, x_rank_);
        rank(y_count_, y_rank_);
        const double mean = (total_ + 1) / 2;
        double xx = 0, yy = 0, xy = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const double dx = x_rank_[static_cast<std::size_t>(x_code_[i])] - mean;
            const double dy = y_rank_[static_cast<std::size_t>(y_code_[i])] - mean;
            xx += weight_[i] * dx * dx;
            yy += weight_[i] * dy * dy;
            xy += weight_[i] * dx * dy;
        }
        return over_root(xy, xx, yy);
    }

    static double pairs(double count) { return count * (count - 1) / 2; }

    static double tied(const std::vector<double> &counts) {
        return std::accumulate(counts.begin(), counts.end(), 0.0,
                               [](double sum, double count) { return sum + pairs(count); });
    }

    void kendall(double &tau_b, double &tau_c) {
        tree_.assign(y_count_.size() + 1, 0);
        double discordant = 0, tied_in_both = 0, seen = 0;
        for (std::size_t first = 0, last; first < x_.size(); first = last) {
            for (last = first; last < x_.size() && x_code_[last] == x_code_[first];) {
                const std::int32_t y = y_code_[last];
                double same = 0;
                for (; last < x_.size() && x_code_[last] == x_code_[first] && y_code_[last] == y; ++last) {
                    same += weight_[last];
                }
                tied_in_both += pairs(same);
                discordant += same * (seen - up_to(y));
            }
            for (std::size_t i = first; i < last; ++i) {
                add(y_code_[i], weight_[i]);
                seen += weight_[i];
            }
        }
        const double all = pairs(total_), x_ties = tied(x_count_), y_ties = tied(y_count_);
        const double surplus = all - x_ties - y_ties + tied_in_both - 2 * discordant;
        const double fewest = static_cast<double>(std::min(x_classes_, y_classes_));
        tau_b = over_root(surplus, all - x_ties, all - y_ties);
        tau_c = bounded(2 * surplus / (total_ * total_ * (fewest - 1) / fewest));
    }

    // A Fenwick tree over the codes of y: how much weight lies at or below one.
    double up_to(std::int32_t code) const {
        double sum = 0;
        for (auto i = static_cast<std::size_t>(code) + 1; i > 0; i &= i - 1) sum += tree_[i];
        return sum;
    }

    void add(std::int32_t code, double weight) {
        for (auto i = static_cast<std::size_t>(code) + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += weight;
    }
};

// Sorts and codes points, then correlates them. Values that differ by no more
// than the tolerance, as sums of the same numbers in another order may, are tied.
class Sorter {
  public:
    void operator()(const double *x, const double *y, const double *weights, std::size_t size, double *result) {
        order_.clear();
        for (std::size_t i = 0; i < size; ++i) {
            if (weights[i] > 0 && !std::isnan(x[i]) && !std::isnan(y[i])) order_.push_back(i);
        }
        code(x, x_code_, size);
        code(y, y_code_, size);
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return x_code_[a] != x_code_[b] ? x_code_[a] < x_code_[b] : y_code_[a] < y_code_[b];
        });
        xs_.clear(), ys_.clear(), xc_.clear(), yc_.clear();
        for (const std::size_t i : order_) {
            xs_.push_back(x[i]);
            ys_.push_back(y[i]);
            xc_.push_back(x_code_[i]);
            yc_.push_back(y_code_[i]);
        }
        const Points points{xs_.data(), ys_.data(), xc_.data(), yc_.data(), order_.size()};
        correlate_(points, [&](std::size_t i) { return weights[order_[i]]; }, result);
    }

  private:
    Correlator correlate_;
    std::vector<std::size_t> order_, sorted_;
    std::vector<std::int32_t> x_code_, y_code_, xc_, yc_;
    std::vector<double> xs_, ys_;

    void code(const double *values, std::vector<std::int32_t> &codes, std::size_t size) {
        codes.assign(size, 0);
        sorted_ = order_;
        if (sorted_.empty()) return;
        std::sort(sorted_.begin(), sorted_.end(),
                  [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
        const double largest = std::max(std::fabs(values[sorted_.front()]), std::fabs(values[sorted_.back()]));
        const double tolerance = 1e-13 * largest;
        std::int32_t next = 0;
        double begin = values[sorted_.front()];
        for (const std::size_t i : sorted_) {
            if (values[i] - begin > tolerance) {
                ++next;
                begin = values[i];
            }
            codes[i] = next;
        }
    }
};

}  // namespace karat
