// Names for files that are none of the seven formats.
#pragma once

#include <optional>
#include <string>

#include "image/image.h"

namespace telltale {

// What `bytes` are and what to do about it, such as "HEIC: convert it to JPEG or PNG, at full size". Nothing
// if it is not known. Reads at most the first kilobyte, and of a raw file of the TIFF kind the first
// directory.
std::optional<std::string> NameForeignFormat(Bytes bytes);

// Whether a file that starts like a TIFF is a raw file of a camera, whose first directory holds a preview
// alone.
bool IsRawTiff(Bytes bytes);

}  // namespace telltale
