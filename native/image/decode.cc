// Decoding an image file: detects the format, calls the format's decoder and turns the image upright.
#include "image/decode.h"

#include <algorithm>
#include <new>

#include "image/colour_profile.h"
#include "image/decoders.h"
#include "image/orientation.h"

namespace telltale {
namespace {

// Returns by how much libjpeg may shrink an image while decoding (1, 2, 4 or 8), so that the longer side
// stays at least `enough_px`.
int ShrinkOf(StoredSize size, int enough_px) {
  const int longer = std::max(size.width, size.height);
  int shrink = 1;
  while (enough_px > 0 && shrink < 8 && longer / (2 * shrink) >= enough_px) shrink *= 2;
  return shrink;
}

Status DecodeStored(Bytes bytes, const SniffedImage& sniffed, const Cancellation& cancellation, int enough_px,
                    Image* image) {
  const StoredSize size = StoredSizeOf(sniffed);
  switch (sniffed.format) {
    case ImageFormat::kJpeg:
      return DecodeJpeg(bytes, size, ShrinkOf(size, enough_px), cancellation, image);
    case ImageFormat::kPng:
      return DecodePng(bytes, size, cancellation, image);
    case ImageFormat::kWebp:
      return DecodeWebp(bytes, size, image);
    case ImageFormat::kAvif:
      return DecodeAvif(bytes, size, image);
    case ImageFormat::kGif:
      return DecodeGif(bytes, size, cancellation, image);
    case ImageFormat::kBmp:
      return DecodeBmp(bytes, size, cancellation, image);
    case ImageFormat::kTiff:
      return DecodeTiff(bytes, size, cancellation, image);
  }
  return Status(StatusCode::kInternalError, "unknown image format");
}

}  // namespace

void Allocate(StoredSize size, int channels, Image* image) {
  image->width = size.width;
  image->height = size.height;
  image->pixels.resize(static_cast<size_t>(size.width) * size.height * channels);
}

void PlaceOnWhite(const Image& frame, int x, int y, StoredSize size, Image* image) {
  Allocate(size, kChannels, image);
  std::fill(image->pixels.begin(), image->pixels.end(), uint8_t{255});
  image->is_transparent = frame.is_transparent;
  for (int row = 0; row < frame.height; ++row) {
    std::copy_n(frame.row(row), static_cast<size_t>(frame.width) * kChannels,
                image->row(y + row) + static_cast<size_t>(x) * kChannels);
  }
}

Status CannotDecode(ImageFormat format) {
  return Status(StatusCode::kImageCorrupt, "undecodable", {ImageFormatName(format)});
}

Result<Image> Decode(Bytes bytes, const Cancellation& cancellation, int enough_px) {
  try {
    Result<SniffedImage> sniffed = Sniff(bytes);
    if (!sniffed.ok()) return sniffed.status();
    Image image;
    if (Status status = DecodeStored(bytes, sniffed.value(), cancellation, enough_px, &image); !status.ok()) {
      const Status over = cancellation.Check(std::chrono::steady_clock::now());
      return over.ok() ? status : over;
    }
    if (Status status = ConvertToSrgb(bytes, sniffed.value().format, cancellation, &image); !status.ok())
      return status;
    MakeUpright(&image, sniffed.value().orientation);
    return image;
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kInternalError, kOutOfMemory);
  }
}

}  // namespace telltale
