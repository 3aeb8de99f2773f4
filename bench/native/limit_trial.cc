// The least time that the hardware and the libraries need for a load of checks.
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

#include "bare_codecs.h"
#include "bare_network.h"
#include "engine/thread_plan.h"
#include "staged_check.h"
#include "stopwatch.h"
#include "trials.h"

namespace telltale::bench {
namespace {

// The tensors of one file's check, ready made, cut into batches of the engine's size.
struct CheckWork {
  ImageFormat format;
  std::vector<uint8_t> file;
  PixelBatch detector;
  std::vector<PixelBatch> views;
  std::vector<PixelBatch> faces;
};

std::vector<PixelBatch> CutBatches(const PixelBatch& all, int max_batch) {
  std::vector<PixelBatch> batches;
  for (int first = 0; first < all.rows; first += max_batch) {
    PixelBatch batch(std::min(max_batch, all.rows - first), all.height, all.width);
    std::copy_n(all.pixels.begin() + all.row_size() * first, batch.pixels.size(), batch.pixels.begin());
    batches.push_back(std::move(batch));
  }
  return batches;
}

struct BareNetworks {
  explicit BareNetworks(const EngineConfig& config)
      : encoder(config.encoder.cpu_path, {config.encoder.logits_output, config.encoder.tokens_output}, 1),
        detector(config.face_detector.path,
                 {config.face_detector.scores_output, config.face_detector.boxes_output,
                  config.face_detector.points_output},
                 1) {}
  BareNetwork encoder;
  BareNetwork detector;
};

void DoWork(const CheckWork& work, BareNetworks& networks, std::vector<uint8_t>* pixels) {
  DecodeBare(work.format, work.file, pixels);
  networks.detector.Run(work.detector);
  for (const PixelBatch& batch : work.views) networks.encoder.Run(batch);
  for (const PixelBatch& batch : work.faces) networks.encoder.Run(batch);
}

}  // namespace

void RunProbe(const TrialOptions& options) {
  const BenchModels models = LoadModels(1);
  std::vector<uint8_t> pixels;
  for (const std::string& path : options.files) {
    StagedCheck check(models, ReadWholeFile(path));
    const bool ours = check.Decodes();
    if (ours) check.RunAll();
    const bool bare = ours && DecodeBare(check.sniffed().format, check.bytes(), &pixels);
    std::printf("{\"file\":\"%s\",\"ours\":%s,\"bare\":%s,\"views\":%d,\"faces\":%d}\n", path.c_str(),
                ours ? "true" : "false", bare ? "true" : "false", check.views().rows, check.faces().rows);
  }
}

void RunLimitTrial(const TrialOptions& options) {
  std::vector<CheckWork> works;
  const int max_batch = options.batches.empty() ? PlanThreads(1, Device::kCpu).max_batch : options.batches[0];
  std::unique_ptr<BareNetworks> networks;
  {
    const BenchModels models = LoadModels(1);
    networks = std::make_unique<BareNetworks>(models.config);
    for (const std::string& path : options.files) {
      StagedCheck check(models, ReadWholeFile(path));
      check.RunAll();
      works.push_back({check.sniffed().format,
                       {check.bytes().begin(), check.bytes().end()},
                       check.detector_pixels(),
                       CutBatches(check.views(), max_batch),
                       CutBatches(check.faces(), max_batch)});
    }
  }
  if (works.empty()) return;
  // Once through, uncounted: the runtime's arenas grow and the files come into memory.
  std::vector<uint8_t> pixels;
  for (const CheckWork& work : works) DoWork(work, *networks, &pixels);

  std::atomic<size_t> next = 0;
  std::atomic<int> checks = 0;
  const double start = NowMs();
  const double end = start + options.budget_ms;
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i) {
    threads.emplace_back([&] {
      std::vector<uint8_t> own_pixels;
      while (NowMs() < end) {
        DoWork(works[next.fetch_add(1) % works.size()], *networks, &own_pixels);
        checks.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("{\"checks\":%d,\"seconds\":%.4f,\"threads\":%d,\"max_batch\":%d}\n", checks.load(),
              (NowMs() - start) / 1000, options.threads, max_batch);
}

}  // namespace telltale::bench
