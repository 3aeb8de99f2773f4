// Kinds of TIFF that are whole and yet not read.
#pragma once

#include "base/status.h"
#include "image/tiff_directory.h"

namespace telltale {

// kUnsupportedFormat if the samples or the compression of `page` are of a kind that is not decoded. The
// message names it and says what to save instead.
Status CheckTiffKind(const TiffDirectory& page);

}  // namespace telltale
