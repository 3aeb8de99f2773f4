// One header reader a format: what Sniff dispatches to.
#pragma once

#include <optional>

#include "image/sniff.h"

namespace telltale {

// Each expects bytes that start with its format's signature and reads structure only: chunk, box,
// segment or block headers, never compressed data. Width and height are as stored, before
// orientation; limits on them are Sniff's business. Error: kImageCorrupt.
Result<SniffedImage> ReadJpegHeader(Bytes bytes);  // also kUnsupportedFormat
Result<SniffedImage> ReadPngHeader(Bytes bytes);   // also kImageTooManyPixels, kUnsupportedFormat
Result<SniffedImage> ReadWebpHeader(Bytes bytes);
Result<SniffedImage> ReadAvifHeader(Bytes bytes);  // also kImageTooManyPixels, kUnsupportedFormat
Result<SniffedImage> ReadGifHeader(Bytes bytes);
Result<SniffedImage> ReadBmpHeader(Bytes bytes);   // also kUnsupportedFormat
Result<SniffedImage> ReadTiffHeader(Bytes bytes);  // also kUnsupportedFormat

// The format that the first bytes announce; nothing if they are none of the seven.
std::optional<ImageFormat> FindFormat(Bytes bytes);

// Whether the first box is an `ftyp` that names AVIF or an AVIF sequence.
bool IsAvif(Bytes bytes);

// Whether a known bitmap header follows the two letters "BM", too weak a signature by themselves.
bool IsBmp(Bytes bytes);

// kImageCorrupt for a file that stops before its structure does.
inline Status EndsEarly(ImageFormat format) {
  return Status(StatusCode::kImageCorrupt,
                std::string("the ") + ImageFormatName(format) + " file ends early");
}

// kImageCorrupt for a file whose structure contradicts itself or its format; `what` is a phrase
// such as "its header holds no size".
inline Status Contradiction(ImageFormat format, const char* what) {
  return Status(StatusCode::kImageCorrupt,
                std::string("the ") + ImageFormatName(format) + " file is corrupt: " + what);
}

}  // namespace telltale
