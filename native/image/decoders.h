// The decoders of the seven formats, which Decode calls.
#pragma once

#include "base/cancellation.h"
#include "image/sniff.h"

namespace telltale {

// Size of an image in pixels as stored in the file, before it is turned upright.
struct StoredSize {
  int width = 0;
  int height = 0;
};

inline StoredSize StoredSizeOf(const SniffedImage& sniffed) {
  if (SwapsSides(sniffed.orientation)) return {sniffed.height, sniffed.width};
  return {sniffed.width, sniffed.height};
}

// Each decoder fills `image` with the first frame (RGB, not yet turned upright). The frame must have the size
// that the header check found, otherwise decoding fails. Requires that `bytes` passed Sniff. If decoding
// fails, the content of `image` is undefined. A decoder that works in rows or pieces stops with any error
// when `cancellation` is over, and Decode then reports the cancellation. `shrink` (1, 2, 4 or 8) divides the
// size of a JPEG, rounded up. Errors: kImageCorrupt, kInternalError, and kImageTooManyPixels if the codec
// needs more memory than allowed. May throw only std::bad_alloc.
Status DecodeJpeg(Bytes bytes, StoredSize size, int shrink, const Cancellation& cancellation, Image* image);
Status DecodePng(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeWebp(Bytes bytes, StoredSize size, Image* image);
Status DecodeAvif(Bytes bytes, StoredSize size, Image* image);
Status DecodeGif(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeBmp(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);
Status DecodeTiff(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image);

// Allocates uninitialised pixels for an image of `size` with `channels` samples per pixel.
void Allocate(StoredSize size, int channels, Image* image);

// Places a frame on a white canvas of `size`, because the first frame of an animation may be smaller.
void PlaceOnWhite(const Image& frame, int x, int y, StoredSize size, Image* image);

// Returns kImageCorrupt, with a message that the codec could not decode the file.
Status CannotDecode(ImageFormat format);

}  // namespace telltale
