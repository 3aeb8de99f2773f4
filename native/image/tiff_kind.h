// Check for valid kinds of TIFF that are not supported.
#pragma once

#include "base/status.h"
#include "image/tiff_directory.h"

namespace telltale {

// Returns kUnsupportedFormat if the samples or the compression of `page` are not supported. The refusal names
// the kind.
Status CheckTiffKind(const TiffDirectory& page);

}  // namespace telltale
