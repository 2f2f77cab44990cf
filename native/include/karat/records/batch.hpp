// A batch of documents: read, normalised, numbered and compared together, so that equal strings,
// numbers and paths are known once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "karat/records/alignment.hpp"
#include "karat/scanning.hpp"

namespace karat::records {

struct Document {
    std::vector<Node> nodes;
    std::size_t size = 0;  // of the text that it was read from
    bool parsed = false, extracted = false, extractable = false, duplicates = false;
    Failure failure;
    Id root = -1;
    const char *error = nullptr;  // of gold
};

// Where a text stops to be UTF-8, surrogates allowed: strings of other programs have them.
inline std::size_t utf8_end(std::string_view text) {
    for (std::size_t at = 0;;) {
        at += utf8_fault(text.substr(at));
        const std::string_view there = text.substr(at, 3);
        if (there.size() < 3 || there[0] != '\xed' || static_cast<unsigned char>(there[1]) < 0xA0 ||
            static_cast<unsigned char>(there[1]) > 0xBF || (there[2] & 0xC0) != 0x80) {
            return at;
        }
        at += 3;
    }
}

// Reads a document; what is no JSON has no nodes.
inline void read_document(Reader &reader, std::string_view text, Extract way, Document &document) {
    document.size = text.size();
    const std::size_t fault = utf8_end(text);
    if (fault < text.size()) {
        document.failure = {"this is not UTF-8", fault, false};
        return;
    }
    if (reader.whole(text, document.nodes, document.failure)) {
        document.parsed = true;
        return;
    }
    document.nodes.clear();
    std::vector<Node> found;
    Extractor extract(reader);
    document.extracted = extract(text, way, found);
    if (document.extracted) document.nodes = std::move(found);
    else if (way == Extract::none) document.extractable = extract(text, Extract::first, found);
}

// The counts of a pair, in leaves.
struct Counts {
    double gold = 0, system = 0, matched = 0, records_gold = 0, records_system = 0, records_equal = 0;
    bool exact = false, shared = false;
};

class Batch {
  public:
    explicit Batch(BuildOptions options)
        : options_(options), values_(strings_, numbers_, forms_, paths_, options), leaves_(strings_, numbers_, forms_) {}

    // Reads a document; the number of it.
    std::size_t read(std::string_view text, Extract way) {
        Reader reader(strings_, numbers_);
        read_document(reader, text, way, documents_.emplace_back());
        return documents_.size() - 1;
    }

    // Strings that are not ASCII, whose normal forms come from outside, since the last call.
    std::vector<Id> foreign() {
        std::vector<Id> found;
        for (; seen_ < strings_.size(); ++seen_) {
            for (const char c : strings_[static_cast<Id>(seen_)]) {
                if (static_cast<unsigned char>(c) >= 0x80) {
                    found.push_back(static_cast<Id>(seen_));
                    break;
                }
            }
        }
        return found;
    }

    std::string_view string(Id id) const { return strings_[id]; }
    std::size_t strings() const { return strings_.size(); }
    Names &numbers() { return numbers_; }
    const Names &numbers() const { return numbers_; }
    Names &names() { return strings_; }
    const Names &names() const { return strings_; }
    Forms &forms() { return forms_; }
    const Paths &paths() const { return paths_; }
    const Document &document(std::size_t i) const { return documents_[i]; }
    std::size_t documents() const { return documents_.size(); }
    const Values &values() const { return values_; }

    // Gives every string its normal forms: those of `foreign` strings are given, others are
    // lower-cased with single blanks in place of white space.
    void normalize(const std::vector<Id> &foreign, const std::vector<std::string_view> &own,
                   const std::vector<std::string_view> &text, bool needs_text) {
        const std::size_t known = strings_.size();
        forms_.own.resize(known);
        for (std::size_t i = 0; i < known; ++i) forms_.own[i] = static_cast<Id>(i);
        if (needs_text) forms_.text.resize(known);
        std::string lowered;
        std::size_t next = 0;
        for (std::size_t i = 0; i < known; ++i) {
            if (next < foreign.size() && foreign[next] == static_cast<Id>(i)) {
                forms_.own[i] = strings_(own[next]);
                if (needs_text) forms_.text[i] = strings_(text[next]);
                ++next;
            } else if (needs_text) {
                lowered.clear();
                split_at_spaces(strings_[static_cast<Id>(i)], [&](std::string_view word) {
                    if (!lowered.empty()) lowered += ' ';
                    for (const char c : word) lowered += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
                });
                forms_.text[i] = strings_(lowered);
            }
        }
        // Normal forms are their own normal forms.
        const std::size_t all = strings_.size();
        for (std::size_t i = forms_.own.size(); i < all; ++i) forms_.own.push_back(static_cast<Id>(i));
        for (std::size_t i = forms_.text.size(); needs_text && i < all; ++i) forms_.text.push_back(static_cast<Id>(i));
    }

    void build(const std::vector<char> &is_gold) {
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            Document &document = documents_[i];
            if (document.nodes.empty()) continue;
            document.root = values_.build(document.nodes, is_gold[i], document.duplicates, document.error);
        }
    }

    // The settings of all paths are known: leaves get their weights, and records are counted.
    void settle(std::vector<Setting> settings, std::vector<Id> setting_of_path, std::int64_t denominator, Id longest) {
        steps_ = std::max(fewest_steps, steps_of_pair * std::int64_t{longest} * longest);
        settings_ = std::move(settings), setting_of_path_ = std::move(setting_of_path), denominator_ = denominator;
        aligner_ = std::make_unique<Aligner>(values_, leaves_, settings_, setting_of_path_, strings_, numbers_, forms_,
                                             longest, options_.root_only);
        for (auto i = static_cast<Id>(values_.size()); i-- > 0;) weigh(i);
    }

    // Whether the choices of a gold value weigh the same everywhere.
    bool is_even(Id value) const {
        if (value < 0) return true;
        const Value &v = values_[value];
        for (Id i = 0; i < v.count; ++i) {
            const Id child = values_.child(v, i);
            if (v.type == Type::any && values_[child].weight != v.weight) return false;
            if (!is_even(child)) return false;
        }
        return true;
    }

    Counts compare(std::size_t gold, std::size_t system) {
        const Document &g = documents_[gold], &s = documents_[system];
        leaves_.allow(steps_);
        Counts counts;
        Worth found;
        if (g.root >= 0 && s.root >= 0) found = aligner_->best(g.root, s.root);
        const double scale = static_cast<double>(unit) * static_cast<double>(denominator_);
        const std::int64_t of_gold = unit * (g.root < 0 ? 0 : values_[g.root].weight);
        const std::int64_t of_system = unit * (s.root < 0 ? 0 : values_[s.root].weight) - found.excused;
        counts.gold = static_cast<double>(of_gold) / scale;
        counts.system = static_cast<double>(of_system) / scale;
        counts.matched = static_cast<double>(found.matched) / scale;
        counts.records_gold = g.root < 0 ? 0 : aligner_->records(g.root, s.root);
        counts.records_system = s.root < 0 ? 0 : values_[s.root].records;
        counts.records_equal = static_cast<double>(found.equal);
        counts.exact = (s.parsed || s.extracted) && found.matched == of_gold && found.matched == of_system;
        counts.shared = found.matched > 0 || (g.root >= 0 && s.root >= 0 && share(g.root, s.root));
        return counts;
    }

    // The leaves of the chosen alignment; `matched` as in Aligner::trace.
    std::vector<Event> trace(std::size_t gold, std::size_t system, std::int64_t *matched = nullptr) {
        std::vector<Event> events;
        leaves_.allow(4 * steps_);  // lists within lists are aligned again at every level
        aligner_->trace(documents_[gold].root, documents_[system].root, events, matched);
        return events;
    }

    double weight(Id path) const { return static_cast<double>(whole_weight(path)) / static_cast<double>(denominator_); }

    // The same as a whole number, and what a sum of such, each times a similarity, is in leaves.
    std::int64_t whole_weight(Id path) const { return aligner_->setting(path).weight; }
    double in_leaves(std::int64_t sum) const {
        return static_cast<double>(sum) / (static_cast<double>(unit) * static_cast<double>(denominator_));
    }

    // A document as JSON again, without what stood around it.
    std::string text(std::size_t i) const {
        std::string result;
        const std::vector<Node> &nodes = documents_[i].nodes;
        std::vector<std::pair<char, std::size_t>> open;  // what closes it, and where it ends
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            while (!open.empty() && open.back().second == at) result += open.back().first, open.pop_back();
            if (!result.empty() && !std::strchr("[{", result.back())) result += ',';
            const Node &n = nodes[at];
            if (n.key >= 0) Aligner::append_quoted(strings_[n.key], result), result += ':';
            switch (n.kind) {
                case Kind::null: result += "null"; break;
                case Kind::no: result += "false"; break;
                case Kind::yes: result += "true"; break;
                case Kind::number: result += numbers_[n.text]; break;
                case Kind::string: Aligner::append_quoted(strings_[n.text], result); break;
                default:
                    result += n.kind == Kind::array ? '[' : '{';
                    open.emplace_back(n.kind == Kind::array ? ']' : '}', static_cast<std::size_t>(n.next));
            }
        }
        while (!open.empty()) result += open.back().first, open.pop_back();
        return result;
    }

    // Path and type of each leaf.
    void leaves(Id value, std::vector<Id> &found) const {
        const Value &v = values_[value];
        if (is_leaf(v.type)) {
            found.push_back(v.path);
            found.push_back(static_cast<Id>(v.type));
        }
        for (Id i = 0; i < v.count; ++i) leaves(values_.child(v, i), found);
    }

  private:
    // How many steps of 64 cells the strings of a pair may take: ten seconds, or as many as the longest lists
    // that are allowed can need where each element has several short strings.
    static constexpr std::int64_t fewest_steps = 10'000'000'000, steps_of_pair = 400;
    std::int64_t steps_ = fewest_steps;

    // Children have larger numbers than their parents, so they are weighed before them.
    void weigh(Id value) {
        Value &v = values_[value];
        if (is_leaf(v.type)) {
            v.weight = v.optional ? 0 : aligner_->setting(v.path).weight;
            return;
        }
        v.weight = 0, v.records = 0;
        v.varies = v.optional || v.type == Type::any || v.type == Type::optional;
        const Id counted = v.type == Type::any ? std::min<Id>(1, v.count) : v.count;
        const bool has_records = v.type == Type::array && aligner_->has_records(v.path);
        for (Id i = 0; i < counted; ++i) {
            const Value &below = values_[values_.child(v, i)];
            v.weight += below.weight;
            v.records += below.records;
            v.varies |= below.varies;
            if (has_records && values_.is_record(values_.child(v, i))) ++v.records;
        }
    }

    // Whether two values have leaves at a common path.
    bool share(Id gold, Id system) const {
        std::vector<Id> ours, theirs, common;
        const std::function<void(Id, std::vector<Id> &)> paths = [&](Id value, std::vector<Id> &found) {
            const Value &v = values_[value];
            if (is_leaf(v.type)) found.push_back(v.path);
            for (Id i = 0; i < v.count; ++i) paths(values_.child(v, i), found);
        };
        paths(gold, ours);
        paths(system, theirs);
        std::sort(ours.begin(), ours.end());
        std::sort(theirs.begin(), theirs.end());
        std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(), std::back_inserter(common));
        return !common.empty();
    }

    Names strings_, numbers_;
    Forms forms_;
    Paths paths_;
    BuildOptions options_;
    Values values_;
    Leaves leaves_;
    std::vector<Document> documents_;
    std::vector<Setting> settings_;
    std::vector<Id> setting_of_path_;
    std::int64_t denominator_ = 1;
    std::unique_ptr<Aligner> aligner_;
    std::size_t seen_ = 0;
};

}  // namespace karat::records
