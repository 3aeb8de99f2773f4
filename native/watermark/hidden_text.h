// Text that generators hide in the lowest bits of a picture.
#pragma once

#include "metadata/metadata.h"

namespace telltale {

// The "stealth" texts of `image`, which `file` was decoded to. NovelAI and extensions of web UIs hide them,
// so that they outlive the removal of metadata. `where` is "stealth", `name` is "alpha" or "rgb". Bits run
// down the columns from the upper left: the lowest of each pixel's alpha, or of its red, green and blue in
// turn. First comes a signature of 15 characters, then the number of bits that follow as 32 bits, and those,
// UTF-8 or gzip. Source: NovelAI/novelai-image-metadata, and ashen-sensored/sd_webui_stealth_pnginfo. A text
// is cut at kMaxTextBytes; one that does not fit into the picture, or into kMaxHiddenBytes, is left out.
// Never throws but std::bad_alloc; thread-safe.
std::vector<MetadataText> ReadHiddenTexts(Bytes file, const Image& image);

// Bytes that a hidden text may take up, packed or not. Chosen: twice the bytes kept of a text.
inline constexpr size_t kMaxHiddenBytes = 2 * kMaxTextBytes;

}  // namespace telltale
