// AMR in PENMAN notation as statements (source, role, target), standardised as smatch++ does.
//
// What the reader in Python does (karat.graphs.amr.statements) for graphs that are plain: ASCII
// and letters without case, no role that is called `instance`, none that becomes `instance` or `root` when it is
// turned around. Anything else is left to that one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "karat/names.hpp"
#include "karat/penman_triples.hpp"

namespace karat::statements {

using matching::Id;
using penman::Triples;

enum class Style { none, generic, amr };

// A concept that stands for a role, and the roles that its ends have.
struct Reification {
    std::string concept_name, role, first, second;
};

// A variable is the number of its node; a constant lies below, by the number of its name.
constexpr Id nothing = -1;
inline Id constant(Id name) { return -2 - name; }
inline bool is_variable(Id term) { return term >= 0; }

struct Statement {
    Id source, role, target;
    auto tied() const { return std::tie(source, role, target); }
    bool operator<(const Statement &other) const { return tied() < other.tied(); }
    bool operator==(const Statement &other) const { return tied() == other.tied(); }
};

class Standardizer {
  public:
    // Nodes of concepts in `reifications` become edges, and edges of roles in `reified` become nodes.
    Standardizer(Style style, bool as_tool, const std::vector<Reification> &reifications,
                 const std::vector<Reification> &reified)
        : style_(style), as_tool_(as_tool) {
        instance_ = names_("instance");
        root_ = names_("root");
        above_ = constant(names_(as_tool && style != Style::none ? "root_of_graph" : "ROOT_OF_GRAPH"));
        for (const Reification &each : reifications) {
            reifications_[names_(each.concept_name)] = {names_(each.role), names_(each.first), names_(each.second)};
        }
        for (const Reification &each : reified) {
            reified_[names_(each.role)] = {names_(each.concept_name), names_(each.first), names_(each.second)};
        }
    }

    // False: the text is not plain, `triples` is of no use.
    bool read(std::string_view text, Triples &triples) {
        triples = Triples();
        statements_.clear(), concepts_.clear();
        if (!(as_tool_ ? read_plainly(text) : read_penman(text))) return false;
        if (style_ != Style::none && !turn()) return false;
        if (style_ == Style::amr) dereify();
        if (!reified_.empty()) reify();
        collect(triples);
        return true;
    }

    // What a tuple says besides its variables: a role, and a constant in place of its source or its target.
    struct Terms {
        std::string_view role, constant;
        bool is_source;
    };

    Terms terms(Id value) const {
        const Key &key = known_keys_[static_cast<std::size_t>(value)];
        const Id term = key[2] != nothing ? key[2] : key[3];
        return {names_[key[1]], term == nothing ? std::string_view() : names_[constant(term)], key[2] != nothing};
    }

    // The variables of the text that was read last, in the order of nodes.
    void add_variables(std::vector<std::string_view> &variables) const {
        for (std::size_t i = 0; i < reader_.nodes().size(); ++i) {
            if (node_of_[i] != nothing) variables.push_back(reader_.nodes()[i].variable);
        }
    }

  private:
    struct Edge {
        Id role, first, second;
    };
    struct Node {
        Id concept_name, first, second;
    };
    struct Turned {
        Id role = nothing;
        bool around = false;
    };
    using Key = std::array<Id, 5>;
    struct Hash {
        std::size_t operator()(const Key &key) const {
            std::uint64_t result = kHashSeed;
            for (const Id each : key) {
                result = (result ^ static_cast<std::uint32_t>(each)) * 0xff51afd7ed558ccdu;
                result ^= result >> 32;
            }
            return static_cast<std::size_t>(result);
        }
    };

    // -- words ----------------------------------------------------------------

    static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool is_bracket(char c) { return c == '(' || c == ')'; }

    static bool is_root(std::string_view role) {
        return role.size() == 4 && lower(role[0]) == 'r' && lower(role[1]) == 'o' && lower(role[2]) == 'o' &&
               lower(role[3]) == 't';
    }

    Id folded(std::string_view word, bool keep_quotes = false) {
        if (style_ == Style::none) return names_(word);
        scratch_.clear();
        for (const char c : word) {
            if (keep_quotes || (c != '"' && c != '\'')) scratch_.push_back(lower(c));
        }
        return names_(scratch_);
    }

    // An explicit role `root` must not be taken for the root of the graph.
    Id role(std::string_view word) { return is_root(word) ? names_("root-role") : folded(word, !as_tool_); }

    // -- reading --------------------------------------------------------------

    bool read_penman(std::string_view text) {
        if (!reader_.parse(text)) return false;
        const auto &nodes = reader_.nodes();
        if (!nodes.empty()) statements_.push_back({above_, root_, 0});
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            concepts_.push_back(folded(nodes[i].concept_name));
            statements_.push_back({static_cast<Id>(i), instance_, constant(concepts_.back())});
        }
        for (const penman::Role &each : reader_.roles()) {
            const Id name = role(each.name);
            if (name == instance_ || name == root_) return false;
            Id target = each.target;
            if (target < 0) {
                const bool keeps_quotes = each.kind == penman::Value::text && style_ == Style::none;
                target = constant(keeps_quotes ? quoted(each.value) : folded(each.value));
            }
            statements_.push_back({each.source, name, target});
        }
        return true;
    }

    Id quoted(std::string_view value) {
        scratch_ = '"';
        scratch_ += value;
        scratch_ += '"';
        return names_(scratch_);
    }

    // Words between blanks and brackets, whatever they are made of. Terms are numbers of
    // names until all is read, for only then it is known which are variables.
    // Only what is well formed: what smatch++ makes of a damaged text is left to Python.
    bool read_plainly(std::string_view text) {
        if (!one_line(text)) return false;
        path_.clear();
        Id name = names_("");
        std::size_t at = 0;
        std::string_view word;
        const auto has_term = [&] { return next_word(at, word) && is_term(word); };
        for (bool expects_value = true; next_word(at, word); ) {
            const bool joins = word.data() != line_.data() && !is_blank(word.data()[-1]);
            if (joins && word != ")") return false;
            if (word == "(") {
                if (!expects_value || !has_term() || word[0] == '"') return false;
                const Id term = folded(word);
                if (path_.empty() && !statements_.empty()) return false;
                statements_.push_back(path_.empty() ? Statement{nothing, root_, term}
                                                    : Statement{path_.back(), name, term});
                if (!next_word(at, word) || word != "/" || !has_term()) return false;
                statements_.push_back({term, instance_, folded(word)});
                path_.push_back(term);
                expects_value = false;
            } else if (expects_value) {
                if (path_.empty() || !is_term(word)) return false;
                statements_.push_back({path_.back(), name, folded(word)});
                expects_value = false;
            } else if (path_.empty()) {
                return false;
            } else if (word == ")") {
                path_.pop_back();
            } else {
                if (word[0] != ':' || !is_word(word)) return false;
                name = role(word.substr(1));
                if (name == instance_ || name == root_) return false;
                expects_value = true;
            }
        }
        return path_.empty() && tell_variables();
    }

    // No bracket, slash or role; quotes only around the whole, and nothing odd in them.
    static bool is_term(std::string_view word) {
        if (word.size() < 2 || word[0] != '"') return word[0] != ':' && word != "/" && is_word(word);
        const std::string_view inner = word.substr(1, word.size() - 2);
        const bool has_blank = inner.find(' ') != std::string_view::npos;
        return word.back() == '"' && inner.find('"') == std::string_view::npos &&
               inner.find("  ") == std::string_view::npos && !(has_blank && inner.find('/') != std::string_view::npos) &&
               inner.find_first_of("\t\n\v\f\r") == std::string_view::npos;
    }

    static bool is_word(std::string_view word) { return word.find_first_of("()\"'") == std::string_view::npos; }

    // Without lines of metadata; false where a character is not plain.
    bool one_line(std::string_view text) {
        line_.clear();
        while (true) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, end);
            if (line.substr(0, 4) != "# ::") {
                line_ += line;
                line_ += ' ';
            }
            if (end == text.size()) break;
            text.remove_prefix(end + 1);
        }
        const char *c = line_.data(), *const end = c + line_.size();
        while (c != end) {
            const auto byte = static_cast<unsigned char>(*c);
            const std::size_t size = byte >= 0x80 ? penman::caseless_size(c, end) : byte >= 0x20 || is_blank(*c);
            if (size == 0) return false;
            c += size;
        }
        return true;
    }

    bool next_word(std::size_t &at, std::string_view &word) const {
        while (at < line_.size() && is_blank(line_[at])) ++at;
        if (at == line_.size()) return false;
        const std::size_t begin = at++;
        if (!is_bracket(line_[begin])) {
            if (line_[begin] == '"' || line_[begin] == '\'') {
                const std::size_t end = line_.find(line_[begin], at);
                if (end != std::string::npos) at = end + 1;
            }
            while (at < line_.size() && !is_blank(line_[at]) && !is_bracket(line_[at])) ++at;
        }
        word = std::string_view(line_).substr(begin, at - begin);
        return true;
    }

    // A name is a variable where some statement gives it a concept.
    bool tell_variables() {
        node_of_.assign(names_.size(), nothing);
        for (const Statement &each : statements_) {
            if (each.role != instance_) continue;
            if (names_[each.source].empty()) return false;
            Id &node = node_of_[static_cast<std::size_t>(each.source)];
            if (node == nothing) {
                node = static_cast<Id>(concepts_.size());
                concepts_.push_back(nothing);
            }
            concepts_[static_cast<std::size_t>(node)] = each.target;
        }
        const auto term = [&](Id name) {
            const Id node = node_of_[static_cast<std::size_t>(name)];
            return node == nothing ? constant(name) : node;
        };
        for (Statement &each : statements_) {
            each.source = each.role == root_ ? above_ : term(each.source);
            each.target = each.role == instance_ ? constant(each.target) : term(each.target);
        }
        return true;
    }

    // -- standardising ----------------------------------------------------------

    bool turn() {
        turned_.resize(names_.size());
        for (Statement &each : statements_) {
            if (each.role == instance_) continue;
            if (each.role == root_) {
                if (style_ != Style::amr) continue;
                const Id top = each.target;
                each = {top, root_, is_variable(top) ? constant(concepts_[static_cast<std::size_t>(top)]) : top};
                continue;
            }
            const Turned turned = turned_role(each.role);
            if (turned.role == instance_ || turned.role == root_) return false;
            each.role = turned.role;
            if (turned.around) std::swap(each.source, each.target);
        }
        return true;
    }

    Turned turned_role(Id number) {
        if (static_cast<std::size_t>(number) >= turned_.size()) turned_.resize(names_.size());
        if (turned_[static_cast<std::size_t>(number)].role == nothing) {
            std::string_view name = names_[number];
            Turned result;
            if (style_ == Style::amr && name == "domain") {
                name = "mod";
                result.around = true;
            } else if (style_ == Style::amr && name == "domain-of") {
                name = "mod";
            }
            while (name.size() >= 3 && name.substr(name.size() - 3) == "-of") {
                name.remove_suffix(3);
                result.around = !result.around;
            }
            result.role = names_(name);
            turned_[static_cast<std::size_t>(number)] = result;
        }
        return turned_[static_cast<std::size_t>(number)];
    }

    // Nodes that stand for a role become edges, where nothing else is said of them.
    void dereify() {
        const std::size_t nodes = concepts_.size();
        bool any = false;
        for (const Id each : concepts_) any = any || reifications_.count(each) > 0;
        if (!any) return;
        entered_.assign(nodes, false);
        leaving_.assign(nodes, 0);
        for (const Statement &each : statements_) {
            if (each.role == instance_) continue;
            if (each.role == root_) {
                if (is_variable(each.source)) entered_[static_cast<std::size_t>(each.source)] = true;
                continue;
            }
            if (is_variable(each.source)) ++leaving_[static_cast<std::size_t>(each.source)];
            if (is_variable(each.target)) entered_[static_cast<std::size_t>(each.target)] = true;
        }
        edges_.assign(nodes, {nothing, nothing, nothing});
        for (std::size_t i = 0; i < nodes; ++i) {
            const auto found = reifications_.find(concepts_[i]);
            if (found == reifications_.end() || entered_[i] || leaving_[i] != 2) continue;
            edges_[i] = {found->second.role, nothing, nothing};
        }
        for (const Statement &each : statements_) {
            if (each.role == instance_ || each.role == root_ || !is_variable(each.source)) continue;
            Edge &edge = edges_[static_cast<std::size_t>(each.source)];
            if (edge.role == nothing) continue;
            const Edge &known = reifications_.at(concepts_[static_cast<std::size_t>(each.source)]);
            if (each.role == known.first) edge.first = each.target;
            if (each.role == known.second) edge.second = each.target;
        }
        std::size_t kept = 0;
        for (const Statement &each : statements_) {
            if (is_variable(each.source)) {
                const auto i = static_cast<std::size_t>(each.source);
                const bool becomes_edge = edges_[i].first != nothing && edges_[i].second != nothing;
                if (becomes_edge && (each.role != instance_ || each.target == constant(concepts_[i]))) continue;
            }
            statements_[kept++] = each;
        }
        statements_.resize(kept);
        for (const Edge &each : edges_) {
            if (each.first != nothing && each.second != nothing) {
                statements_.push_back({each.first, each.role, each.second});
            }
        }
    }

    // Edges whose role has a concept of its own become nodes; what AMR states twice is one edge.
    void reify() {
        if (style_ == Style::amr) {
            std::sort(statements_.begin(), statements_.end());
            statements_.erase(std::unique(statements_.begin(), statements_.end()), statements_.end());
        }
        for (std::size_t i = 0, size = statements_.size(); i < size; ++i) {
            const auto [source, role, target] = statements_[i];
            const auto found = reified_.find(role);
            if (found == reified_.end()) continue;
            const Node &known = found->second;
            const Id node = static_cast<Id>(concepts_.size());
            concepts_.push_back(known.concept_name);
            statements_[i] = {node, instance_, constant(known.concept_name)};
            statements_.push_back({node, known.first, source});
            statements_.push_back({node, known.second, target});
        }
    }

    // -- as tuples on nodes -----------------------------------------------------

    // What is stated several times counts as often as both sides have it, but once in AMR. Nodes that became
    // edges are none any more.
    void collect(Triples &triples) {
        node_of_.assign(concepts_.size(), nothing);
        Id nowhere = 0;  // for what has no variable
        for (const Statement &each : statements_) {
            if (each.role != instance_) continue;
            Id &node = node_of_[static_cast<std::size_t>(each.source)];
            if (node == nothing) node = nowhere++;
        }
        triples.nodes = nowhere + 1;
        number_copies();
        const auto place = [&](Id term) { return is_variable(term) ? node_of_[static_cast<std::size_t>(term)] : term; };
        for (std::size_t i = 0; i < statements_.size(); ++i) {
            const auto &[given_source, role, given_target] = statements_[i];
            const Id source = place(given_source), target = place(given_target), copy = copies_[i];
            if (copy > 0 && style_ == Style::amr) continue;
            if (is_variable(source) && is_variable(target)) {
                triples.edges.push_back(
                    {source, target, penman::relation, number({penman::relation, role, nothing, nothing, copy})});
                continue;
            }
            const Id kind = role == instance_ ? penman::instance : penman::attribute;
            const Id node = is_variable(source) ? source : is_variable(target) ? target : nowhere;
            triples.features.push_back({node, kind,
                                        number({kind, role, is_variable(source) ? nothing : source,
                                                is_variable(target) ? nothing : target, copy})});
        }
    }

    // How often each statement was made before.
    void number_copies() {
        copies_.assign(statements_.size(), 0);
        sorted_.clear();
        for (std::size_t i = 0; i < statements_.size(); ++i) sorted_.push_back({statements_[i], i});
        std::sort(sorted_.begin(), sorted_.end());
        for (std::size_t i = 1; i < sorted_.size(); ++i) {
            if (sorted_[i].first == sorted_[i - 1].first) copies_[sorted_[i].second] = copies_[sorted_[i - 1].second] + 1;
        }
    }

    Id number(const Key &key) {
        const auto [found, is_new] = keys_.try_emplace(key, static_cast<Id>(keys_.size()));
        if (is_new) known_keys_.push_back(key);
        return found->second;
    }

    Style style_;
    bool as_tool_;
    Names names_;
    Id instance_, root_, above_;
    std::unordered_map<Id, Edge> reifications_;
    std::unordered_map<Id, Node> reified_;
    std::unordered_map<Key, Id, Hash> keys_;
    std::vector<Key> known_keys_;
    std::vector<Turned> turned_;
    penman::PlainReader reader_;
    std::string scratch_, line_;
    // Of the graph at hand:
    std::vector<Statement> statements_;
    std::vector<Id> concepts_, path_, node_of_, copies_;
    std::vector<std::pair<Statement, std::size_t>> sorted_;
    std::vector<bool> entered_;
    std::vector<int> leaving_;
    std::vector<Edge> edges_;
};

}  // namespace karat::statements
