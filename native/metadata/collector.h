// Collecting metadata texts within the limits of metadata.h, so that a hostile file cannot use much memory.
#pragma once

#include <algorithm>
#include <string_view>

#include "metadata/metadata.h"

namespace telltale {

class MetadataCollector {
 public:
  // Counts `size` bytes that are about to be read. Returns false if that exceeds the limit for one file.
  bool Walk(uint64_t size) {
    if (size > kMaxMetadataBytes - walked_) return false;
    walked_ += size;
    return true;
  }

  // Adds a text, cut to its maximum length. Drops it if the file's texts have reached their limit.
  void Add(std::string_view where, std::string_view name, std::string_view text) {
    text = text.substr(0, where == "xmp" ? kMaxXmpBytes : kMaxTextBytes);
    if (texts_.size() >= kMaxMetadataTexts || text.size() > kMaxKeptBytes - kept_) return;
    kept_ += text.size();
    texts_.push_back({std::string(where), std::string(name), std::string(text)});
  }

  std::vector<MetadataText> Release() { return std::move(texts_); }

 private:
  std::vector<MetadataText> texts_;
  size_t walked_ = 0;
  size_t kept_ = 0;
};

// Returns the same bytes as characters, without copying them.
inline std::string_view AsText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace telltale
