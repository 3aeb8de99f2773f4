// Tests of images that wait for the networks: they block no thread, but keep their place in the queue, their
// memory and their deadline. Uses the complete engine with fake networks, and the threads of a GPU.
// ThreadSanitizer runs these tests too.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "fixtures.h"
#include "image/decode.h"
#include "real_models.h"

namespace telltale {
namespace {

// An event for which the fake face detector waits, so that a test can hold images up.
struct Gate {
  std::promise<void> opened;
  std::shared_future<void> is_open = opened.get_future().share();
  std::atomic<bool> fails = false;
};

// A face detector that waits until the gate opens, and then finds no face.
class GatedDetector : public Session {
 public:
  explicit GatedDetector(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

  Result<Outputs> Run(const PixelView&) override {
    gate_->is_open.wait();
    if (gate_->fails) return Status(StatusCode::kInternalError, "broken");
    return Outputs(3);
  }

 private:
  const std::shared_ptr<Gate> gate_;
};

// An encoder whose outputs are all zero.
class FakeEncoder : public Session {
 public:
  explicit FakeEncoder(const EncoderModel& model) : model_(model) {}

  Result<Outputs> Run(const PixelView& batch) override {
    const auto rows = static_cast<size_t>(batch.rows);
    const size_t columns = model_.columns, tokens = size_t{1} * model_.side_tokens() * model_.side_tokens();
    return Outputs{{columns, std::vector<float>(rows * columns)},
                   {tokens, std::vector<float>(rows * tokens)}};
  }

 private:
  const EncoderModel model_;
};

class ImagesUnderWayTest : public testing::Test {
 protected:
  // Starts an engine with one thread for decoding and one for running batches.
  void Start(uint64_t memory_bytes = UINT64_MAX) {
    EngineConfig config = RealModels();
    config.threads = 2;
    config.memory_bytes = memory_bytes;
    const auto load = [this](const EngineConfig& given, const std::function<void()>& on_work) {
      return Result(AssembleNetworks(given, Device::kCuda, std::make_unique<FakeEncoder>(given.encoder),
                                     std::make_unique<GatedDetector>(gate_), on_work));
    };
    engine_ = Engine::Create(config, load).value();
    ASSERT_EQ(engine_->stats().threads.decode, 1);
  }

  std::future<Result<Inspection>> Inspect(
      std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>()) {
    auto promise = std::make_shared<std::promise<Result<Inspection>>>();
    engine_->Inspect(bytes_, {.preview_px = 64}, std::move(cancellation),
                     [promise](Result<Inspection> result) { promise->set_value(std::move(result)); });
    return promise->get_future();
  }

  // Waits until `images` images are running, or a minute. Others cannot start while the gate is closed.
  bool WaitUntilRunning(size_t images) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (engine_->stats().running != images && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    return engine_->stats().running == images;
  }

  const std::vector<uint8_t> bytes_ = ReadFixture("images/jpeg/scene.jpg");
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(ImagesUnderWayTest, AreMoreThanThreads) {
  Start();
  std::vector<std::future<Result<Inspection>>> results;
  for (int i = 0; i < 4; ++i) results.push_back(Inspect());
  EXPECT_TRUE(WaitUntilRunning(4));
  gate_->opened.set_value();
  for (auto& result : results) {
    const auto inspection = result.get();
    ASSERT_TRUE(inspection.ok()) << inspection.status().message();
    EXPECT_TRUE(inspection.value().preview);
  }
  EXPECT_EQ(engine_->stats().inspected, 4U);
}

TEST_F(ImagesUnderWayTest, TakeNoMoreMemoryThanThereIs) {
  const uint64_t bytes = MeasureDecode(bytes_);
  Start(2 * bytes + bytes / 2);
  std::vector<std::future<Result<Inspection>>> results;
  for (int i = 0; i < 4; ++i) results.push_back(Inspect());
  while (engine_->stats().memory.waits == 0) std::this_thread::yield();
  EXPECT_EQ(engine_->stats().running, 2U);
  EXPECT_EQ(engine_->stats().memory.taken_bytes, 2 * bytes);
  gate_->opened.set_value();
  for (auto& result : results) EXPECT_TRUE(result.get().ok());
  engine_->Close();
  EXPECT_EQ(engine_->stats().memory.taken_bytes, 0U);
}

TEST_F(ImagesUnderWayTest, EndWithoutWaitingForMemoryOnceCancelled) {
  const uint64_t bytes = MeasureDecode(bytes_);
  Start(bytes + bytes / 2);
  auto whole = Inspect();
  EXPECT_TRUE(WaitUntilRunning(1));
  const auto cancelled = std::make_shared<Cancellation>();
  cancelled->Cancel();
  auto cancelled_early = Inspect(cancelled);
  EXPECT_EQ(cancelled_early.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  const auto cancellation = std::make_shared<Cancellation>();
  auto cancelled_late = Inspect(cancellation);
  while (engine_->stats().memory.waits == 0) std::this_thread::yield();
  cancellation->Cancel();
  // The engine considers the waiting image again when another one arrives.
  auto next = Inspect(cancelled);
  EXPECT_EQ(cancelled_late.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_EQ(next.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  gate_->opened.set_value();
  for (auto* result : {&cancelled_early, &cancelled_late, &next})
    EXPECT_EQ(result->get().status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(whole.get().ok());
}

TEST_F(ImagesUnderWayTest, EndByTheirOwnDeadlines) {
  Start();
  // Long enough that all three images run before it, also on a busy machine.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  auto expired = Inspect(std::make_shared<Cancellation>(deadline));
  const auto cancellation = std::make_shared<Cancellation>();
  auto cancelled = Inspect(cancellation);
  auto whole = Inspect();
  EXPECT_TRUE(WaitUntilRunning(3));
  cancellation->Cancel();
  std::this_thread::sleep_until(deadline);
  gate_->opened.set_value();
  EXPECT_EQ(expired.get().status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(cancelled.get().status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(whole.get().ok());
}

TEST_F(ImagesUnderWayTest, FailWithTheDetectorAndGiveTheirMemoryBack) {
  Start();
  gate_->fails = true;
  std::vector<std::future<Result<Inspection>>> results;
  for (int i = 0; i < 3; ++i) results.push_back(Inspect());
  EXPECT_TRUE(WaitUntilRunning(3));
  gate_->opened.set_value();
  for (auto& result : results) EXPECT_EQ(result.get().status().code(), StatusCode::kInternalError);
  engine_->Close();
  EXPECT_EQ(engine_->stats().memory.taken_bytes, 0U);
  EXPECT_EQ(engine_->stats().running, 0U);
}

TEST_F(ImagesUnderWayTest, AreFinishedWhenTheEngineCloses) {
  Start();
  std::vector<std::future<Result<Inspection>>> results;
  for (int i = 0; i < 4; ++i) results.push_back(Inspect());
  EXPECT_TRUE(WaitUntilRunning(4));
  std::thread closer([this] { engine_->Close(); });
  gate_->opened.set_value();
  closer.join();
  for (auto& result : results) EXPECT_TRUE(result.get().ok());
}

}  // namespace
}  // namespace telltale
