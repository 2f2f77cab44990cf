// The one extension module. Each group of kernels has a header that knows no
// Python and one file that binds it.
#include <nanobind/nanobind.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace nb = nanobind;

void bind_alignment(nb::module_ &module);
void bind_correlation(nb::module_ &module);
void bind_edit_distance(nb::module_ &module);
void bind_grams(nb::module_ &module);
void bind_logic(nb::module_ &module);
void bind_json(nb::module_ &module);
void bind_matching(nb::module_ &module);
void bind_matching_parts(nb::module_ &module);
void bind_mrp(nb::module_ &module);
void bind_mtool_search(nb::module_ &module);
void bind_overlays(nb::module_ &module);
void bind_repairs(nb::module_ &module);
void bind_page(nb::module_ &module);
void bind_penman(nb::module_ &module);
void bind_records(nb::module_ &module);
void bind_resampling(nb::module_ &module);
void bind_rouge(nb::module_ &module);
void bind_scores(nb::module_ &module);
void bind_spans(nb::module_ &module);
void bind_text(nb::module_ &module);
void bind_text_counts(nb::module_ &module);
void bind_scanning(nb::module_ &module);
void bind_told_edits(nb::module_ &module);
void bind_tree_columns(nb::module_ &module);
void bind_trees(nb::module_ &module);
void bind_word_errors(nb::module_ &module);

// What compiled this, for reports of faults.
static const char *const kBuild =
#if defined(__clang__)
    "Clang " NB_TOSTRING(__clang_major__) "." NB_TOSTRING(__clang_minor__) "." NB_TOSTRING(__clang_patchlevel__)
#elif defined(__GNUC__)
    "GCC " __VERSION__
#elif defined(_MSC_VER)
    "MSVC " NB_TOSTRING(_MSC_FULL_VER)
#else
    "an unknown compiler"
#endif
#if defined(_LIBCPP_VERSION)
    ", libc++ " NB_TOSTRING(_LIBCPP_VERSION)
#elif defined(__GLIBCXX__)
    ", libstdc++ " NB_TOSTRING(__GLIBCXX__)
#endif
    ", nanobind " NB_TOSTRING(NB_VERSION_MAJOR) "." NB_TOSTRING(NB_VERSION_MINOR) "." NB_TOSTRING(NB_VERSION_PATCH)
#if defined(Py_LIMITED_API)
    ", stable ABI";
#else
    ", ABI of Python " PY_VERSION;
#endif

// Memory that the system gives is cleared first, page by page, which takes longer than what most arrays are for.
static void keep_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

NB_MODULE(_native, module) {
    module.doc() = "karat's kernels: pure functions on arrays that release the GIL.";
    module.attr("BUILD") = kBuild;
    module.def("keep_freed_memory", &keep_freed_memory,
               "Lets this process use freed memory again, up to 128 MiB, rather than give it back at once.");
    bind_alignment(module);
    bind_correlation(module);
    bind_edit_distance(module);
    bind_grams(module);
    bind_logic(module);
    bind_json(module);
    bind_matching(module);
    bind_matching_parts(module);
    bind_mrp(module);
    bind_mtool_search(module);
    bind_overlays(module);
    bind_repairs(module);
    bind_page(module);
    bind_penman(module);
    bind_records(module);
    bind_resampling(module);
    bind_rouge(module);
    bind_scores(module);
    bind_spans(module);
    bind_text(module);
    bind_text_counts(module);
    bind_scanning(module);
    bind_told_edits(module);
    bind_tree_columns(module);
    bind_trees(module);
    bind_word_errors(module);
}
