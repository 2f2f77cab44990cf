// In which way the head of each word is right, as JSON for people and for pages.
#pragma once

#include "karat/same_words_look.hpp"

namespace karat {

class NedLook : public SameWordsLook {
  public:
    using SameWordsLook::SameWordsLook;

    enum How : std::uint8_t { wrong, parent, child, grandparent, excluded, ways };

    // False where something is wrong with a pair. Until it is judged, every word is wrong.
    bool read(std::size_t count) {
        if (!SameWordsLook::read(count)) return false;
        judge(std::vector<std::uint8_t>(words(), wrong).data(), std::vector<std::uint8_t>(sentences(), 0).data());
        return true;
    }

    std::size_t words() const { return punctuation.size(); }
    std::size_t sentences() const { return golds_.size(); }

    // What was found of each word, and which sentences are left out.
    void judge(const std::uint8_t *how, const std::uint8_t *skipped) {
        how_.assign(how, how + words());
        skipped_.assign(skipped, skipped + sentences());
        judged_.clear();
        for (std::size_t i = 0; i < sentences(); ++i) {
            for (std::size_t w = 0; w < golds_[i].size(); ++w) {
                const std::uint8_t way = how_[place(i, w)];
                Judged found = way == wrong ? Judged::wrong : way == parent ? Judged::right : Judged::accepted;
                if (way == excluded || skipped_[i] != 0) found = Judged::excluded;
                judged_.push_back(found);
            }
        }
    }

    void explain(TextPieces &pieces) const {
        static constexpr std::string_view names[ways] = {"wrong", "parent", "child", "grandparent", "excluded"};
        for (std::size_t i = 0; i < sentences(); ++i) {
            const TreeView system = system_view(i), gold = gold_view(i);
            const TreeView &named = gold_.rules.has_forms() ? gold : system;
            std::string &out = pieces.text;
            out.append("{\"skipped\":").append(skipped_[i] != 0 ? "true" : "false").append(",\"words\":[");
            for (std::size_t w = 0; w < gold.size(); ++w) {
                separate(out, '[');
                out.append("{\"word\":");
                append_number(static_cast<std::int64_t>(w + 1), out);
                out.append(",\"form\":");
                append_json(named.form(w), out);
                out.append(",\"gold\":");
                append_number(gold.head(w), out);
                out.append(",\"system\":");
                append_number(system.head(w), out);
                out.append(",\"how\":\"").append(names[how_[place(i, w)]]).append("\"}");
            }
            out.append("]}");
            pieces.end();
        }
    }

  private:
    std::vector<std::uint8_t> how_, skipped_;
};

}  // namespace karat
