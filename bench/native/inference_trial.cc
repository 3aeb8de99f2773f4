// Inference by batch size and threads, ours against the bare runtime.
#include <cstdio>
#include <thread>

#include "bare_network.h"
#include "staged_check.h"
#include "stopwatch.h"
#include "trials.h"

namespace telltale::bench {
namespace {

struct Network {
  const char* id;
  std::string path;
  std::vector<std::string> outputs;
  int height;
  int width;
  Session* ours;
};

std::vector<Network> ListNetworks(const BenchModels& models) {
  const EngineConfig& config = models.config;
  const FaceDetectorModel& detector = config.face_detector;
  // A detector's row: a picture of 4:3.
  const int across = detector.long_side_px;
  const int down = across * 3 / 4;
  return {{"encoder",
           config.encoder.cpu_path,
           {config.encoder.logits_output, config.encoder.tokens_output},
           config.encoder.size_px,
           config.encoder.size_px,
           models.encoder.get()},
          {"face_detector",
           detector.path,
           {detector.scores_output, detector.boxes_output, detector.points_output},
           down,
           across,
           models.detector.get()}};
}

// The same run on `threads` threads at once.
template <typename Run>
void RunOnEach(int threads, Run run) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace

void RunInferenceTrial(const TrialOptions& options) {
  const BenchModels models = LoadModels(1);
  const int threads = options.threads;
  for (const Network& network : ListNetworks(models)) {
    BareNetwork single(network.path, network.outputs, 1);
    BareNetwork split(network.path, network.outputs, threads);
    for (const int rows : options.batches) {
      PixelBatch batch(rows, network.height, network.width);
      // Noise, so that no network sees a picture of zeros.
      uint32_t state = 1;
      for (uint8_t& sample : batch.pixels) sample = (state = state * 1664525 + 1013904223) >> 24;
      const PixelView view{batch.pixels.data(), rows, network.height, network.width};
      const auto run_ours = [&] { static_cast<void>(network.ours->Run(view).ok()); };
      const auto run_bare = [&] { single.Run(batch); };
      const std::vector<double> times = MeasureInTurn(
          options.budget_ms, {run_bare, run_ours, [&] { split.Run(batch); },
                              [&] { RunOnEach(threads, run_bare); }, [&] { RunOnEach(threads, run_ours); }});
      std::printf(
          "{\"network\":\"%s\",\"rows\":%d,\"threads\":%d,\"bare_ms\":%.4f,\"ours_ms\":%.4f,"
          "\"bare_split_ms\":%.4f,\"bare_each_ms\":%.4f,\"ours_each_ms\":%.4f}\n",
          network.id, rows, threads, times[0], times[1], times[2], times[3], times[4]);
      std::fflush(stdout);
    }
  }
}

}  // namespace telltale::bench
