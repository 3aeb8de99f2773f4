// One decoder per format, called by Decode.
#pragma once

#include "base/cancellation.h"
#include "image/sniff.h"

namespace telltale {

// Size of the stored image in pixels, before orientation.
struct StoredSize {
  int width = 0;
  int height = 0;
};

inline StoredSize StoredSizeOf(const SniffedImage& sniffed) {
  if (SwapsSides(sniffed.orientation)) return {sniffed.height, sniffed.width};
  return {sniffed.width, sniffed.height};
}

// Each decoder fills `image` with the first frame as stored (RGB, not yet upright), in exactly the sniffed
// size. If the codec finds another size, the decoder fails. Requires that `bytes` passed Sniff. On success
// every pixel is written; on failure the content of `image` is undefined. A decoder that works in rows or
// pieces stops with any error when `cancellation` is over; Decode then reports the cancellation. JPEG is
// decoded 1, 2, 4 or 8 times smaller (`shrink`), rounded up. Errors: kImageCorrupt, kImageTooManyPixels (the
// codec needs more memory than allowed), kInternalError. May throw std::bad_alloc only.
Status DecodeJpeg(Bytes bytes, StoredSize size, int shrink, const Cancellation& cancellation, Image* image);
Status DecodePng(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeWebp(Bytes bytes, StoredSize size, Image* image);
Status DecodeAvif(Bytes bytes, StoredSize size, Image* image);
Status DecodeGif(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeBmp(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeTiff(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);

// Sizes `image` for `channels` samples per pixel, uninitialised.
void Allocate(StoredSize size, int channels, Image* image);

// Places the first frame on a white canvas of `size`.
void PlaceOnWhite(const Image& frame, int x, int y, StoredSize size, Image* image);

// Returns kImageCorrupt after a codec failure.
Status CannotDecode(ImageFormat format);

}  // namespace telltale
