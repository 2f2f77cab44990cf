// Sentences with a token and its tags on each line, straight from the bytes of a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace karat::records {

// Lines may end in CR LF as well; those are left to the parser.
inline bool has_returns(std::string_view data) { return data.find('\r') != std::string_view::npos; }

// Reads sentences; tokens and tags are parts of the bytes.
class TagColumns {
  public:
    // The column of the tag, from 0; below 0 from the end: -1 is the last one.
    explicit TagColumns(std::int64_t column) : column_(column) {}

    // Whether each line of a sentence has a token and its tag.
    bool read(std::string_view sentence) {
        tokens.clear(), tags.clear();
        while (!sentence.empty()) {
            const std::string_view line = sentence.substr(0, sentence.find('\n'));
            sentence.remove_prefix(std::min(line.size() + 1, sentence.size()));
            std::string_view token, tag;
            if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
            if (!split(line, token, tag)) return false;
            if (token == "-DOCSTART-") continue;
            tokens.push_back(token), tags.push_back(tag);
        }
        return true;
    }

    std::vector<std::string_view> tokens, tags;

  private:
    bool split(std::string_view line, std::string_view &token, std::string_view &tag) {
        const std::size_t tab = line.find('\t');
        cells_.clear();
        if (tab != std::string_view::npos) {
            for (std::size_t at = 0;;) {
                const std::size_t end = std::min(line.find('\t', at), line.size());
                cells_.push_back(line.substr(at, end - at));
                if (end == line.size()) break;
                at = end + 1;
            }
        } else {
            for (std::size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string_view::npos;) {
                const std::size_t end = std::min(line.find(' ', at), line.size());
                cells_.push_back(line.substr(at, end - at));
                at = end;
            }
        }
        const auto size = static_cast<std::int64_t>(cells_.size());
        token = cells_[0];
        if (token == "-DOCSTART-") return true;
        if (size < 2 || column_ < -size || column_ >= size) return false;
        tag = cells_[static_cast<std::size_t>(column_ < 0 ? column_ + size : column_)];
        return true;
    }

    std::int64_t column_;
    std::vector<std::string_view> cells_;
};

}  // namespace karat::records
