// Decoding AVIF with libavif: the primary image or the first frame, cropped as the file asks for.
#include <algorithm>

#include "image/alpha.h"
#include "image/avif_reader.h"
#include "image/decoders.h"

namespace telltale {
namespace {

// Moves the rows inside `crop` to the beginning of the buffer.
void Crop(const avifCropRect& crop, Image* image) {
  if (static_cast<int64_t>(crop.width) == image->width && static_cast<int64_t>(crop.height) == image->height)
    return;
  uint8_t* to = image->pixels.data();
  const size_t stride = static_cast<size_t>(crop.width) * 3;
  for (uint32_t y = 0; y < crop.height; ++y, to += stride) {
    const uint8_t* from = image->row(static_cast<int>(crop.y + y)) + static_cast<size_t>(crop.x) * 3;
    std::copy(from, from + stride, to);
  }
  Allocate({static_cast<int>(crop.width), static_cast<int>(crop.height)}, 3, image);
}

}  // namespace

Status DecodeAvif(Bytes bytes, StoredSize size, Image* image) {
  Result<AvifReader> reader = OpenAvif(bytes);
  if (!reader.ok()) return reader.status();
  avifDecoder* decoder = reader.value().decoder.get();
  const avifCropRect crop = reader.value().crop;
  if (static_cast<int64_t>(crop.width) != size.width || static_cast<int64_t>(crop.height) != size.height) {
    return CannotDecode(ImageFormat::kAvif);
  }
  if (avifDecoderNextImage(decoder) != AVIF_RESULT_OK) return CannotDecode(ImageFormat::kAvif);
  const avifImage* coded = decoder->image;
  // The crop was checked against the declared size. Checks that the decoded image has that size.
  if (uint64_t{crop.x} + crop.width > coded->width || uint64_t{crop.y} + crop.height > coded->height) {
    return CannotDecode(ImageFormat::kAvif);
  }
  const bool has_alpha = coded->alphaPlane != nullptr;
  const StoredSize coded_size{static_cast<int>(coded->width), static_cast<int>(coded->height)};
  const int channels = has_alpha ? 4 : 3;
  Allocate(coded_size, channels, image);
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, coded);
  rgb.format = has_alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
  rgb.depth = 8;
  rgb.pixels = image->pixels.data();
  rgb.rowBytes = coded->width * channels;
  if (avifImageYUVToRGB(coded, &rgb) != AVIF_RESULT_OK) return CannotDecode(ImageFormat::kAvif);
  if (has_alpha) FlattenOverWhite(image);
  Crop(crop, image);
  return Status();
}

}  // namespace telltale
