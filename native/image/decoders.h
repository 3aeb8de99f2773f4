// One decoder a format: what Decode dispatches to.
#pragma once

#include "base/cancellation.h"
#include "image/sniff.h"

namespace telltale {

// The image as a file stores it, before orientation, in pixels.
struct StoredSize {
  int width = 0;
  int height = 0;
};

inline StoredSize StoredSizeOf(const SniffedImage& sniffed) {
  if (SwapsSides(sniffed.orientation)) return {sniffed.height, sniffed.width};
  return {sniffed.width, sniffed.height};
}

// Each fills `image` with the first frame as stored (RGB, not yet upright), of exactly the size that was
// sniffed. A codec that finds another size has been lied to. `bytes` passed Sniff. Every pixel is written on
// success; on failure `image` holds nothing of use. Where a codec gives its rows or pieces one by one, a
// `cancellation` that is over ends it with any error: Decode says why. JPEG comes `shrink` times smaller, 1,
// 2, 4 or 8, rounded up. Errors: kImageCorrupt, kImageTooManyPixels (the codec needs more memory than it is
// allowed), kInternalError. May throw std::bad_alloc, nothing else.
Status DecodeJpeg(Bytes bytes, StoredSize size, int shrink, const Cancellation& cancellation, Image* image);
Status DecodePng(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeWebp(Bytes bytes, StoredSize size, Image* image);
Status DecodeAvif(Bytes bytes, StoredSize size, Image* image);
Status DecodeGif(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeBmp(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeTiff(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);

// Sizes `image` for `channels` samples a pixel, uninitialised.
void Allocate(StoredSize size, int channels, Image* image);

// The first frame on its canvas of `size`, which stays white where the frame leaves it free.
void PlaceOnWhite(const Image& frame, int x, int y, StoredSize size, Image* image);

// kImageCorrupt if the codec gave up.
Status CannotDecode(ImageFormat format);

}  // namespace telltale
