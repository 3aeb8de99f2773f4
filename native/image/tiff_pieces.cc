// Comparing the offsets and sizes of a TIFF page's strips and tiles with the file.
#include "image/tiff_pieces.h"

#include <tiff.h>

#include <algorithm>

namespace telltale {
namespace {

// Maximum strips and tiles, enough for 32,768 rows, each of which may be a strip in several planes.
constexpr uint64_t kMaxPieces = 1'000'000;

// The table of a page's offsets or sizes, read from the file without copying.
struct Table {
  Table(const TiffDirectory& page, uint16_t tag)
      : values(page.Data(tag).value_or(Bytes())), count(page.Count(tag)), order(page.order()) {
    size = count == 0 ? 0 : static_cast<int>(values.size() / count);
  }
  bool IsReadable() const { return size == 1 || size == 2 || size == 4 || size == 8; }
  uint64_t At(uint64_t index) const { return ReadUint(values, index * size, size, order); }

  Bytes values;
  uint64_t count;
  ByteOrder order;
  int size = 0;  // bytes per value
};

struct Pieces {
  explicit Pieces(const TiffDirectory& page)
      : offsets(page, page.Has(TIFFTAG_TILEOFFSETS) ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS),
        sizes(page, page.Has(TIFFTAG_TILEOFFSETS) ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS) {}
  bool AreReadable() const {
    return offsets.IsReadable() && sizes.IsReadable() && offsets.count == sizes.count;
  }
  Table offsets;
  Table sizes;
};

bool IsFax(const TiffDirectory& page) {
  const uint64_t compression = page.Value(TIFFTAG_COMPRESSION).value_or(COMPRESSION_NONE);
  return compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTFAX3 ||
         compression == COMPRESSION_CCITTFAX4 || compression == COMPRESSION_CCITTRLEW;
}

}  // namespace

bool ClaimsTooMuch(Bytes bytes, const TiffDirectory& page) {
  if (page.Sum(TIFFTAG_STRIPBYTECOUNTS) > bytes.size() || page.Sum(TIFFTAG_TILEBYTECOUNTS) > bytes.size())
    return true;
  const Pieces pieces(page);
  if (!pieces.AreReadable()) return false;
  for (uint64_t i = 0; i < pieces.sizes.count; ++i) {
    if (!Holds(bytes, pieces.offsets.At(i), pieces.sizes.At(i))) return true;
  }
  return false;
}

std::optional<std::vector<uint8_t>> WithBoundedPieces(Bytes bytes, const TiffDirectory& page) {
  const Pieces pieces(page);
  if (!pieces.AreReadable() || pieces.sizes.count > kMaxPieces || IsFax(page)) return std::nullopt;
  std::vector<uint64_t> starts(pieces.offsets.count);
  for (uint64_t i = 0; i < starts.size(); ++i) starts[i] = pieces.offsets.At(i);
  std::sort(starts.begin(), starts.end());
  std::vector<uint8_t> bounded(bytes.begin(), bytes.end());
  uint8_t* const table = bounded.data() + (pieces.sizes.values.data() - bytes.data());
  for (uint64_t i = 0; i < pieces.sizes.count; ++i) {
    const uint64_t start = pieces.offsets.At(i);
    if (start >= bytes.size()) return std::nullopt;
    const auto next = std::upper_bound(starts.begin(), starts.end(), start);
    const uint64_t end = next == starts.end() ? bytes.size() : std::min<uint64_t>(*next, bytes.size());
    const uint64_t size = std::min(pieces.sizes.At(i), end - start);
    for (int byte = 0; byte < pieces.sizes.size; ++byte) {
      const int place = pieces.sizes.order == ByteOrder::kLittle ? byte : pieces.sizes.size - 1 - byte;
      table[i * pieces.sizes.size + place] = static_cast<uint8_t>(size >> (8 * byte));
    }
  }
  return bounded;
}

}  // namespace telltale
