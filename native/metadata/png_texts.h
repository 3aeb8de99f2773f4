// The text chunks of PNG.
#pragma once

#include "metadata/collector.h"

namespace telltale {

// tEXt, zTXt, iTXt and eXIf chunks anywhere before IEND; compressed ones are inflated up to the bound of a
// text.
void ReadPngTexts(Bytes file, MetadataCollector* collector);

}  // namespace telltale
