// The encoder's two graphs, for CPUs and for GPUs, say the same; both can be run on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fixtures.h"
#include "image/decode.h"
#include "inference/ort_session.h"
#include "real_models.h"

namespace telltale {
namespace {

std::unique_ptr<Session> Load(const EncoderModel& encoder, const std::string& path) {
  SessionOptions options;
  options.name = "encoder";
  options.path = path;
  options.outputs = {encoder.logits_output};
  options.columns = encoder.columns;
  options.height = encoder.size_px;
  options.width = encoder.size_px;
  auto session = LoadOrtSession(options);
  if (!session.ok()) ADD_FAILURE() << session.status().message();
  return session.ok() ? std::move(session).value() : nullptr;
}

std::vector<float> Logits(Session& session, const PixelBatch& batch) {
  const auto outputs = session.Run({batch.pixels.data(), batch.rows, batch.height, batch.width});
  if (!outputs.ok()) ADD_FAILURE() << outputs.status().message();
  return outputs.ok() ? outputs.value().at(0).values : std::vector<float>();
}

// Views of real pictures, one a row.
PixelBatch SomeViews(int size_px) {
  PixelBatch batch;
  for (const char* name : {"images/jpeg/scene.jpg", "images/png/scene.png", "images/webp/scene.webp"}) {
    const std::vector<uint8_t> bytes = ReadFixture(name);
    const Views views = CutViews(Decode(bytes).value(), {{size_px, 1}, {0, 1}}, size_px);
    if (batch.rows == 0) batch = PixelBatch(0, size_px, size_px);
    batch.pixels.insert(batch.pixels.end(), views.pixels.pixels.begin(), views.pixels.pixels.end());
    batch.rows += views.pixels.rows;
  }
  return batch;
}

// Share of the largest logit. Chosen: several times what int8 moved logits by when the test was written.
constexpr float kTolerance = 0.1F;

TEST(EncoderTest, BothGraphsSayTheSame) {
  const EncoderModel encoder = RealModels().encoder;
  const auto cpu = Load(encoder, encoder.cpu_path);
  const auto gpu = Load(encoder, encoder.gpu_path);
  ASSERT_TRUE(cpu && gpu);
  const PixelBatch views = SomeViews(encoder.size_px);
  const std::vector<float> halves = Logits(*gpu, views);
  ASSERT_EQ(halves.size(), static_cast<size_t>(views.rows) * encoder.columns);
  const auto smaller = [](float a, float b) { return std::abs(a) < std::abs(b); };
  const float tolerance = kTolerance * std::abs(*std::max_element(halves.begin(), halves.end(), smaller));
  PixelBatch one(1, encoder.size_px, encoder.size_px);
  for (int row = 0; row < views.rows; ++row) {
    std::copy_n(views.pixels.begin() + views.row_size() * row, views.row_size(), one.pixels.begin());
    const std::vector<float> logits = Logits(*cpu, one);
    for (int column = 0; column < encoder.columns; ++column) {
      EXPECT_NEAR(logits[column], halves[row * encoder.columns + column], tolerance) << row << "," << column;
    }
  }
}

}  // namespace
}  // namespace telltale
