// First directory of a TIFF file, and how many follow it.
#include <limits>

#include "image/headers.h"
#include "image/tiff_directory.h"
#include "image/tiff_kind.h"

namespace telltale {
namespace {

constexpr ImageFormat kFormat = ImageFormat::kTiff;
constexpr uint16_t kWidthTag = 256;
constexpr uint16_t kHeightTag = 257;
constexpr uint16_t kOrientationTag = 274;
constexpr uint16_t kStripOffsetsTag = 273;
constexpr uint16_t kStripByteCountsTag = 279;
constexpr uint16_t kTileOffsetsTag = 324;
constexpr uint16_t kTileByteCountsTag = 325;
constexpr uint16_t kManifestTag = 0xCD41;  // C2PA 2.1, A.3.7
// Chosen: far beyond any document, and a chain that runs in a circle ends here.
constexpr int kMaxCountedPages = 1000;

// Whether the last strip or tile of the page lies inside the file. Writers put them in order, so
// that a page that is cut off lacks its last one; libtiff looks at the others when it decodes.
bool HoldsLastPiece(Bytes bytes, const TiffDirectory& page) {
  const bool tiled = page.Has(kTileOffsetsTag);
  const uint16_t offsets = tiled ? kTileOffsetsTag : kStripOffsetsTag;
  const uint16_t sizes = tiled ? kTileByteCountsTag : kStripByteCountsTag;
  const uint64_t count = page.Count(offsets);
  if (count == 0 || page.Count(sizes) != count) return true;  // libtiff works the sizes out
  const std::optional<uint64_t> offset = page.Value(offsets, count - 1);
  const std::optional<uint64_t> size = page.Value(sizes, count - 1);
  return offset && size && Holds(bytes, *offset, *size);
}

// Whether the values and the strips or tiles of the page, each taken by itself, fit into the file. libtiff
// copies the values of every tag that it does not know, and the bytes of every strip or tile whose bit order
// is turned. Many that share one range would make gigabytes of a small file.
bool FitsWithoutOverlap(Bytes bytes, const TiffDirectory& page) {
  return page.OuterBytes() <= bytes.size() && page.Sum(kStripByteCountsTag) <= bytes.size() &&
         page.Sum(kTileByteCountsTag) <= bytes.size();
}

}  // namespace

Result<SniffedImage> ReadTiffHeader(Bytes bytes) {
  SniffedImage sniffed;
  std::optional<TiffDirectory> directory = TiffDirectory::First(bytes);
  if (!directory) return EndsEarly(kFormat);
  const std::optional<uint64_t> width = directory->Value(kWidthTag);
  const std::optional<uint64_t> height = directory->Value(kHeightTag);
  constexpr uint64_t kMaxInt = std::numeric_limits<int>::max();
  if (!width || !height || *width > kMaxInt || *height > kMaxInt) {
    return Contradiction(kFormat, "its first directory holds no size");
  }
  if (Status kind = CheckTiffKind(*directory); !kind.ok()) return kind;
  if (!FitsWithoutOverlap(bytes, *directory)) {
    return Contradiction(kFormat, "its first directory claims more bytes than there are");
  }
  sniffed.width = static_cast<int>(*width);
  sniffed.height = static_cast<int>(*height);
  const uint64_t orientation = directory->Value(kOrientationTag).value_or(1);
  if (orientation >= 1 && orientation <= 8) sniffed.orientation = static_cast<int>(orientation);
  sniffed.has_manifest = directory->Has(kManifestTag);

  if (!HoldsLastPiece(bytes, *directory)) return EndsEarly(kFormat);
  // Only the first page is judged: a chain that leads nowhere ends there.
  for (int read = 1; read < kMaxCountedPages && (directory = directory->Next()); ++read) {
    // c2pa-rs appends the manifest in a directory of its own, which is no page.
    if (directory->Has(kManifestTag)) sniffed.has_manifest = true;
    if (directory->Has(kWidthTag)) ++sniffed.frame_count;
  }
  return sniffed;
}

}  // namespace telltale
