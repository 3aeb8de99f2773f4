// Functions for tests of files that break a rule of their format but open in viewers.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "image/decode.h"
#include "tests/hostile_files.h"

namespace telltale {

// Succeeds if both files decode to the same pixels.
inline testing::AssertionResult ShowsTheSame(const FileBytes& file, const FileBytes& whole) {
  const Result<Image> image = Decode(file);
  if (!image.ok()) return testing::AssertionFailure() << image.status().message();
  const Image expected = Decode(whole).value();
  if (image.value().pixels != expected.pixels) return testing::AssertionFailure() << "other pixels";
  return testing::AssertionSuccess();
}

inline FileBytes Without(FileBytes file, size_t last_bytes) {
  file.resize(file.size() - last_bytes);
  return file;
}

inline FileBytes Joined(FileBytes file, std::string_view more) {
  file.insert(file.end(), more.begin(), more.end());
  return file;
}

// Returns the position of the first `text` in `file`.
inline size_t Find(const FileBytes& file, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  return all.find(text);
}

}  // namespace telltale
