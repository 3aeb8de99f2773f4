// Reads the bits of both channels' forms.
#include "watermark/hidden_text.h"

#include <optional>

#include "image/alpha_columns.h"
#include "image/byte_reader.h"
#include "metadata/inflate.h"

namespace telltale {
namespace {

constexpr size_t kSignatureBytes = 15;
constexpr size_t kLengthBytes = 4;

// Bytes made of lowest bits, the first bit highest: down the columns, and within a pixel channel by channel.
class LowBits {
 public:
  // `samples` are rows of `stride` bytes; the first `channels` samples of each `step` count.
  struct Layout {
    const uint8_t* samples;
    int width, height, channels, step;
  };

  explicit LowBits(const Layout& layout) : layout_(layout) {}

  // The next bytes; nothing if the picture ends before.
  std::optional<std::string> Read(size_t count) {
    const size_t bits = static_cast<size_t>(layout_.width) * layout_.height * layout_.channels;
    if (count > (bits - at_) / 8) return std::nullopt;
    std::string bytes(count, '\0');
    for (char& byte : bytes) {
      unsigned value = 0;
      for (int bit = 0; bit < 8; ++bit) value = value << 1 | NextBit();
      byte = static_cast<char>(value);
    }
    return bytes;
  }

 private:
  unsigned NextBit() {
    const size_t pixel = at_ / layout_.channels, channel = at_ % layout_.channels;
    const size_t x = pixel / layout_.height, y = pixel % layout_.height;
    ++at_;
    return layout_.samples[(y * layout_.width + x) * layout_.step + channel] & 1U;
  }

  Layout layout_;
  size_t at_ = 0;
};

Bytes AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The text behind `mode`'s signature; nothing if there is none.
std::optional<std::string> ReadStealth(LowBits bits, const std::string& mode) {
  const auto signature = bits.Read(kSignatureBytes);
  const bool is_packed = signature == "stealth_" + mode + "comp";
  if (!is_packed && signature != "stealth_" + mode + "info") return std::nullopt;
  const auto length = bits.Read(kLengthBytes);
  if (!length) return std::nullopt;
  const size_t size = ReadU32Be(AsBytes(*length), 0) / 8;
  if (size == 0 || size > kMaxHiddenBytes) return std::nullopt;
  const auto payload = bits.Read(size);
  if (!payload) return std::nullopt;
  std::string text =
      is_packed ? Inflate(AsBytes(*payload), kMaxTextBytes) : payload->substr(0, kMaxTextBytes);
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

std::vector<MetadataText> ReadHiddenTexts(Bytes file, const Image& image) {
  std::vector<MetadataText> texts;
  const auto alpha = ReadAlphaColumns(file, (kSignatureBytes + kLengthBytes + kMaxHiddenBytes) * 8);
  if (alpha) {
    const LowBits bits({alpha->samples.data(), alpha->width, alpha->height, 1, 1});
    if (auto text = ReadStealth(bits, "png")) texts.push_back({"stealth", "alpha", std::move(*text)});
  }
  const LowBits bits({image.pixels.data(), image.width, image.height, 3, 3});
  if (auto text = ReadStealth(bits, "rgb")) texts.push_back({"stealth", "rgb", std::move(*text)});
  return texts;
}

}  // namespace telltale
