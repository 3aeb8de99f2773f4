// AVIF files made bit by bit: AV1 streams that no encoder writes.
#pragma once

#include "tests/hostile_files.h"

namespace telltale {

// A stream of grey frames of at most 4096 x 2304 px, one tile each. `hidden` of them are decoded and never
// shown before the one that is. Two bytes for each 64 x 64 px, and 30 for each frame.
FileBytes Av1Stream(uint16_t width, uint16_t height, int hidden);

// What an AVIF file says of its image.
struct AvifImage {
  uint32_t width, height;  // of the item
  FileBytes stream;
  uint32_t extents = 1;  // pieces in which the stream lies in the file
};

// A file of one image, whose stream lies in its `mdat`.
FileBytes MakeAvif(const AvifImage& image);

// A file of an image of `width` x `height` px, a grid of tiles that all are `tile`: the data lies in `idat`.
// `is_reversed`: its reference names them from the last to the first.
FileBytes MakeAvifGrid(uint32_t width, uint32_t height, uint8_t rows, uint8_t columns, const AvifImage& tile,
                       bool is_reversed = false);

}  // namespace telltale
