// libFuzzer target: any bytes in the lowest bits of a picture, behind the signatures of hidden texts.
#include <algorithm>
#include <string>
#include <string_view>

#include "image/decode.h"
#include "watermark/hidden_text.h"

namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 64;
// A picture that is merely large is slow and finds nothing.
constexpr int64_t kMaxFuzzedPixels = 1'000'000;

bool IsSmallPicture(telltale::Bytes bytes) {
  const auto sniffed = telltale::Sniff(bytes);
  return sniffed.ok() && int64_t{sniffed.value().width} * sniffed.value().height <= kMaxFuzzedPixels &&
         telltale::Decode(bytes).ok();
}

// Hides `bytes` in red, green and blue, down the columns.
telltale::Image Hide(std::string_view bytes) {
  telltale::Image image{kWidth, kHeight, telltale::PixelBuffer(size_t{kWidth} * kHeight * 3)};
  for (uint8_t& sample : image.pixels) sample = 0;
  const size_t bits = std::min(bytes.size() * 8, image.pixels.size());
  for (size_t i = 0; i < bits; ++i) {
    const size_t pixel = i / 3, x = pixel / kHeight, y = pixel % kHeight;
    image.row(static_cast<int>(y))[3 * x + i % 3] = static_cast<uint8_t>(bytes[i / 8]) >> (7 - i % 8) & 1;
  }
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string hidden = data[0] & 1 ? "stealth_rgbcomp" : "stealth_rgbinfo";
  hidden.append(reinterpret_cast<const char*>(data + 1), size - 1);
  // Bytes that are a picture stand for the file, whose alpha channel is read.
  const telltale::Bytes bytes(data, size);
  const telltale::Bytes file = IsSmallPicture(bytes) ? bytes : telltale::Bytes();
  for (const auto& text : telltale::ReadHiddenTexts(file, Hide(hidden))) {
    if (text.text.size() > telltale::kMaxTextBytes) __builtin_trap();
  }
  return 0;
}
