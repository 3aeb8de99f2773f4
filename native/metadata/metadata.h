// What a file says of itself beside its pixels: texts of its containers' metadata.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// One text that a file carries.
struct MetadataText {
  std::string where;  // "png", "exif", "iptc", "xmp", "comment" or "sef" (Samsung's trailer)
  std::string name;   // keyword or tag in its standard's spelling; empty for XMP packets and comments
  std::string text;   // UTF-8 as far as the file's own encoding allows; cut where it is longer than its bound
  TELLTALE_FIELDS(where, name, text)
};

// Bounds on what one file may make us read. Chosen: far above what real files hold.
inline constexpr size_t kMaxMetadataBytes = 16'000'000;  // walked in all
inline constexpr size_t kMaxMetadataTexts = 1'000;
inline constexpr size_t kMaxTextBytes = 65'536;     // kept of one text
inline constexpr size_t kMaxXmpBytes = 500'000;     // kept of one XMP packet
inline constexpr size_t kMaxKeptBytes = 2'000'000;  // kept in all

// Texts in the order of the file: PNG tEXt, zTXt, iTXt; EXIF's texts; IPTC-IIM; XMP packets as they stand;
// JPEG and GIF comments; Samsung's trailer. Beside EXIF's texts are the names of its exposure tags, with an
// empty text. Positions (GPS) are never read. Malformed parts are left out: there are no errors. Thread-safe.
std::vector<MetadataText> ReadMetadata(Bytes bytes);

}  // namespace telltale
