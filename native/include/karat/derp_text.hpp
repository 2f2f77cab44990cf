// What DERP found in a pair of trees, as JSON for people.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "karat/derp.hpp"
#include "karat/json_text.hpp"
#include "karat/shown.hpp"

namespace karat {

// A tree with its words; labels are numbers of names.
struct NamedTree {
    LabelledTree tree;
    const std::string_view *forms;
};

class DerpText {
  public:
    explicit DerpText(const std::vector<std::string_view> &labels) : labels_(labels) {}

    // `scores` are members of the object that come after the counts.
    void append(const NamedTree &reference, const NamedTree &hypothesis, const DerpResult &result, const Link *links,
                std::size_t link_count, std::string_view scores, std::string &out) {
        const NamedTree &base = result.base_is_hypothesis ? hypothesis : reference;
        const NamedTree &other = result.base_is_hypothesis ? reference : hypothesis;
        out.append("{\"base\":\"").append(result.base_is_hypothesis ? "hypothesis" : "reference").append("\",\"nodes\":");
        append_number(static_cast<std::int64_t>(result.nodes), out);
        append_costs(",\"L\":", result.disparity, result.largest, out);
        out.push_back(',');
        out.append(scores).append(",\"links\":[");
        for (std::size_t i = 0; i < link_count; ++i) {
            separate(out, '[');
            out.push_back('"');
            append_number(links[i].hypothesis - 1, out);
            out.push_back('-');
            append_number(links[i].reference - 1, out);
            out.push_back('"');
        }
        out.append("],\"edges\":[");
        edges_ = result.edges;
        std::stable_sort(edges_.begin(), edges_.end(),
                         [](const MetaEdge &a, const MetaEdge &b) { return a.disparity > b.disparity; });
        for (const MetaEdge &edge : edges_) {
            separate(out, '[');
            append_costs("{\"L\":", edge.disparity, edge.largest, out);
            out.append(",\"base\":");
            append_words(base, edge.n, edge.m, out);
            out.append(",\"other\":");
            append_words(other, edge.n_other, edge.m_other, out);
            out.push_back('}');
        }
        out.append("]}");
    }

  private:
    static void append_costs(std::string_view before, std::int64_t cost, std::int64_t largest, std::string &out) {
        out.append(before);
        append_number(cost, out);
        out.append(",\"Lmax\":");
        append_number(largest, out);
    }

    void append_words(const NamedTree &named, std::int32_t first, std::int32_t second, std::string &out) {
        out.append("{\"words\":[");
        append_number(first, out);
        out.push_back(',');
        append_number(second, out);
        out.append("],\"forms\":[");
        append_json(named.forms[first - 1], out);
        out.push_back(',');
        append_json(named.forms[second - 1], out);
        out.append("],\"path\":");
        if (first == second) {
            out.append("null}");
            return;
        }
        to_root(named.tree, first, up_);
        to_root(named.tree, second, down_);
        while (!up_.empty() && !down_.empty() && up_.back() == down_.back()) up_.pop_back(), down_.pop_back();
        std::reverse(down_.begin(), down_.end());
        path_.assign("(");
        append_labels(named.tree, up_);
        path_.append(first < second ? ", alpha, " : ", beta, ");
        append_labels(named.tree, down_);
        append_json(path_.append(")"), out);
        out.push_back('}');
    }

    void append_labels(const LabelledTree &tree, const std::vector<std::int32_t> &words) {
        if (words.empty()) path_.push_back('-');
        const std::size_t begin = path_.size();
        for (const std::int32_t word : words) {
            if (word != words.front()) path_.push_back(' ');
            path_.append(labels_[static_cast<std::size_t>(tree.labels[word - 1])]);
        }
        if (path_.size() == begin && !words.empty()) path_.push_back('-');  // a label may be empty
    }

    static void to_root(const LabelledTree &tree, std::int32_t word, std::vector<std::int32_t> &words) {
        words.clear();
        for (; word != 0; word = tree.heads[word - 1]) words.push_back(word);
    }

    const std::vector<std::string_view> &labels_;
    std::vector<MetaEdge> edges_;
    std::vector<std::int32_t> up_, down_;
    std::string path_;
};

}  // namespace karat
