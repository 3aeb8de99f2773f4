// Reading the texts in a file's metadata, in which image generators often name themselves.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// One metadata text of a file.
struct MetadataText {
  std::string where;  // "png", "exif", "iptc", "xmp", "comment" or "sef" (Samsung's trailer)
  std::string name;   // keyword or tag as spelled in its standard; empty for XMP packets and comments
  std::string text;   // UTF-8 if the file's own encoding is valid; cut at the maximum length
  TELLTALE_FIELDS(where, name, text)
};

// Limits for one file, far above the values of real files.
inline constexpr size_t kMaxMetadataBytes = 16'000'000;  // read in total
inline constexpr size_t kMaxMetadataTexts = 1'000;
inline constexpr size_t kMaxTextBytes = 65'536;     // kept of one text
inline constexpr size_t kMaxXmpBytes = 500'000;     // kept of one XMP packet
inline constexpr size_t kMaxKeptBytes = 2'000'000;  // kept in total

// Returns the texts in the order of the file: PNG tEXt, zTXt and iTXt, EXIF, IPTC-IIM, XMP packets as they
// are, comments of JPEG and GIF, and Samsung's block. EXIF tags about the exposure are returned with an empty
// text, because only their presence matters. GPS positions are never read. Malformed parts are skipped
// without an error. Thread-safe.
std::vector<MetadataText> ReadMetadata(Bytes bytes);

}  // namespace telltale
