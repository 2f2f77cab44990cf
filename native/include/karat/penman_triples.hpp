// AMR in PENMAN notation as triples with numbers for names.
//
// Only what is plain: ASCII and letters without case, no escapes in quotes, no alignments, no
// comments, all brackets closed, a concept for each variable. Names are compared without case,
// which is the business of Python for other letters; so anything else is left to
// karat.graphs.amr.triples.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "karat/matching/input.hpp"
#include "karat/names.hpp"
#include "karat/penman.hpp"

namespace karat::penman {

using matching::Edge;
using matching::Feature;
using matching::Id;

enum Kind : Id { instance = 0, attribute = 1, relation = 2 };

using Triples = matching::TupleLists;

// Adds a text in lower case.
inline void add_lower(std::string &to, std::string_view text) {
    const std::size_t before = to.size();
    to.append(text);
    for (std::size_t i = before; i < to.size(); ++i) {
        if (to[i] >= 'A' && to[i] <= 'Z') to[i] = static_cast<char>(to[i] - 'A' + 'a');
    }
}

// The same without underscores at the end.
inline void add_folded(std::string &to, std::string_view text) {
    while (!text.empty() && text.back() == '_') text.remove_suffix(1);
    add_lower(to, text);
}

// How many bytes a character takes that is not ASCII, no white space, and the same in lower case; 0 for
// others, of which some may be so as well.
inline std::size_t caseless_size(const char *at, const char *end) {
    static constexpr std::array<std::array<std::uint32_t, 2>, 6> ranges = {
        {{0xa1, 0xbf}, {0xdf, 0xff}, {0x2010, 0x2027}, {0x2030, 0x205e}, {0x3041, 0x9fff}, {0xac00, 0xd7a3}}};
    const auto byte = [&](std::ptrdiff_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
    const std::size_t size = byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2 : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3 : 0;
    if (size == 0 || end - at < static_cast<std::ptrdiff_t>(size)) return 0;
    std::uint32_t character = (byte(0) & (size == 2 ? 0x1f : 0x0f)) << 6 | (byte(1) & 0x3f);
    if (size == 3) character = character << 6 | (byte(2) & 0x3f);
    const bool known = std::any_of(ranges.begin(), ranges.end(), [&](const std::array<std::uint32_t, 2> &range) {
        return character >= range[0] && character <= range[1];
    });
    return known ? size : 0;
}

// The nodes and roles of a text that is plain.
class PlainReader {
  public:
    // False: the text is not plain.
    bool parse(std::string_view text) {
        is_empty_ = false;
        if (!is_plain(text)) return false;
        if (text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos) return is_empty_ = true;
        if (!reader_.parse(text)) return false;
        return std::all_of(nodes().begin(), nodes().end(), [](const Node &node) { return node.has_concept; });
    }

    // What was parsed last, as long as its text lives.
    const std::vector<Node> &nodes() const { return is_empty_ ? no_nodes_ : reader_.nodes(); }
    const std::vector<Role> &roles() const { return is_empty_ ? no_roles_ : reader_.roles(); }

  private:
    // What a byte is to the reader; the values are bits.
    enum : unsigned char { ordinary = 0, blank = 1, line_end = 2, odd = 4, wide = 8 };

    static constexpr std::array<unsigned char, 256> kinds_of_characters() {
        std::array<unsigned char, 256> kinds{};
        for (std::size_t c = 0; c < 256; ++c) {
            if (c == ' ' || (c >= '\t' && c <= '\r')) kinds[c] = blank;
            else if (c >= 0x80) kinds[c] = wide;
            else if (c < 0x20 || c == '~' || c == '\\') kinds[c] = odd;
        }
        kinds['\n'] = blank | line_end;
        return kinds;
    }

    static unsigned char kind(char c) {
        static constexpr std::array<unsigned char, 256> kinds = kinds_of_characters();
        return kinds[static_cast<unsigned char>(c)];
    }

    // A comment is no part of a graph, and a line of blanks would end one in a file.
    static bool is_plain(std::string_view text) {
        const char *const begin = text.data(), *const end = begin + text.size();
        const char *c = begin;
        while (true) {
            while (c != end && kind(*c) == blank) ++c;
            if (c != end && (*c == '#' || (*c == '\n' && c != begin))) return false;
            while (c != end && !(kind(*c) & line_end)) {
                const std::size_t size = kind(*c) & wide ? caseless_size(c, end) : !(kind(*c) & odd);
                if (size == 0) return false;
                c += size;
            }
            if (c == end) return true;
            ++c;
        }
    }

    Reader reader_;
    bool is_empty_ = true;
    std::vector<Node> no_nodes_;
    std::vector<Role> no_roles_;
};

// The triples of a graph, as Smatch counts them.
class TripleReader {
  public:
    // False: the text is not plain, `triples` is of no use.
    bool read(std::string_view text, Names &names, bool top_is_concept, Triples &triples) {
        triples.clear();
        if (!reader_.parse(text)) return false;
        if (!reader_.nodes().empty()) collect(names, top_is_concept, triples);
        return true;
    }

    // Those that were read last, as long as their text lives.
    const std::vector<Node> &nodes() const { return reader_.nodes(); }

  private:
    static bool is_inverted(std::string_view role) {
        return role.size() >= 3 && role.substr(role.size() - 3) == "-of" && role != "prep-on-behalf-of" &&
               role != "prep-out-of" && role != "consist-of";
    }

    void collect(Names &names, bool top_is_concept, Triples &triples) {
        const std::vector<Node> &nodes = reader_.nodes();
        triples.nodes = static_cast<Id>(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            name_ = 'i';
            add_folded(name_, nodes[i].concept_name);
            triples.features.push_back({static_cast<Id>(i), instance, names(name_)});
        }
        triples.features.push_back(
            {0, attribute, names(constant("top", top_is_concept ? nodes[0].concept_name : std::string_view("top")))});
        for (const Role &role : reader_.roles()) {
            Id target = role.target;
            if (target < 0) {
                triples.features.push_back({role.source, attribute, names(constant(role.name, role.value))});
                continue;
            }
            Id source = role.source;
            name_ = 'r';
            add_lower(name_, role.name);
            if (is_inverted(std::string_view(name_).substr(1))) {
                name_.resize(name_.size() - 3);
                std::swap(source, target);
            } else if (name_ == "rmod") {
                name_ = "rdomain";
                std::swap(source, target);
            }
            while (name_.size() > 1 && name_.back() == '_') name_.pop_back();
            triples.edges.push_back({source, target, relation, names(name_)});
        }
    }

    // The name of a role with a constant.
    std::string_view constant(std::string_view role, std::string_view value) {
        name_ = 'a';
        add_folded(name_, role);
        name_.push_back('\0');
        add_folded(name_, value);
        return name_;
    }

    PlainReader reader_;
    std::string name_;  // made here, so that its memory is used again
};

}  // namespace karat::penman
