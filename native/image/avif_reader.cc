// Reading an AVIF file with libavif, under this project's limits.
#include "image/avif_reader.h"

#include "image/avif_counts.h"
#include "image/avif_tiles.h"
#include "image/avif_work.h"
#include "image/headers.h"

namespace telltale {
namespace {

// EXIF orientations by rotation (rows; `irot`, anticlockwise) and the mirroring after it (columns; `imir`:
// none, top to bottom, left to right). Source: ISO/IEC 23008-12.
constexpr int kExifOrientation[4][3] = {{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}};

// One of two overloads compiles, because libavif 1.0 renamed the member `mode` to `axis`.
#if AVIF_VERSION_MAJOR >= 1
int MirrorAxis(const avifImageMirror& mirror) { return mirror.axis; }
#else
int MirrorAxis(const avifImageMirror& mirror) { return mirror.mode; }
#endif

int ReadOrientation(const avifImage& image) {
  const int turns = image.transformFlags & AVIF_TRANSFORM_IROT ? image.irot.angle & 3 : 0;
  const int mirror = image.transformFlags & AVIF_TRANSFORM_IMIR ? 1 + (MirrorAxis(image.imir) & 1) : 0;
  return kExifOrientation[turns][mirror];
}

avifCropRect ReadCrop(const avifImage& image) {
  avifCropRect crop{0, 0, image.width, image.height};
  if (image.transformFlags & AVIF_TRANSFORM_CLAP) {
    avifDiagnostics ignored;
    avifCropRect asked{};
    if (avifCropRectConvertCleanApertureBox(&asked, &image.clap, image.width, image.height, image.yuvFormat,
                                            &ignored) &&
        asked.width > 0 && asked.height > 0) {
      crop = asked;
    }
  }
  return crop;
}

}  // namespace

Result<AvifReader> OpenAvif(Bytes bytes, bool with_metadata) {
  if (!AvifCounts::AreBearable(bytes)) {
    return Contradiction(ImageFormat::kAvif, "too_many_boxes");
  }
  if (!MeasureAvifWork(bytes).is_bearable) {
    return Contradiction(ImageFormat::kAvif, "too_many_streams");
  }
  if (!AreTilesInOrder(bytes)) {
    return Status(StatusCode::kUnsupportedFormat, "avif_tile_order");
  }
  AvifReader reader;
  reader.decoder.reset(avifDecoderCreate());
  avifDecoder* decoder = reader.decoder.get();
  if (decoder == nullptr) return Status(StatusCode::kInternalError, "out of memory");
  decoder->maxThreads = 1;
  decoder->ignoreExif = with_metadata ? AVIF_FALSE : AVIF_TRUE;
  decoder->ignoreXMP = with_metadata ? AVIF_FALSE : AVIF_TRUE;
  decoder->imageSizeLimit = kMaxPixels;
  decoder->imageDimensionLimit = kMaxSidePx;
  // One table entry in a small file may stand for millions of frames.
  decoder->imageCountLimit = AvifCounts::kMaxSampleEntries;
  // Common encoders omit `pixi`, and images with an invalid `clap` should be readable too.
  decoder->strictFlags = AVIF_STRICT_ENABLED & ~(AVIF_STRICT_PIXI_REQUIRED | AVIF_STRICT_CLAP_VALID);
  if (avifDecoderSetIOMemory(decoder, bytes.data(), bytes.size()) != AVIF_RESULT_OK) {
    return Status(StatusCode::kInternalError, "out of memory");
  }
  if (avifDecoderParse(decoder) != AVIF_RESULT_OK) {
    return Contradiction(ImageFormat::kAvif, "unreadable_boxes");
  }
  reader.crop = ReadCrop(*decoder->image);
  reader.orientation = ReadOrientation(*decoder->image);
  return reader;
}

}  // namespace telltale
