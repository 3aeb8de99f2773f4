// Tone mapping of PQ and HLG. Compared with Chromium 156 on 250 colours of either kind: at most one level
// apart.
#include "image/hdr.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

namespace telltale {
namespace {

constexpr double kPageWhiteNits = 203;  // Source: ITU-R BT.2408
constexpr double kPeakNits = 1000;
constexpr int kLevels = 256;

using Matrix = std::array<float, 9>;  // rows for red, green, blue

// Returns the matrix from light in `primaries` to light in sRGB.
Matrix ToSrgbLight(int primaries) {
  constexpr int kBt2020 = 9, kP3 = 12;
  switch (primaries) {
    case kBt2020:
      return {1.6605F, -0.5876F, -0.0728F, -0.1246F, 1.1329F, -0.0083F, -0.0182F, -0.1006F, 1.1187F};
    case kP3:
      return {1.2249F, -0.2249F, 0, -0.0420F, 1.0420F, 0, -0.0196F, -0.0786F, 1.0979F};
    default:
      return {1, 0, 0, 0, 1, 0, 0, 0, 1};
  }
}

// Returns the light of a PQ sample in cd/m². Source: SMPTE ST 2084.
double PqNits(double sample) {
  constexpr double kM1 = 2610.0 / 16384, kM2 = 2523.0 / 32;
  constexpr double kC1 = 3424.0 / 4096, kC2 = 2413.0 / 128, kC3 = 2392.0 / 128;
  const double root = std::pow(sample, 1 / kM2);
  return 10'000 * std::pow(std::max(root - kC1, 0.0) / (kC2 - kC3 * root), 1 / kM1);
}

// Returns the light of an HLG sample in the scene, from 0 to 1. Source: ITU-R BT.2100.
double HlgSceneLight(double sample) {
  constexpr double kA = 0.17883277, kB = 0.28466892, kC = 0.55991073;
  return sample <= 0.5 ? sample * sample / 3 : (std::exp((sample - kC) / kA) + kB) / 12;
}

// Returns the factor for a pixel whose brightest channel has `light` (1: a page's white). The curve is
// straight up to a page's white, then a quadratic Bézier curve to the peak that continues in the same
// direction. Source: SMPTE ST 2094-50, default tone mapping for an image of 1,000 cd/m².
float ToneGain(float light) {
  constexpr float kPeak = kPeakNits / kPageWhiteNits, kWhiteShare = 0.5F;
  constexpr float kMiddle = 1.65F, kMiddleShare = 0.825F;  // control point of the Bézier curve
  if (light <= 1) return kWhiteShare;
  if (light >= kPeak) return 1 / light;
  constexpr float kSquare = kPeak - 2 * kMiddle + 1, kHalf = kMiddle - 1;
  const float t = (std::sqrt(kHalf * kHalf + kSquare * (light - 1)) - kHalf) / kSquare;
  return (kWhiteShare + 2 * (kMiddleShare - kWhiteShare) * t + (1 - 2 * kMiddleShare + kWhiteShare) * t * t) /
         light;
}

// Returns the light of each sample; 1 is a page's white. For HLG, this is light of the scene.
std::array<float, kLevels> MakeLightTable(int transfer) {
  std::array<float, kLevels> table{};
  for (int i = 0; i < kLevels; ++i) {
    const double sample = static_cast<double>(i) / (kLevels - 1);
    table[i] = static_cast<float>(transfer == HdrSpace::kPq ? PqNits(sample) / kPageWhiteNits
                                                            : HlgSceneLight(sample));
  }
  return table;
}

// Levels of sRGB for light from 0 to 1. Fine enough for the darkest levels, which are 1/3295 of the light
// apart.
class SrgbTable {
 public:
  SrgbTable() : levels_(kSteps + 1) {
    for (int i = 0; i <= kSteps; ++i) {
      const double light = static_cast<double>(i) / kSteps;
      const double sample = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
      levels_[i] = static_cast<uint8_t>(std::lround(255 * sample));
    }
  }
  uint8_t LevelOf(float light) const {
    return levels_[static_cast<int>(std::clamp(light, 0.0F, 1.0F) * kSteps + 0.5F)];
  }

 private:
  static constexpr int kSteps = 1 << 15;
  std::vector<uint8_t> levels_;
};

// Returns the factor from light of the scene to light of a display with kPeakNits, which depends on the
// pixel's luminance. Source: ITU-R BT.2100.
float HlgDisplayGain(float red, float green, float blue) {
  constexpr float kPeak = kPeakNits / kPageWhiteNits;
  const float luminance = 0.2627F * red + 0.6780F * green + 0.0593F * blue;
  return kPeak * std::pow(luminance, 0.2F);
}

}  // namespace

Status ConvertHdrToSrgb(const HdrSpace& space, const Cancellation& cancellation, Image* image) {
  const std::array<float, kLevels> lights = MakeLightTable(space.transfer);
  const Matrix matrix = ToSrgbLight(space.primaries);
  const SrgbTable srgb;
  for (int y = 0; y < image->height; ++y) {
    if (cancellation.IsOver()) return cancellation.Check(std::chrono::steady_clock::now());
    uint8_t* pixel = image->row(y);
    for (int x = 0; x < image->width; ++x, pixel += kChannels) {
      float red = lights[pixel[0]], green = lights[pixel[1]], blue = lights[pixel[2]];
      float gain = space.transfer == HdrSpace::kHlg ? HlgDisplayGain(red, green, blue) : 1;
      gain *= ToneGain(gain * std::max({red, green, blue}));
      red *= gain, green *= gain, blue *= gain;
      for (int i = 0; i < kChannels; ++i)
        pixel[i] = srgb.LevelOf(matrix[3 * i] * red + matrix[3 * i + 1] * green + matrix[3 * i + 2] * blue);
    }
  }
  return Status();
}

}  // namespace telltale
