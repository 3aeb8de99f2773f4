// Tests that the encoder's versions for CPUs, CUDA and TensorRT return the same outputs, all run on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
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
  options.outputs = {{encoder.logits_output, encoder.columns},
                     {encoder.tokens_output, encoder.side_tokens() * encoder.side_tokens()}};
  options.height = encoder.size_px;
  options.width = encoder.size_px;
  auto session = LoadOrtSession(options);
  if (!session.ok()) ADD_FAILURE() << session.status().message();
  return session.ok() ? std::move(session).value() : nullptr;
}

Outputs Infer(Session& session, const PixelBatch& batch) {
  const auto outputs = session.Run({batch.pixels.data(), batch.rows, batch.height, batch.width});
  if (!outputs.ok()) ADD_FAILURE() << outputs.status().message();
  return outputs.ok() ? outputs.value() : Outputs(2);
}

// Returns crops of real images, one per row.
PixelBatch SomeCrops(int size_px) {
  PixelBatch batch;
  for (const char* name : {"images/jpeg/scene.jpg", "images/png/scene.png", "images/webp/scene.webp"}) {
    const std::vector<uint8_t> bytes = ReadFixture(name);
    const Crops crops = CutCrops(Decode(bytes).value(), {{size_px, 1}, {0, 1}}, size_px);
    if (batch.rows == 0) batch = PixelBatch(0, size_px, size_px);
    batch.pixels.insert(batch.pixels.end(), crops.pixels.pixels.begin(), crops.pixels.pixels.end());
    batch.rows += crops.pixels.rows;
  }
  return batch;
}

// Maximum difference between two versions' logits, relative to the largest logit: several times the
// difference that int8 weights made when the test was written.
constexpr float kTolerance = 0.1F;
// Maximum root-mean-square difference of the token logits. Single tokens may differ more.
constexpr double kTokensTolerance = 0.5;

// Returns true if the ONNX file has an operator of this type. Searches for its name, field 4 of a NodeProto.
bool HasOperator(const std::string& path, const std::string& type) {
  std::ifstream file(path, std::ios::binary);
  const std::string graph{std::istreambuf_iterator<char>(file), {}};
  return graph.find("\x22" + std::string(1, static_cast<char>(type.size())) + type) != std::string::npos;
}

// GPUs would plan a convolution again whenever the batch size changes (thread_plan.cc), which is slow.
TEST(EncoderTest, TheGraphForGpusHasNoConvolution) {
  const EncoderModel encoder = RealModels().encoder;
  EXPECT_TRUE(HasOperator(encoder.cpu_path, "Conv"));
  EXPECT_TRUE(HasOperator(encoder.gpu_path, "MultiHeadAttention"));
  EXPECT_FALSE(HasOperator(encoder.gpu_path, "Conv"));
}

TEST(EncoderTest, BothGraphsSayTheSame) {
  const EncoderModel encoder = RealModels().encoder;
  const auto cpu = Load(encoder, encoder.cpu_path);
  const auto gpu = Load(encoder, encoder.gpu_path);
  ASSERT_TRUE(cpu && gpu);
  const PixelBatch crops = SomeCrops(encoder.size_px);
  const Outputs halves = Infer(*gpu, crops);
  PixelBatch one(1, encoder.size_px, encoder.size_px);
  std::vector<Outputs> bytes;
  for (int row = 0; row < crops.rows; ++row) {
    std::copy_n(crops.pixels.begin() + crops.row_size() * row, crops.row_size(), one.pixels.begin());
    bytes.push_back(Infer(*cpu, one));
  }
  const std::vector<float>& logits = halves[0].values;
  ASSERT_EQ(logits.size(), static_cast<size_t>(crops.rows) * encoder.columns);
  const auto smaller = [](float a, float b) { return std::abs(a) < std::abs(b); };
  const float tolerance = kTolerance * std::abs(*std::max_element(logits.begin(), logits.end(), smaller));
  for (int row = 0; row < crops.rows; ++row) {
    for (int column = 0; column < encoder.columns; ++column) {
      EXPECT_NEAR(bytes[row][0].values[column], logits[row * encoder.columns + column], tolerance)
          << row << "," << column;
    }
  }

  const std::vector<float>& tokens = halves[1].values;
  const size_t row_tokens = static_cast<size_t>(encoder.side_tokens()) * encoder.side_tokens();
  ASSERT_EQ(tokens.size(), crops.rows * row_tokens);
  double difference = 0;
  double size = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    difference += std::pow(bytes[i / row_tokens][1].values[i % row_tokens] - tokens[i], 2);
    size += std::pow(tokens[i], 2);
  }
  EXPECT_LT(std::sqrt(difference / size), kTokensTolerance);
}

// TensorRT would run a network with operators outside the ONNX standard in several pieces.
TEST(EncoderTest, TheGraphForTensorRtSaysTheSameInStandardOperators) {
  const EncoderModel encoder = RealModels().encoder;
  for (const char* foreign : {"MultiHeadAttention", "QuickGelu", "Gelu"})
    EXPECT_FALSE(HasOperator(encoder.tensorrt_path, foreign)) << foreign;
  const auto cuda = Load(encoder, encoder.gpu_path), tensorrt = Load(encoder, encoder.tensorrt_path);
  ASSERT_TRUE(cuda && tensorrt);
  const PixelBatch crops = SomeCrops(encoder.size_px);
  const std::vector<float> expected = Infer(*cuda, crops)[0].values,
                           found = Infer(*tensorrt, crops)[0].values;
  ASSERT_EQ(found.size(), expected.size());
  const auto score = [](float logit) { return 1 / (1 + std::exp(-logit)); };
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(score(found[i]), score(expected[i]), 0.01) << i;
}

}  // namespace
}  // namespace telltale
