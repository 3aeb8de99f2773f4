// Recognising files in formats other than the seven supported ones, for a helpful error message.
#pragma once

#include <optional>
#include <string>

#include "image/image.h"

namespace telltale {

// Returns the name of the format of `bytes` with advice, such as "HEIC: convert it to JPEG or PNG, at full
// size". Returns nullopt if the format is unknown. Reads at most the first kilobyte, and the first directory
// of a camera's raw file.
std::optional<std::string> NameForeignFormat(Bytes bytes);

// Returns true if a file that starts like a TIFF is a camera's raw file. Its first directory holds only a
// preview, not the photograph.
bool IsRawTiff(Bytes bytes);

}  // namespace telltale
