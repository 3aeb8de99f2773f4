// Reading watermarks of the library invisible-watermark and comparing them with published messages.
#include "watermark/watermark.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace telltale {
namespace {

constexpr int kBlockPx = 8;
constexpr int kBandSide = 4;  // side of a block in the low band
// Size of a quantisation step, the library's default strength. A coefficient in the upper half of a step
// means bit 1, in the lower half bit 0.
constexpr float kStep = 36.0F;

struct Message {
  const char* generator;
  std::string_view bits;
};

// Messages that known scripts write. A text is written as its bytes, highest bit first. FLUX writes only 46
// of the 48 bits of its number, because Python's bin() drops leading zeros. Sources: CompVis/stable-diffusion
// and Stability-AI/stablediffusion, scripts/txt2img.py; diffusers, stable_diffusion_xl/watermark.py, and
// Stability-AI/generative-models; black-forest-labs/flux, util.py; invoke-ai/InvokeAI,
// invisible_watermark.py.
constexpr Message kMessages[] = {
    {"Stable Diffusion 1",
     "0101001101110100011000010110001001101100011001010100010001101001011001100110011001110101"
     "011100110110100101101111011011100101011000110001"},
    {"Stable Diffusion 2", "01010011010001000101011000110010"},
    {"Stable Diffusion XL", "101100111110110010010000011110111011000110011110"},
    {"FLUX", "1010101111111010000111100111001111010100101110"},
    {"InvokeAI", "0100100101101110011101100110111101101011011001010100000101001001"},
};

// Returns the colour channel U of a pixel, rounded as in OpenCV's 8-bit BGR2YUV, which the library uses.
int ChromaU(const uint8_t* rgb) {
  const int luma = (4899 * rgb[0] + 9617 * rgb[1] + 1868 * rgb[2] + (1 << 13)) >> 14;
  const int u = ((rgb[2] - luma) * 8061 + (128 << 14) + (1 << 13)) >> 14;
  return std::clamp(u, 0, 255);
}

// Returns the bit that the block with the upper left corner (x, y) stores.
bool ReadBit(const Image& image, int x, int y) {
  float largest = 0;
  for (int i = 0; i < kBandSide; ++i) {
    const uint8_t* upper = image.row(y + 2 * i) + 3 * x;
    const uint8_t* lower = image.row(y + 2 * i + 1) + 3 * x;
    for (int j = 0; j < kBandSide; ++j) {
      if (i == 0 && j == 0) continue;
      const int sum = ChromaU(upper + 6 * j) + ChromaU(upper + 6 * j + 3) + ChromaU(lower + 6 * j) +
                      ChromaU(lower + 6 * j + 3);
      largest = std::max(largest, 0.5F * static_cast<float>(sum));
    }
  }
  return std::fmod(largest, kStep) > 0.5F * kStep;
}

std::vector<bool> ReadBits(const Image& image) {
  std::vector<bool> bits;
  // The library first cuts the sides to multiples of four. It writes into the image's low frequencies (low
  // band), which are half as wide and half as high.
  const int columns = image.width / 4 * 2 / kBandSide;
  const int rows = image.height / 4 * 2 / kBandSide;
  bits.reserve(static_cast<size_t>(columns) * rows);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      bits.push_back(ReadBit(image, column * kBlockPx, row * kBlockPx));
    }
  }
  return bits;
}

// Returns how many bits of `message` match the image, which repeats the message. A bit counts as 1 if its
// blocks contain more ones than the average block. The library compares with one half instead, and therefore
// loses bits in images with little colour (eval/make-watermarked.py).
int CountMatches(const std::vector<bool>& bits, std::string_view message) {
  std::vector<int64_t> ones(message.size(), 0);
  std::vector<int64_t> votes(message.size(), 0);
  for (size_t i = 0, k = 0; i < bits.size(); ++i, k = k + 1 == message.size() ? 0 : k + 1) {
    ones[k] += bits[i];
    ++votes[k];
  }
  const int64_t all_ones = std::count(bits.begin(), bits.end(), true);
  const int64_t all_votes = static_cast<int64_t>(bits.size());
  int matches = 0;
  for (size_t k = 0; k < message.size(); ++k) {
    const bool bit = ones[k] * all_votes > all_ones * votes[k];
    if (votes[k] > 0 && bit == (message[k] == '1')) ++matches;
  }
  return matches;
}

}  // namespace

int MatchThreshold(int bits) {
  constexpr double kMaxChance = 1.5e-10;
  double chance = 0;
  double term = std::pow(0.5, bits);  // probability of exactly `matches` matching bits
  for (int matches = bits; matches > 0; --matches) {
    chance += term;
    if (chance > kMaxChance) return std::min(bits, matches + 1);
    term *= static_cast<double>(matches) / (bits - matches + 1);
  }
  return bits;
}

std::vector<Watermark> FindWatermarks(const Image& image) {
  const std::vector<bool> bits = ReadBits(image);
  std::vector<Watermark> found;
  for (const Message& message : kMessages) {
    const int length = static_cast<int>(message.bits.size());
    const int matches = CountMatches(bits, message.bits);
    if (matches >= MatchThreshold(length)) found.push_back({message.generator, matches, length});
  }
  return found;
}

}  // namespace telltale
