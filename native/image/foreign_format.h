// Recognising files in formats other than the seven supported ones, for a helpful refusal.
#pragma once

#include "image/image.h"

namespace telltale {

// Returns the name of a refusal for the format of `bytes`, such as "heic". Returns null if the format is
// unknown. Reads at most the first kilobyte, and the first directory of a camera's raw file.
const char* FindForeignFormat(Bytes bytes);

// Returns true if a file that starts like a TIFF is a camera's raw file. Its first directory holds only a
// preview, not the photograph.
bool IsRawTiff(Bytes bytes);

}  // namespace telltale
