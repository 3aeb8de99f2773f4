// Reading the text chunks of PNG files.
#pragma once

#include "metadata/collector.h"

namespace telltale {

// Reads tEXt, zTXt, iTXt and eXIf chunks before IEND. Decompresses at most the maximum length of a text.
void ReadPngTexts(Bytes file, MetadataCollector* collector);

}  // namespace telltale
