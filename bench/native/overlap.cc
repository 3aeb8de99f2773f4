// Comparing two engines with fake networks: one engine's networks wait, the other's return immediately.
#include "overlap.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "engine/engine.h"
#include "tests/real_models.h"

namespace telltale::bench {
namespace {

constexpr int kCallers = 16;
constexpr std::chrono::milliseconds kWait{5};
// Number of measurements per engine. They alternate, so that a slow period affects both engines.
constexpr int kTurns = 8;

// A fake network that returns the same outputs for every row, after a wait.
class FakeSession : public Session {
 public:
  FakeSession(std::chrono::milliseconds wait, std::vector<std::vector<float>> row)
      : wait_(wait), row_(std::move(row)) {}

  Result<Outputs> Run(const PixelView& batch) override {
    if (wait_.count() > 0) std::this_thread::sleep_for(wait_);
    Outputs outputs;
    for (const std::vector<float>& values : row_) {
      outputs.push_back({values.size(), {}});
      for (int row = 0; row < batch.rows; ++row)
        outputs.back().values.insert(outputs.back().values.end(), values.begin(), values.end());
    }
    return outputs;
  }

 private:
  const std::chrono::milliseconds wait_;
  const std::vector<std::vector<float>> row_;
};

std::unique_ptr<Engine> MakeEngine(int threads, Device device, std::chrono::milliseconds wait) {
  EngineConfig config = RealModels();
  config.threads = threads;
  const auto load = [&](const EngineConfig& given, std::function<void()> on_work) {
    const EncoderModel& model = given.encoder;
    const size_t tokens = static_cast<size_t>(model.side_tokens()) * model.side_tokens();
    auto encoder = std::make_unique<FakeSession>(
        wait, std::vector{std::vector<float>(model.columns, 1), std::vector<float>(tokens, 0)});
    // The fake face detector finds one face, so that the engine must also cut out and score a face.
    const std::vector<std::vector<float>> face = {
        {0.9F}, {50, 50, 150, 150}, {90, 100, 160, 100, 125, 130, 100, 160, 150, 160}};
    auto detector = std::make_unique<FakeSession>(wait, face);
    return Result(AssembleNetworks(given, device, std::move(encoder), std::move(detector), on_work));
  };
  auto engine = Engine::Create(config, load);
  if (!engine.ok()) throw std::runtime_error(engine.status().message());
  return std::move(engine).value();
}

// Callers that request the next check as soon as their previous check ends.
class ClosedLoop {
 public:
  ClosedLoop(Engine& engine, const std::vector<std::vector<uint8_t>>& files)
      : engine_(engine), files_(files) {}

  // Runs the callers for `time` and returns the checks per second.
  double Run(std::chrono::milliseconds time) {
    const auto start = std::chrono::steady_clock::now();
    end_ = start + time;
    done_ = 0;
    callers_left_ = kCallers;
    std::promise<void> ended;
    ended_ = &ended;
    for (int i = 0; i < kCallers; ++i) Ask();
    ended.get_future().wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return done_ / took.count();
  }

 private:
  void Ask() {
    const std::vector<uint8_t>& file = files_[next_.fetch_add(1) % files_.size()];
    engine_.Inspect(file, {}, std::make_shared<Cancellation>(), [this](const Result<Inspection>& result) {
      if (!result.ok()) std::fprintf(stderr, "telltale_bench: %s\n", result.status().message().c_str());
      done_.fetch_add(1);
      if (result.ok() && std::chrono::steady_clock::now() < end_) return Ask();
      if (callers_left_.fetch_sub(1) == 1) ended_->set_value();
    });
  }

  Engine& engine_;
  const std::vector<std::vector<uint8_t>>& files_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int> done_ = 0;
  std::atomic<int> callers_left_ = 0;
  TimePoint end_;
  std::promise<void>* ended_ = nullptr;
};

}  // namespace

void RunOverlap(const std::vector<std::vector<uint8_t>>& files, int threads, int budget_ms) {
  // The engine for a GPU gets one more thread, because it uses one of its threads to run batches.
  const std::unique_ptr<Engine> engines[] = {MakeEngine(threads + 1, Device::kCuda, kWait),
                                             MakeEngine(threads, Device::kCpu, {})};
  ClosedLoop waiting(*engines[0], files), bound(*engines[1], files);
  const std::chrono::milliseconds turn(std::max(1, budget_ms / (2 * kTurns)));
  double sums[2] = {};
  for (int i = 0; i < kTurns; ++i) {
    sums[0] += waiting.Run(turn);
    sums[1] += bound.Run(turn);
  }
  std::printf(
      "{\"threads\":%d,\"callers\":%d,\"waitMs\":%d,\"checksPerSecond\":%.1f,\"upperBound\":%.1f,"
      "\"share\":%.3f}\n",
      threads, kCallers, static_cast<int>(kWait.count()), sums[0] / kTurns, sums[1] / kTurns,
      sums[0] / sums[1]);
}

}  // namespace telltale::bench
