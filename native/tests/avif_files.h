// Building AVIF files bit by bit, with AV1 streams that no encoder writes.
#pragma once

#include "tests/hostile_files.h"

namespace telltale {

// Returns a stream of grey frames of at most 4096 x 2304 px. The decoder must decode `hidden` frames that are
// never shown before the one that is. The stream has two bytes per 64 x 64 px and 30 bytes per frame.
FileBytes Av1Stream(uint16_t width, uint16_t height, int hidden);

// An image in an AVIF file.
struct AvifImage {
  uint32_t width, height;  // of the item
  FileBytes stream;
  uint32_t extents = 1;  // pieces of the stream in the file
};

// Returns an AVIF file with one image, whose data lies in the box `mdat`.
FileBytes MakeAvif(const AvifImage& image);

// Returns an AVIF file with a grid image of `width` x `height` px, all of whose tiles are `tile`. The data
// lies in the box `idat`. If `is_reversed` is true, the grid names its tiles in reverse order.
FileBytes MakeAvifGrid(uint32_t width, uint32_t height, uint8_t rows, uint8_t columns, const AvifImage& tile,
                       bool is_reversed = false);

}  // namespace telltale
