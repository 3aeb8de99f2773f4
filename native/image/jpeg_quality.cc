// Estimating the quality of a JPEG by comparing its tables with the standard tables of all hundred qualities.
#include "image/jpeg_quality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace telltale {
namespace {

// Standard quantisation tables K.1 and K.2 of ITU-T T.81.
constexpr QuantTable kLuma = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                              14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                              18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                              49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr QuantTable kChroma = {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
                                24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
                                99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                                99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
constexpr int kQualities = 100;

// Returns the logarithm of a quantisation step. Some encoders limit steps to 8 bits (libjpeg's
// force_baseline) and others do not, so all steps are limited before they are compared.
float LogStep(int step) { return std::log(static_cast<float>(std::clamp(step, 1, 255))); }

int ScaleStep(int step, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - quality * 2;
  return (step * percent + 50) / 100;
}

using LogTable = std::array<float, 64>;

LogTable Logs(const QuantTable& table) {
  LogTable logs;
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = LogStep(table[i]);
  return logs;
}

struct StandardLogs {
  std::array<LogTable, kQualities> luma;
  std::array<LogTable, kQualities> chroma;
};

const StandardLogs& Standard() {
  static const std::unique_ptr<const StandardLogs> standard = [] {
    auto logs = std::make_unique<StandardLogs>();
    for (int q = 1; q <= kQualities; ++q) {
      for (size_t i = 0; i < 64; ++i) {
        logs->luma[q - 1][i] = LogStep(ScaleStep(kLuma[i], q));
        logs->chroma[q - 1][i] = LogStep(ScaleStep(kChroma[i], q));
      }
    }
    return logs;
  }();
  return *standard;
}

float Distance(const LogTable& a, const LogTable& b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

}  // namespace

int EstimateJpegQuality(const QuantTable& luma, const QuantTable* chroma) {
  const StandardLogs& standard = Standard();
  const LogTable luma_logs = Logs(luma);
  const LogTable chroma_logs = chroma != nullptr ? Logs(*chroma) : LogTable{};
  int best = 1;
  float least = std::numeric_limits<float>::infinity();
  for (int q = 1; q <= kQualities; ++q) {
    float distance = Distance(luma_logs, standard.luma[q - 1]);
    if (chroma != nullptr) distance += Distance(chroma_logs, standard.chroma[q - 1]);
    if (distance < least) {
      least = distance;
      best = q;
    }
  }
  return best;
}

}  // namespace telltale
