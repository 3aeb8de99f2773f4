// Reading the first directory (page) of a TIFF file and counting its pages.
#include <algorithm>
#include <limits>

#include "image/exif.h"
#include "image/headers.h"
#include "image/tiff_directory.h"
#include "image/tiff_kind.h"
#include "image/tiff_pieces.h"

namespace telltale {
namespace {

constexpr uint16_t kWidthTag = 256;
constexpr uint16_t kHeightTag = 257;
constexpr uint16_t kManifestTag = 0xCD41;  // C2PA 2.1, A.3.7

// Checks that the file is large enough for all values, strips and tiles of the page together. libtiff copies
// the values of every unknown tag, and each strip or tile with reversed bit order. A small file whose pieces
// share one range of bytes could otherwise take gigabytes of memory.
Status CheckPieces(Bytes bytes, const TiffDirectory& page) {
  if (page.OuterBytes() > bytes.size()) return Contradiction(ImageFormat::kTiff, "missing_bytes");
  if (!ClaimsTooMuch(bytes, page)) return Status();
  const auto bounded = WithBoundedPieces(bytes, page);
  if (!bounded) return EndsEarly(ImageFormat::kTiff);
  const auto bounded_page = page.In(*bounded);
  if (!ClaimsTooMuch(*bounded, bounded_page)) return Status();
  return Contradiction(ImageFormat::kTiff, "missing_bytes");
}

}  // namespace

Result<SniffedImage> ReadTiffHeader(Bytes bytes) {
  SniffedImage sniffed;
  const std::optional<TiffDirectory> page = TiffDirectory::Main(bytes);
  if (!page) return EndsEarly(ImageFormat::kTiff);
  const std::optional<uint64_t> width = page->Value(kWidthTag);
  const std::optional<uint64_t> height = page->Value(kHeightTag);
  constexpr uint64_t kMaxInt = std::numeric_limits<int>::max();
  if (!width || !height || *width > kMaxInt || *height > kMaxInt) {
    return Contradiction(ImageFormat::kTiff, "no_size");
  }
  if (Status kind = CheckTiffKind(*page); !kind.ok()) return kind;
  if (Status pieces = CheckPieces(bytes, *page); !pieces.ok()) return pieces;
  sniffed.width = static_cast<int>(*width);
  sniffed.height = static_cast<int>(*height);
  const uint64_t orientation = page->Value(kOrientationTag).value_or(1);
  if (orientation >= 1 && orientation <= 8) sniffed.orientation = static_cast<int>(orientation);

  // A broken link to the next page ends the count without an error, because only one page is judged.
  int pages = 0;
  std::optional<TiffDirectory> directory = TiffDirectory::First(bytes);
  for (int read = 0; directory && read < kMaxCountedPages; ++read, directory = directory->Next()) {
    // c2pa-rs appends a manifest in a directory that is not a page. A thumbnail is not a page either.
    if (directory->Has(kManifestTag)) sniffed.has_manifest = true;
    if (directory->Has(kWidthTag) && !directory->IsReduced()) ++pages;
  }
  sniffed.frame_count = std::max(pages, 1);
  return sniffed;
}

}  // namespace telltale
