// Tests of fixed batch sizes on the CPU. Only the recording of CUDA graphs cannot be tested there.
#include "inference/fixed_batches.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "inference/batcher.h"
#include "real_models.h"

namespace telltale {
namespace {

constexpr int kSidePx = 64;

// Returns options for the face detector, because it accepts inputs of any size.
SessionOptions Detector(std::vector<int> sizes, bool fixed = true) {
  const FaceDetectorModel model = RealModels().face_detector;
  SessionOptions options;
  options.name = "face_detector";
  options.path = model.path;
  options.outputs = {{model.scores_output}, {model.boxes_output}, {model.points_output}};
  options.height = options.width = kSidePx;
  options.batch_buckets = std::move(sizes);
  options.fixed_batches = fixed;
  return options;
}

std::unique_ptr<Session> Load(const SessionOptions& options) {
  auto session = LoadOrtSession(options);
  if (!session.ok()) ADD_FAILURE() << session.status().message();
  return session.ok() ? std::move(session).value() : nullptr;
}

// Returns rows of pixels that differ from each other and for each `seed`.
PixelBatch Rows(int rows, uint32_t seed = 1, int side = kSidePx) {
  PixelBatch batch(rows, side, side);
  for (uint8_t& pixel : batch.pixels) pixel = (seed = seed * 1664525 + 1013904223) >> 24;
  return batch;
}

Outputs Infer(Session& session, const PixelBatch& batch) {
  auto outputs = session.Run({batch.pixels.data(), batch.rows, batch.height, batch.width});
  if (!outputs.ok()) ADD_FAILURE() << outputs.status().message();
  return outputs.ok() ? std::move(outputs).value() : Outputs();
}

void ExpectEqual(const Outputs& found, const Outputs& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].row_size, expected[i].row_size);
    EXPECT_EQ(found[i].values, expected[i].values);
  }
}

TEST(FixedBatchesTest, GiveEveryNumberOfRowsWhatPaddedRunsGive) {
  const std::vector<int> sizes = {1, 2, 4, 8, 16, 32};
  const auto fixed = Load(Detector(sizes)), padded = Load(Detector(sizes, false));
  ASSERT_TRUE(fixed && padded);
  for (int rows = 1; rows <= 32; ++rows) {
    SCOPED_TRACE(rows);
    ExpectEqual(Infer(*fixed, Rows(rows, rows)), Infer(*padded, Rows(rows, rows)));
  }
}

TEST(FixedBatchesTest, RunMoreRowsThanTheLargestSizeInTurn) {
  const auto fixed = Load(Detector({1, 2, 4})), one = Load(Detector({1, 2, 4}, false));
  ASSERT_TRUE(fixed && one);
  const PixelBatch batch = Rows(11);
  const Outputs found = Infer(*fixed, batch);
  Outputs expected(found.size());
  for (int first = 0; first < batch.rows; first += 4) {
    const int rows = std::min(4, batch.rows - first);
    const auto part = one->Run({batch.row(first), rows, kSidePx, kSidePx});
    ASSERT_TRUE(part.ok());
    for (size_t i = 0; i < found.size(); ++i) {
      expected[i].row_size = part.value()[i].row_size;
      expected[i].values.insert(expected[i].values.end(), part.value()[i].values.begin(),
                                part.value()[i].values.end());
    }
  }
  ExpectEqual(found, expected);
}

// Uses the encoder for CPUs. Its quantisation depends on all rows of a run, so its outputs show if padding
// contains pixels of an earlier batch.
TEST(FixedBatchesTest, LeaveNothingOfAnEarlierBatchInPaddedRows) {
  const EncoderModel encoder = RealModels().encoder;
  SessionOptions options;
  options.name = "encoder";
  options.path = encoder.cpu_path;
  options.outputs = {{encoder.logits_output, encoder.columns}, {encoder.tokens_output}};
  options.height = options.width = encoder.size_px;
  options.batch_buckets = {2};
  const auto padded = Load(options);
  options.fixed_batches = true;
  const auto fixed = Load(options);
  ASSERT_TRUE(fixed && padded);
  PixelBatch grey(1, encoder.size_px, encoder.size_px);
  std::fill(grey.pixels.begin(), grey.pixels.end(), 128);
  const Outputs expected = Infer(*padded, grey);
  ExpectEqual(Infer(*fixed, grey), expected);
  Infer(*fixed, Rows(2, 7, encoder.size_px));
  ExpectEqual(Infer(*fixed, grey), expected);
}

TEST(FixedBatchesTest, FailForTheRowsAlone) {
  const auto fixed = Load(Detector({1, 2}));
  ASSERT_TRUE(fixed);
  Batcher batcher(*fixed, {2, {}, [] { return std::chrono::steady_clock::now(); }});
  std::vector<StatusCode> codes;
  for (const int side : {kSidePx, 2 * kSidePx, kSidePx})
    batcher.Submit(Rows(1, 1, side), std::make_shared<Cancellation>(), [&](const Result<Outputs>& outputs) {
      codes.push_back(outputs.ok() ? StatusCode::kOk : outputs.status().code());
    });
  while (batcher.RunOne(Priority::kCaller, true)) continue;
  // Requests 1 and 3 have rows of the same size and run in one batch, so their results come first.
  EXPECT_EQ(codes, (std::vector{StatusCode::kOk, StatusCode::kOk, StatusCode::kInternalError}));
}

TEST(FixedBatchesTest, KeepThreadsApart) {
  const auto fixed = Load(Detector({1, 2, 4})), padded = Load(Detector({1, 2, 4}, false));
  ASSERT_TRUE(fixed && padded);
  std::vector<std::future<Outputs>> found;
  for (int i = 0; i < 4; ++i)
    found.push_back(std::async(std::launch::async, [&, i] {
      for (int again = 0; again < 4; ++again) Infer(*fixed, Rows(4 - i, 100 + again));
      return Infer(*fixed, Rows(1 + i, i));
    }));
  for (int i = 0; i < 4; ++i) ExpectEqual(found[i].get(), Infer(*padded, Rows(1 + i, i)));
}

// These functions write an ONNX file (Protocol Buffers): numbers, and fields with bytes or a number.
std::string Varint(size_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

std::string Field(int number, const std::string& bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string Field(int number, int value) { return Varint(number << 3) + Varint(value); }

// Returns the description of a tensor [n, 8, 8, 3] with ONNX's element type `type`.
std::string ValueInfo(const std::string& name, int type) {
  std::string shape = Field(1, Field(2, "n"));
  for (const int side : {8, 8, 3}) shape += Field(1, Field(1, side));
  return Field(1, name) + Field(2, Field(1, Field(1, type) + Field(2, shape)));
}

// This network returns random numbers, like one that reads memory which it should not read.
TEST(FixedBatchesTest, RefuseANetworkWhoseOutputsDifferFromAnOrdinaryRun) {
  constexpr int kFloat = 1, kUint8 = 2, kInteger = 2;
  const std::string dtype = Field(1, "dtype") + Field(3, kFloat) + Field(20, kInteger);
  const std::string node =
      Field(1, "pixels") + Field(2, "noise") + Field(4, "RandomUniformLike") + Field(5, dtype);
  const std::string graph = Field(1, node) + Field(2, "g") + Field(11, ValueInfo("pixels", kUint8)) +
                            Field(12, ValueInfo("noise", kFloat));
  const std::string path = testing::TempDir() + "noise-" + std::to_string(::getpid()) + ".onnx";
  std::ofstream(path) << Field(1, 8) + Field(7, graph) + Field(8, Field(2, 17));
  SessionOptions options;
  options.name = "noise";
  options.path = path;
  options.outputs = {{"noise"}};
  options.height = options.width = 8;
  options.batch_buckets = {2};
  EXPECT_TRUE(LoadOrtSession(options).ok());
  options.fixed_batches = true;
  const auto fixed = LoadOrtSession(options);
  std::filesystem::remove(path);
  ASSERT_FALSE(fixed.ok());
  EXPECT_EQ(fixed.status().message().rfind("noise: the graph of 2 rows gives ", 0), 0U)
      << fixed.status().message();
}

}  // namespace
}  // namespace telltale
