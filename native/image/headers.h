// The header readers of the seven formats, which Sniff calls.
#pragma once

#include <optional>

#include "image/sniff.h"

namespace telltale {

// Each function reads the header of one format. Requires bytes that start with the format's signature. Reads
// only the headers of chunks, boxes, segments or blocks, never compressed data. Width and height are as
// stored, not yet turned upright; Sniff checks their limits. Error: kImageCorrupt.
Result<SniffedImage> ReadJpegHeader(Bytes bytes);  // also kUnsupportedFormat
Result<SniffedImage> ReadPngHeader(Bytes bytes);   // also kImageTooManyPixels, kUnsupportedFormat
Result<SniffedImage> ReadWebpHeader(Bytes bytes);
Result<SniffedImage> ReadAvifHeader(Bytes bytes);  // also kImageTooManyPixels, kUnsupportedFormat
Result<SniffedImage> ReadGifHeader(Bytes bytes);
Result<SniffedImage> ReadBmpHeader(Bytes bytes);   // also kUnsupportedFormat
Result<SniffedImage> ReadTiffHeader(Bytes bytes);  // also kUnsupportedFormat

// Returns the format that the first bytes indicate. Returns nullopt if it is not one of the seven formats.
std::optional<ImageFormat> FindFormat(Bytes bytes);

// Returns true if the file starts with a box `ftyp` that names AVIF or AVIF sequences.
bool IsAvif(Bytes bytes);

// Returns true if "BM" and a BMP header follow each other. "BM" is not enough: a text may start with it.
bool IsBmp(Bytes bytes);

// Returns kImageCorrupt for a file that is cut off.
inline Status EndsEarly(ImageFormat format) {
  return Status(StatusCode::kImageCorrupt, "ends_early", {ImageFormatName(format)});
}

// Returns kImageCorrupt for a file that contradicts itself or its format. `name` is the refusal's name.
inline Status Contradiction(ImageFormat format, const char* name) {
  return Status(StatusCode::kImageCorrupt, name, {ImageFormatName(format)});
}

}  // namespace telltale
