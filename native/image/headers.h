// One header reader per format, called by Sniff.
#pragma once

#include <optional>

#include "image/sniff.h"

namespace telltale {

// Each reader requires bytes that start with its format's signature. It reads chunk, box, segment or block
// headers only, never compressed data. Width and height are as stored, before orientation; Sniff checks their
// limits. Error: kImageCorrupt.
Result<SniffedImage> ReadJpegHeader(Bytes bytes);  // also kUnsupportedFormat
Result<SniffedImage> ReadPngHeader(Bytes bytes);   // also kImageTooManyPixels, kUnsupportedFormat
Result<SniffedImage> ReadWebpHeader(Bytes bytes);
Result<SniffedImage> ReadAvifHeader(Bytes bytes);  // also kImageTooManyPixels, kUnsupportedFormat
Result<SniffedImage> ReadGifHeader(Bytes bytes);
Result<SniffedImage> ReadBmpHeader(Bytes bytes);   // also kUnsupportedFormat
Result<SniffedImage> ReadTiffHeader(Bytes bytes);  // also kUnsupportedFormat

// Returns the format that the first bytes announce, or nullopt if it is not one of the seven.
std::optional<ImageFormat> FindFormat(Bytes bytes);

// Returns true if the first box is an `ftyp` that names AVIF or an AVIF sequence.
bool IsAvif(Bytes bytes);

// Returns true if a known bitmap header follows "BM". These two characters alone are too weak a signature.
bool IsBmp(Bytes bytes);

// Returns kImageCorrupt for a file that stops before its structure does.
inline Status EndsEarly(ImageFormat format) {
  return Status(StatusCode::kImageCorrupt,
                std::string("the ") + ImageFormatName(format) + " file ends early");
}

// Returns kImageCorrupt for a file whose structure contradicts itself or its format. `what` is a phrase such
// as "its header holds no size".
inline Status Contradiction(ImageFormat format, const char* what) {
  return Status(StatusCode::kImageCorrupt,
                std::string("the ") + ImageFormatName(format) + " file is corrupt: " + what);
}

}  // namespace telltale
