// The text chunks of PNG.
#pragma once

#include "metadata/collector.h"

namespace telltale {

// Reads tEXt, zTXt, iTXt and eXIf chunks anywhere before IEND. Decompresses up to the maximum length of a
// text.
void ReadPngTexts(Bytes file, MetadataCollector* collector);

}  // namespace telltale
