// AVIF files built bit by bit, with AV1 streams that no encoder writes.
#pragma once

#include "tests/hostile_files.h"

namespace telltale {

// Returns a stream of grey frames of at most 4096 x 2304 px with one tile each. `hidden` frames are decoded
// but never shown, before the shown frame. The size is two bytes per 64 x 64 px and 30 per frame.
FileBytes Av1Stream(uint16_t width, uint16_t height, int hidden);

// Properties of the image in an AVIF file.
struct AvifImage {
  uint32_t width, height;  // of the item
  FileBytes stream;
  uint32_t extents = 1;  // pieces of the stream in the file
};

// Returns a file with one image, whose stream lies in its `mdat`.
FileBytes MakeAvif(const AvifImage& image);

// Returns a file with a grid image of `width` x `height` px. All tiles are `tile`; the data lies in `idat`.
// If `is_reversed`, the grid's reference lists the tiles in reverse order.
FileBytes MakeAvifGrid(uint32_t width, uint32_t height, uint8_t rows, uint8_t columns, const AvifImage& tile,
                       bool is_reversed = false);

}  // namespace telltale
