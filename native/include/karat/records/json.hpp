// JSON as RFC 8259 has it: a text becomes nodes, or the error says where it ends to be JSON.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "karat/names.hpp"
#include "karat/records/decimal.hpp"

namespace karat::records {

enum class Kind : std::uint8_t { null, no, yes, number, string, array, object };

// A value as it is written. The children of a container follow it: the first is the next node,
// and `next` is where the node after the whole value stands.
struct Node {
    Kind kind;
    std::int32_t key;   // of a member of an object; -1 elsewhere
    std::int32_t text;  // of a string or number
    std::int32_t next;
};

struct Failure {
    const char *message = nullptr;
    std::size_t offset = 0;
    bool cut_off = false;  // the text ends before the value does
};

// Reads values; strings, and numbers as they are written, become numbers of tables that all values share.
class Reader {
  public:
    static constexpr std::size_t deepest = 1000;

    Reader(Names &strings, Names &numbers) : strings_(strings), numbers_(numbers) {}

    // The whole text is one value.
    bool whole(std::string_view text, std::vector<Node> &nodes, Failure &failure) {
        std::size_t at = spaces(text, text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0);
        if (!value(text, at, nodes, failure)) return false;
        at = spaces(text, at);
        if (at == text.size()) return true;
        failure = {"something follows the value", at, false};
        return false;
    }

    // A value at a place of a text; `at` is then the place after it.
    bool value(std::string_view text, std::size_t &at, std::vector<Node> &nodes, Failure &failure) {
        text_ = text, at_ = at, nodes_ = &nodes, failure_ = &failure, starts_ = nullptr;
        failure = {};
        open_.clear();
        const bool fine = read();
        at = at_;
        return fine;
    }

    // The same for a value of any depth; also where its containers begin, and whether it is too deep.
    bool value(std::string_view text, std::size_t &at, std::vector<Node> &nodes, Failure &failure,
               std::vector<std::size_t> &starts, bool &too_deep) {
        text_ = text, at_ = at, nodes_ = &nodes, failure_ = &failure, starts_ = &starts;
        failure = {};
        open_.clear();
        starts.clear();
        too_deep_ = false;
        const bool fine = read();
        at = at_, too_deep = too_deep_;
        return fine;
    }

    static std::size_t spaces(std::string_view text, std::size_t at) {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
        return at;
    }

  private:
    bool fail(const char *message, std::size_t at) {
        *failure_ = {message, at, false};
        return false;
    }

    bool ends() {
        *failure_ = {"the text ends before the value does", text_.size(), true};
        return false;
    }

    void skip() { at_ = spaces(text_, at_); }

    bool read() {
        std::int32_t key = -1;
        for (;;) {
            if (at_ >= text_.size()) return ends();
            const char c = text_[at_];
            if (c == '{' || c == '[') {
                if (open_.size() == deepest) {
                    if (!starts_) return fail("values are nested more than 1,000 deep", at_);
                    too_deep_ = true;
                }
                if (starts_) starts_->push_back(at_);
                open_.push_back(static_cast<std::int32_t>(nodes_->size()));
                nodes_->push_back({c == '{' ? Kind::object : Kind::array, key, -1, 0});
                ++at_;
                skip();
                if (at_ >= text_.size()) return ends();
                if (text_[at_] == (c == '{' ? '}' : ']')) {
                    ++at_;
                    close();
                } else {
                    key = -1;
                    if (c == '{' && !member(key)) return false;
                    continue;
                }
            } else if (!leaf(c, key)) {
                return false;
            }
            // A value is complete: what follows belongs to the containers around it.
            for (;;) {
                if (open_.empty()) return true;
                skip();
                if (at_ >= text_.size()) return ends();
                const bool object = (*nodes_)[static_cast<std::size_t>(open_.back())].kind == Kind::object;
                if (text_[at_] == (object ? '}' : ']')) {
                    ++at_;
                    close();
                    continue;
                }
                if (text_[at_] != ',') return fail(object ? "expected ',' or '}'" : "expected ',' or ']'", at_);
                ++at_;
                skip();
                key = -1;
                if (object && !member(key)) return false;
                break;
            }
        }
    }

    void close() {
        (*nodes_)[static_cast<std::size_t>(open_.back())].next = static_cast<std::int32_t>(nodes_->size());
        open_.pop_back();
    }

    bool member(std::int32_t &key) {
        if (at_ >= text_.size()) return ends();
        if (text_[at_] != '"') return fail("expected a key in double quotes", at_);
        if (!string()) return false;
        key = strings_(string_);
        skip();
        if (at_ >= text_.size()) return ends();
        if (text_[at_] != ':') return fail("expected ':'", at_);
        ++at_;
        skip();
        return true;
    }

    bool leaf(char c, std::int32_t key) {
        const std::int32_t next = static_cast<std::int32_t>(nodes_->size()) + 1;
        if (c == '"') {
            if (!string()) return false;
            nodes_->push_back({Kind::string, key, strings_(string_), next});
            return true;
        }
        if (c == '-' || (c >= '0' && c <= '9')) {
            const std::size_t begin = at_;
            if (!number()) return false;
            const std::string_view text = text_.substr(begin, at_ - begin);
            nodes_->push_back({Kind::number, key, numbers_(text), next});
            return true;
        }
        return word("null", Kind::null, key) || word("true", Kind::yes, key) || word("false", Kind::no, key) ||
               (failure_->cut_off ? false : fail("expected a value", at_));
    }

    bool word(const char *name, Kind kind, std::int32_t key) {
        const std::size_t size = std::strlen(name);
        const std::string_view there = text_.substr(at_, size);
        if (there == name) {
            at_ += size;
            nodes_->push_back({kind, key, -1, static_cast<std::int32_t>(nodes_->size()) + 1});
            return true;
        }
        if (at_ + there.size() == text_.size() && std::string_view(name).substr(0, there.size()) == there) ends();
        return false;
    }

    bool digits() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        if (at_ > begin) return true;
        return at_ >= text_.size() ? ends() : fail("expected a digit", at_);
    }

    bool number() {
        if (text_[at_] == '-') ++at_;
        if (at_ < text_.size() && text_[at_] == '0') {
            ++at_;
            if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
                return fail("a number begins with a zero", at_ - 1);
            }
        } else if (!digits()) {
            return false;
        }
        if (at_ < text_.size() && text_[at_] == '.') {
            ++at_;
            if (!digits()) return false;
        }
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            ++at_;
            if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
            return digits();
        }
        return true;
    }

    bool four(std::uint32_t &code) {
        code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            if (at_ >= text_.size()) return ends();
            const char c = text_[at_];
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) return fail("expected four hexadecimal digits", at_);
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return true;
    }

    void put(std::uint32_t code) {
        if (code < 0x80) {
            string_ += static_cast<char>(code);
        } else if (code < 0x800) {
            string_ += static_cast<char>(0xC0 | (code >> 6));
            string_ += static_cast<char>(0x80 | (code & 63));
        } else if (code < 0x10000) {
            string_ += static_cast<char>(0xE0 | (code >> 12));
            string_ += static_cast<char>(0x80 | ((code >> 6) & 63));
            string_ += static_cast<char>(0x80 | (code & 63));
        } else {
            string_ += static_cast<char>(0xF0 | (code >> 18));
            string_ += static_cast<char>(0x80 | ((code >> 12) & 63));
            string_ += static_cast<char>(0x80 | ((code >> 6) & 63));
            string_ += static_cast<char>(0x80 | (code & 63));
        }
    }

    // Into `string_`, in UTF-8; surrogates that stand alone are kept as three bytes.
    bool string() {
        string_.clear();
        ++at_;
        for (;;) {
            const std::size_t begin = at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
                   static_cast<unsigned char>(text_[at_]) >= 0x20) {
                ++at_;
            }
            string_.append(text_.substr(begin, at_ - begin));
            if (at_ >= text_.size()) return ends();
            if (text_[at_] == '"') {
                ++at_;
                return true;
            }
            if (text_[at_] != '\\') return fail("a control character in a string must be escaped", at_);
            if (++at_ >= text_.size()) return ends();
            const char c = text_[at_++];
            if (c == 'u') {
                std::uint32_t code;
                if (!four(code)) return false;
                if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
                    const std::size_t before = at_;
                    std::uint32_t low;
                    at_ += 2;
                    if (!four(low)) return false;
                    if (low >= 0xDC00 && low < 0xE000) {
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    } else {
                        at_ = before;
                    }
                }
                put(code);
                continue;
            }
            static constexpr char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
            const char *found = c ? std::strchr(names, c) : nullptr;
            if (!found) return fail("unknown escape in a string", at_ - 2);
            string_ += meant[found - names];
        }
    }

    Names &strings_, &numbers_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Node> *nodes_ = nullptr;
    Failure *failure_ = nullptr;
    std::vector<std::int32_t> open_;
    std::vector<std::size_t> *starts_ = nullptr;
    bool too_deep_ = false;
    std::string string_;
};

enum class Extract { none, fence, first, last };

// Finds JSON inside other text.
class Extractor {
  public:
    Extractor(Reader &reader) : reader_(reader) {}

    // The value that the way of extraction chooses, beyond the whole text.
    bool operator()(std::string_view text, Extract way, std::vector<Node> &nodes) {
        if (way == Extract::none) return false;
        if (fenced(text, way == Extract::last, nodes)) return true;
        return way != Extract::fence && inside(text, way == Extract::last, nodes);
    }

  private:
    static std::string_view line_at(std::string_view text, std::size_t at) {
        return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
    }

    // The length of the run of fence characters that a line begins or ends with.
    static std::size_t run(std::string_view line, char c) {
        std::size_t size = 0;
        while (size < line.size() && line[size] == c) ++size;
        return size;
    }

    static std::string_view stripped(std::string_view line) {
        while (!line.empty() && std::strchr(" \t\r", line.front())) line.remove_prefix(1);
        while (!line.empty() && std::strchr(" \t\r", line.back())) line.remove_suffix(1);
        return line;
    }

    bool fenced(std::string_view text, bool last, std::vector<Node> &nodes) {
        bool found = false;
        for (std::size_t at = 0; at < text.size();) {
            const std::string_view line = stripped(line_at(text, at));
            const char c = line.empty() ? '\0' : line[0];
            const std::size_t fence = c == '`' || c == '~' ? run(line, c) : 0;
            std::size_t next = at + line_at(text, at).size() + 1;
            if (fence < 3) {
                at = next;
                continue;
            }
            const std::size_t begin = next;
            std::size_t end = std::string_view::npos;
            while (next < text.size()) {
                const std::string_view whole = line_at(text, next);
                const std::string_view closing = stripped(whole);
                std::size_t size = 0;
                while (size < closing.size() && closing[closing.size() - 1 - size] == c) ++size;
                const std::size_t after = next + whole.size() + 1;
                if (size >= fence) {
                    end = static_cast<std::size_t>(closing.data() - text.data()) + closing.size() - size;
                    next = after;
                    break;
                }
                next = after;
            }
            if (end == std::string_view::npos) return found;
            std::vector<Node> block;
            Failure failure;
            if (reader_.whole(text.substr(begin, end - begin), block, failure)) {
                nodes = std::move(block);
                found = true;
                if (!last) return true;
            }
            at = next;
        }
        return found;
    }

    // The first or last complete container. Where one is none, those that it opened and did not
    // close are none either, for the same reason: they are not read again, so that time is linear.
    bool inside(std::string_view text, bool last, std::vector<Node> &nodes) {
        bool found = false;
        std::vector<bool> known;  // places of containers that are not complete
        std::vector<std::size_t> starts;
        for (std::size_t at = 0; (at = text.find_first_of("{[", at)) != std::string_view::npos;) {
            if (!known.empty() && known[at]) {
                ++at;
                continue;
            }
            std::vector<Node> block;
            Failure failure;
            std::size_t end = at;
            bool too_deep = false;
            if (reader_.value(text, end, block, failure, starts, too_deep)) {
                at = end;
                if (too_deep) continue;  // nor is a part of it taken
                nodes = std::move(block);
                found = true;
                if (!last) return true;
            } else if (failure.cut_off) {
                return found;  // no inner fragment of it is taken
            } else {
                if (known.empty()) known.resize(text.size());
                std::size_t container = 0;
                for (const Node &node : block) {
                    if (node.kind != Kind::array && node.kind != Kind::object) continue;
                    if (node.next == 0) known[starts[container]] = true;
                    ++container;
                }
                ++at;
            }
        }
        return found;
    }

    Reader &reader_;
};

}  // namespace karat::records
