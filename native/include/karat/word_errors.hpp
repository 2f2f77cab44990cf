// How a system's sequence differs from gold: hits, substitutions, deletions, insertions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/edit_distance.hpp"
#include "karat/wide.hpp"

namespace karat {

struct WordErrors {
    std::int64_t hits = 0, substitutions = 0, deletions = 0, insertions = 0;
};

// Cells of a diagonal from those of the two before it: they do not depend on each other, so that many are made at once.
KARAT_ALWAYS_INLINE void cells_of_diagonal(const std::int32_t *a, const std::int32_t *b, const std::int64_t *before_last,
                                           const std::int64_t *last, std::int64_t *next, std::size_t count,
                                           std::int64_t scale, std::int64_t reward) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t through = before_last[k] + (a[k] == b[k] ? -reward : scale);
        next[k] = std::min(through, std::min(last[k], last[k + 1]) + scale);
    }
}

#if KARAT_WITH_WIDE
KARAT_AVX2 inline void diagonal_avx2(const std::int32_t *a, const std::int32_t *b, const std::int64_t *before_last,
                                     const std::int64_t *last, std::int64_t *next, std::size_t count, std::int64_t scale,
                                     std::int64_t reward) {
    cells_of_diagonal(a, b, before_last, last, next, count, scale, reward);
}

KARAT_AVX512 inline void diagonal_avx512(const std::int32_t *a, const std::int32_t *b, const std::int64_t *before_last,
                                         const std::int64_t *last, std::int64_t *next, std::size_t count,
                                         std::int64_t scale, std::int64_t reward) {
    cells_of_diagonal(a, b, before_last, last, next, count, scale, reward);
}
#endif

inline void next_diagonal(const std::int32_t *a, const std::int32_t *b, const std::int64_t *before_last,
                          const std::int64_t *last, std::int64_t *next, std::size_t count, std::int64_t scale,
                          std::int64_t reward) {
#if KARAT_WITH_WIDE
    if (kWidth == Width::avx512) return diagonal_avx512(a, b, before_last, last, next, count, scale, reward);
    if (kWidth == Width::avx2) return diagonal_avx2(a, b, before_last, last, next, count, scale, reward);
#endif
    cells_of_diagonal(a, b, before_last, last, next, count, scale, reward);
}

// Fills the table of two sequences diagonal by diagonal: the cell of row i in diagonal d belongs to column d - i. `row` says
// where the cells of a diagonal are. A cell is what edits cost, less a reward for each hit.
template <class Row>
void fill_diagonals(Tokens rows, Tokens columns, std::int64_t scale, std::int64_t reward,
                    std::vector<std::int32_t> &reversed, Row row) {
    const std::size_t n = rows.size, m = columns.size;
    reversed.assign(columns.data, columns.data + m);
    std::reverse(reversed.begin(), reversed.end());
    row(0)[0] = 0;
    for (std::size_t d = 1; d <= n + m; ++d) {
        std::int64_t *const next = row(d);
        const std::size_t first = d > m ? d - m : 1, end = std::min(n, d - 1) + 1;
        if (d <= m) next[0] = static_cast<std::int64_t>(d) * scale;
        if (d <= n) next[d] = static_cast<std::int64_t>(d) * scale;
        if (first >= end) continue;
        next_diagonal(rows.data + first - 1, reversed.data() + (m + first - d), row(d - 2) + first - 1,
                      row(d - 1) + first - 1, next + first, end - first, scale, reward);
    }
}

// The edits of an alignment from the last to the first, as letters: hit, substitution, deletion, insertion. Those with the
// fewest edits and then the most hits, or those that jiwer finds; the order of letters says which is taken of equal ones.
inline void trace_edits(Tokens gold, Tokens system, bool jiwer, std::vector<std::int64_t> &table,
                        std::vector<std::int32_t> &reversed, std::string &out) {
    const std::size_t n = gold.size, m = system.size, width = std::min(n, m) + 1;
    const bool by_gold = n <= m;  // whose tokens are the rows: the shorter side, so that diagonals are short
    // A cell holds edits * scale - hits, so that the smallest has the fewest edits, then most hits.
    const std::int64_t scale = jiwer ? 1 : static_cast<std::int64_t>(std::min(n, m)) + 1, reward = jiwer ? 0 : 1;
    table.resize((n + m + 1) * width);
    fill_diagonals(by_gold ? gold : system, by_gold ? system : gold, scale, reward, reversed,
                   [&](std::size_t diagonal) { return table.data() + diagonal * width; });
    const auto cell = [&](std::size_t i, std::size_t j) { return table[(i + j) * width + (by_gold ? i : j)]; };
    const std::string_view order = jiwer ? "dsih" : "hsdi";
    for (std::size_t i = n, j = m; i || j;) {
        const std::int64_t here = cell(i, j);
        for (const char edit : order) {
            const bool both = edit == 'h' || edit == 's';
            if ((edit != 'i' && i == 0) || (edit != 'd' && j == 0)) continue;
            if (both && (gold.data[i - 1] == system.data[j - 1]) != (edit == 'h')) continue;
            const std::int64_t from = both          ? cell(i - 1, j - 1) + (edit == 'h' ? -reward : scale)
                                      : edit == 'd' ? cell(i - 1, j) + scale
                                                    : cell(i, j - 1) + scale;
            if (here != from) continue;
            i -= edit != 'i', j -= edit != 'd';
            out.push_back(edit);
            break;
        }
    }
}

// Equal ends are matched in some best alignment with the most hits. They are taken off; `front` and `back` are their sizes.
inline void trim_ends(Tokens &a, Tokens &b, std::size_t &front, std::size_t &back) {
    front = back = 0;
    while (a.size && b.size && a.data[0] == b.data[0]) ++front, ++a.data, --a.size, ++b.data, --b.size;
    while (a.size && b.size && a.data[a.size - 1] == b.data[b.size - 1]) ++back, --a.size, --b.size;
}

// Alignments of many pairs; what it allocates is used again.
class EditTracer {
  public:
    // The edits from the first to the last, as letters; false where a table would have more cells than `most`.
    bool operator()(Tokens gold, Tokens system, bool jiwer, std::size_t most, std::string &out) {
        std::size_t front, back;
        trim_ends(gold, system, front, back);
        if (gold.size && system.size > most / gold.size) return false;
        out.assign(front, 'h');
        trace_edits(gold, system, jiwer, table_, reversed_, out);
        std::reverse(out.begin() + static_cast<std::ptrdiff_t>(front), out.end());
        out.append(back, 'h');
        return true;
    }

  private:
    std::vector<std::int64_t> table_;
    std::vector<std::int32_t> reversed_;
};

class ErrorCounter {
  public:
    // Fewest edits, and among these the most hits, so that all counts are unique: with the lengths
    // of both, edits and hits give the rest. Memory is linear in the shorter side. Sequences that
    // would take minutes are not compared.
    bool best(Tokens gold, Tokens system, WordErrors &result) {
        const auto n = static_cast<std::int64_t>(gold.size), m = static_cast<std::int64_t>(system.size);
        const std::int64_t common = trim(gold, system);
        Tokens shorter = gold, longer = system;
        if (shorter.size > longer.size) std::swap(shorter, longer);
        if (shorter.size && longer.size > most_cells / shorter.size) return false;
        // A cell holds edits * scale - hits: the smallest has the fewest edits, then the most hits.
        const auto scale = static_cast<std::int64_t>(shorter.size) + 1;
        // edits * scale - hits, with fewer hits than scale.
        const std::int64_t value =
            shorter.size < long_enough ? by_rows(shorter, longer, scale) : by_diagonals(shorter, longer, scale);
        const std::int64_t edits = value <= 0 ? 0 : (value + scale - 1) / scale;
        const std::int64_t hits = edits * scale - value + common;
        result.hits = hits;
        result.substitutions = n + m - 2 * hits - edits;
        result.deletions = n - hits - result.substitutions;
        result.insertions = m - hits - result.substitutions;
        return true;
    }

    // The alignment that jiwer finds: from the end, a deletion before a substitution before an
    // insertion before a match. Sequences whose table would be too large are not compared.
    bool as_jiwer(Tokens gold, Tokens system, WordErrors &result) {
        result = {};
        result.hits = trim(gold, system);
        const std::size_t n = gold.size, m = system.size, width = m + 1;
        if (n && m > largest_table / (n + 1)) return false;
        table_.assign((n + 1) * width, 0);
        for (std::size_t j = 0; j <= m; ++j) table_[j] = static_cast<std::int32_t>(j);
        for (std::size_t i = 1; i <= n; ++i) {
            table_[i * width] = static_cast<std::int32_t>(i);
            for (std::size_t j = 1; j <= m; ++j) {
                const std::int32_t through = table_[(i - 1) * width + j - 1] + (gold.data[i - 1] != system.data[j - 1]);
                table_[i * width + j] =
                    std::min(through, std::min(table_[(i - 1) * width + j], table_[i * width + j - 1]) + 1);
            }
        }
        for (std::size_t i = n, j = m; i || j;) {
            const std::int32_t here = table_[i * width + j];
            if (i && here == table_[(i - 1) * width + j] + 1) ++result.deletions, --i;
            else if (i && j && gold.data[i - 1] != system.data[j - 1] && here == table_[(i - 1) * width + j - 1] + 1)
                ++result.substitutions, --i, --j;
            else if (j && here == table_[i * width + j - 1] + 1) ++result.insertions, --j;
            else ++result.hits, --i, --j;
        }
        return true;
    }

  private:
    static constexpr std::size_t largest_table = std::size_t{1} << 28, most_cells = std::size_t{1} << 34;

    static constexpr std::size_t long_enough = 128;  // for diagonals to pay

    // The last cell of the table.
    std::int64_t by_rows(Tokens shorter, Tokens longer, std::int64_t scale) {
        row_.resize(shorter.size + 1);
        for (std::size_t j = 0; j <= shorter.size; ++j) row_[j] = static_cast<std::int64_t>(j) * scale;
        for (std::size_t i = 0; i < longer.size; ++i) {
            std::int64_t diagonal = row_[0];
            std::int64_t left = row_[0] += scale;
            const std::int32_t token = longer.data[i];
            for (std::size_t j = 0; j < shorter.size; ++j) {
                const std::int64_t above = row_[j + 1];
                const std::int64_t through = diagonal + (shorter.data[j] == token ? -1 : scale);
                left = std::min(through, std::min(above, left) + scale);
                diagonal = above;
                row_[j + 1] = left;
            }
        }
        return row_[shorter.size];
    }

    std::int64_t by_diagonals(Tokens shorter, Tokens longer, std::int64_t scale) {
        const std::size_t width = shorter.size + 1;
        row_.resize(3 * width);
        const auto row = [&](std::size_t diagonal) { return row_.data() + diagonal % 3 * width; };
        fill_diagonals(shorter, longer, scale, 1, reversed_, row);
        return row(shorter.size + longer.size)[shorter.size];
    }

    static std::int64_t trim(Tokens &a, Tokens &b) {
        std::size_t front, back;
        trim_ends(a, b, front, back);
        return static_cast<std::int64_t>(front + back);
    }

    std::vector<std::int64_t> row_;
    std::vector<std::int32_t> table_, reversed_;
};

}  // namespace karat
