// Tests that a network is loaded without an optional feature if the device does not support it.
#include "engine/networks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace telltale {
namespace {

class NoSession : public Session {
 public:
  Result<Outputs> Run(const PixelView&) override { return Outputs(); }
};

class FallbackTest : public testing::Test {
 protected:
  // Loads a network on a fake device that fails while one of the options `fails` is on.
  Status Load(std::vector<bool SessionOptions::*> fails, StatusCode code = StatusCode::kDeviceUnavailable) {
    SessionOptions options;
    options.device = Device::kCuda;
    options.fixed_batches = options.unpack_weights = true;
    const auto load = [&](const SessionOptions& asked) -> Result<std::unique_ptr<Session>> {
      tries_ +=
          std::string(" ") + (asked.fixed_batches ? "graphs" : "") + (asked.unpack_weights ? "+floats" : "");
      bool broken = runs_nothing_;
      for (const auto option : fails) broken = broken || asked.*option;
      if (broken) return Status(code, "encoder: broken");
      return std::unique_ptr<Session>(std::make_unique<NoSession>());
    };
    const auto loaded = LoadWithFallback(options, &lacks_, load);
    return loaded.ok() ? Status() : loaded.status();
  }

  bool runs_nothing_ = false;
  std::string lacks_;
  std::string tries_;
};

TEST_F(FallbackTest, NothingIsLeftOutWhereAllWorks) {
  EXPECT_TRUE(Load({}).ok());
  EXPECT_EQ(tries_, " graphs+floats");
  EXPECT_EQ(lacks_, "");
}

TEST_F(FallbackTest, GraphsGoFirst) {
  EXPECT_TRUE(Load({&SessionOptions::fixed_batches}).ok());
  EXPECT_EQ(tries_, " graphs+floats +floats");
  EXPECT_EQ(lacks_, "; without CUDA graphs: encoder: broken");
}

TEST_F(FallbackTest, ThenUnpackedWeights) {
  EXPECT_TRUE(Load({&SessionOptions::unpack_weights}).ok());
  EXPECT_EQ(tries_, " graphs+floats +floats ");
  EXPECT_EQ(lacks_, "; without weights made floats at the start: encoder: broken");
}

TEST_F(FallbackTest, ABrokenModelIsNotTriedAgain) {
  const Status status = Load({&SessionOptions::fixed_batches}, StatusCode::kModelInvalid);
  EXPECT_EQ(status.code(), StatusCode::kModelInvalid);
  EXPECT_EQ(tries_, " graphs+floats");
}

TEST_F(FallbackTest, ADeviceThatRunsNothingIsUnavailable) {
  runs_nothing_ = true;
  EXPECT_EQ(Load({}).code(), StatusCode::kDeviceUnavailable);
  EXPECT_EQ(tries_, " graphs+floats +floats ");
  EXPECT_EQ(lacks_, "");
}

}  // namespace
}  // namespace telltale
