#include <optional>
#include <string>

#include "karat/json_keys.hpp"
#include "karat/json_records.hpp"
#include "strings.hpp"

namespace nb = nanobind;
using karat::bindings::Bounds;
using karat::bindings::Bytes;
using karat::bindings::strings;
using karat::bindings::to_numpy;

namespace {

template <class T>
auto handed_over(std::vector<T> &&values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

nb::tuple json_records(Bytes data, Bounds begin, Bounds end) {
    const karat::Strings records = strings(data, begin, end);
    std::optional<karat::JsonRecords> found;
    {
        nb::gil_scoped_release release;
        found.emplace(records);
    }
    const std::string &names = found->names.bytes();
    nb::bytes spelt(names.data(), names.size());
    return nb::make_tuple(handed_over(std::move(found->classes)), handed_over(std::move(found->first)),
                          handed_over(std::move(found->begin)), handed_over(std::move(found->end)), spelt,
                          handed_over(std::move(found->names.ends())));
}

nb::tuple json_lists(Bytes data, Bounds begin, Bounds end) {
    const karat::Strings lists = strings(data, begin, end);
    std::vector<std::int64_t> bounds{0}, first, last;
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < lists.count; ++i) {
            const std::string_view list = lists[i];
            karat::JsonWalk(list.data(), list.data() + list.size()).strings([&](std::string_view each) {
                first.push_back(each.data() - lists.data);
                last.push_back(each.data() + each.size() - lists.data);
            });
            bounds.push_back(static_cast<std::int64_t>(first.size()));
        }
    }
    return nb::make_tuple(handed_over(std::move(bounds)), handed_over(std::move(first)), handed_over(std::move(last)));
}

nb::tuple json_unescaped(Bytes data, Bounds begin, Bounds end) {
    const karat::Strings contents = strings(data, begin, end);
    std::string text;
    std::vector<std::int64_t> ends{0};
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < contents.count; ++i) {
            karat::append_unescaped(contents[i], text);
            ends.push_back(static_cast<std::int64_t>(text.size()));
        }
    }
    return nb::make_tuple(nb::bytes(text.data(), text.size()), handed_over(std::move(ends)));
}

nb::tuple doubled_keys(nb::bytes data, bool lines, bool deep) {
    const std::string_view text(data.c_str(), data.size());
    karat::DoubledKeys found;
    {
        nb::gil_scoped_release release;
        found = karat::JsonKeys(text, lines, deep).find();
    }
    return nb::make_tuple(found.records, found.line, nb::bytes(found.name.data(), found.name.size()));
}

}  // namespace

void bind_json(nb::module_ &module) {
    using namespace nb::literals;
    module.def("json_records", &json_records, "data"_a, "begin"_a, "end"_a,
               "Where the values of JSON objects are: the class of each object (-1: to be decoded), its first value, "
               "where values begin and end, the names of the classes (each field, a 0, and a letter for the kind of "
               "its value), one after the other, and where these end.");
    module.def("json_lists", &json_lists, "data"_a, "begin"_a, "end"_a,
               "For lists of strings: the first string of each list, and where the strings begin and end.");
    module.def("json_unescaped", &json_unescaped, "data"_a, "begin"_a, "end"_a,
               "What the contents of JSON strings stand for, one after the other, and where each ends.");
    module.def("doubled_keys", &doubled_keys, "data"_a, "lines"_a, "deep"_a,
               "How many lines, or objects of one document, have a key twice; the line of the first, from 0, and the "
               "key. Objects within others count if they are to.");
}
