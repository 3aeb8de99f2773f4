// Detecting the format from the content, reading its header and checking the limits.
#include "image/sniff.h"

#include <new>

#include "image/byte_reader.h"
#include "image/foreign_format.h"
#include "image/headers.h"

namespace telltale {
namespace {

Result<SniffedImage> ReadHeader(ImageFormat format, Bytes bytes) {
  switch (format) {
    case ImageFormat::kJpeg:
      return ReadJpegHeader(bytes);
    case ImageFormat::kPng:
      return ReadPngHeader(bytes);
    case ImageFormat::kWebp:
      return ReadWebpHeader(bytes);
    case ImageFormat::kAvif:
      return ReadAvifHeader(bytes);
    case ImageFormat::kGif:
      return ReadGifHeader(bytes);
    case ImageFormat::kBmp:
      return ReadBmpHeader(bytes);
    case ImageFormat::kTiff:
      return ReadTiffHeader(bytes);
  }
  return Status(StatusCode::kInternalError, "unknown image format");
}

Status IsNoneOfThem(Bytes bytes) {
  if (bytes.empty()) return {StatusCode::kUnsupportedFormat, "empty"};
  const char* const name = FindForeignFormat(bytes);
  return {StatusCode::kUnsupportedFormat, name == nullptr ? "unknown_format" : name};
}

// Does the work of Sniff. May throw std::bad_alloc.
Result<SniffedImage> SniffOrThrow(Bytes bytes) {
  const std::optional<ImageFormat> format = FindFormat(bytes);
  if (!format || (format == ImageFormat::kTiff && IsRawTiff(bytes))) return IsNoneOfThem(bytes);
  Result<SniffedImage> header = ReadHeader(*format, bytes);
  if (!header.ok()) return header;
  SniffedImage& sniffed = header.value();
  sniffed.format = *format;
  if (sniffed.width <= 0 || sniffed.height <= 0) return Contradiction(*format, "no_pixels");
  if (Status limits = CheckPixelLimits(sniffed.width, sniffed.height); !limits.ok()) return limits;
  if (SwapsSides(sniffed.orientation)) std::swap(sniffed.width, sniffed.height);
  return header;
}

}  // namespace

// The first bytes decide, so a file valid in several formats is treated as the format that it starts as.
std::optional<ImageFormat> FindFormat(Bytes bytes) {
  if (HasText(bytes, 0, "\xFF\xD8\xFF")) return ImageFormat::kJpeg;
  if (HasText(bytes, 0, "\x89PNG\r\n\x1A\n")) return ImageFormat::kPng;
  if (HasText(bytes, 0, "RIFF") && HasText(bytes, 8, "WEBP")) return ImageFormat::kWebp;
  if (HasText(bytes, 0, "GIF87a") || HasText(bytes, 0, "GIF89a")) return ImageFormat::kGif;
  for (std::string_view magic : {std::string_view("II*\0", 4), std::string_view("MM\0*", 4),
                                 std::string_view("II+\0", 4), std::string_view("MM\0+", 4)}) {
    if (HasText(bytes, 0, magic)) return ImageFormat::kTiff;
  }
  if (IsAvif(bytes)) return ImageFormat::kAvif;
  if (IsBmp(bytes)) return ImageFormat::kBmp;
  return std::nullopt;
}

const char* ImageFormatName(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg:
      return "jpeg";
    case ImageFormat::kPng:
      return "png";
    case ImageFormat::kWebp:
      return "webp";
    case ImageFormat::kAvif:
      return "avif";
    case ImageFormat::kGif:
      return "gif";
    case ImageFormat::kBmp:
      return "bmp";
    case ImageFormat::kTiff:
      return "tiff";
  }
  return "unknown";
}

Status CheckPixelLimits(int64_t width, int64_t height) {
  if (width <= kMaxSidePx && height <= kMaxSidePx && width * height <= kMaxPixels) return Status();
  return Status(StatusCode::kImageTooManyPixels, "too_many_pixels",
                {std::to_string(width), std::to_string(height)});
}

Result<SniffedImage> Sniff(Bytes bytes) {
  try {
    return SniffOrThrow(bytes);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kInternalError, kOutOfMemory);
  }
}

}  // namespace telltale
