// Reading the orientation from an EXIF block.
#include "image/exif.h"

#include "image/tiff_directory.h"

namespace telltale {
namespace {

constexpr std::string_view kJpegPrefix{"Exif\0\0", 6};

}  // namespace

int ReadExifOrientation(Bytes exif) {
  if (HasText(exif, 0, kJpegPrefix)) exif = exif.subspan(kJpegPrefix.size());
  const auto directory = TiffDirectory::First(exif);
  const auto value = directory ? directory->Value(kOrientationTag) : std::nullopt;
  return value && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
}

}  // namespace telltale
