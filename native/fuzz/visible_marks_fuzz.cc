// libFuzzer target that searches images of any size and content for visible signs.
#include "visible_marks/visible_marks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const int width = 1 + 2 * data[0], height = 1 + 2 * data[1];
  telltale::Image image{width, height, telltale::PixelBuffer(size_t{3} * width * height)};
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = data[2 + i % (size - 2)];
  for (const auto& mark : telltale::FindVisibleMarks(image)) {
    const auto& box = mark.box;
    const bool lies_inside =
        box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
    if (!lies_inside) __builtin_trap();
  }
  return 0;
}
