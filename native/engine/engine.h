// The engine: owns the networks and the threads, takes images, refuses what it can't hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/fields.h"
#include "base/worker_pool.h"
#include "engine/annotate.h"
#include "engine/engine_config.h"
#include "engine/inspection_job.h"
#include "engine/networks.h"
#include "engine/preview.h"
#include "engine/scene_hash.h"
#include "engine/scene_levels.h"
#include "image/sniff.h"
#include "metadata/metadata.h"
#include "visible_marks/visible_marks.h"
#include "watermark/watermark.h"

namespace telltale {

// What the engine took and what it has done since its start.
struct EngineStats {
  Device device = Device::kCpu;
  std::string device_reason;
  ThreadPlan threads;
  size_t queued = 0;       // wait for a thread
  size_t running = 0;      // begun and not finished; may be more than threads
  uint64_t inspected = 0;  // inspections that gave scores
  uint64_t refused = 0;    // images turned away with kOverloaded
  PoolMemory memory;       // of all decodes at once
  BatcherCounts encoder;
  BatcherCounts detector;
  TELLTALE_FIELDS(device, device_reason, threads, queued, running, inspected, refused, memory)
};

// What generators write into the pixels themselves, for programs to read or for people to see.
struct PixelMarks {
  std::vector<VisibleMark> visible;
  std::vector<Watermark> watermarks;
  TELLTALE_FIELDS(visible, watermarks)
};

struct PreviewOptions {
  int long_side_px = 0;  // at most
  TELLTALE_FIELDS(long_side_px)
};

struct RecompressOptions {
  int long_side_px = 0;  // at most
  int quality = 0;       // of the JPEG, 1..100
  TELLTALE_FIELDS(long_side_px, quality)
};

// All methods are thread-safe. Callbacks run once, on one of the engine's threads. If the work is refused
// with kOverloaded (the queue is full, or the engine closes), they run within the call. `bytes` must stay as
// they are until then.
class Engine {
 public:
  using FileDone = std::function<void(Result<std::vector<uint8_t>>)>;
  // Makes the networks as LoadNetworks does; what makes others shows the engine by itself.
  using NetworkLoader =
      std::function<Result<std::unique_ptr<Networks>>(const EngineConfig&, std::function<void()> on_work)>;

  // Loads the models and starts the threads. Blocks. Errors: kModelInvalid, kDeviceUnavailable.
  static Result<std::unique_ptr<Engine>> Create(const EngineConfig& config,
                                                const NetworkLoader& load = LoadNetworks);
  // Closes.
  ~Engine();

  // What the header says, read on a thread for nothing else: neither work on images nor JavaScript waits
  // for it. Errors: those of Sniff, kOverloaded.
  void Sniff(Bytes bytes, std::function<void(Result<SniffedImage>)> done);
  // As Sniff; errors: kOverloaded, kInternalError.
  void ReadMetadata(Bytes bytes, std::function<void(Result<std::vector<MetadataText>>)> done);

  // Errors: those of Decode, kOverloaded, kDeadlineExceeded, kCancelled, kInternalError. Here and below the
  // cancellation says whether somebody waits for the result: what nobody waits for lets others go first.
  void Inspect(Bytes bytes, InspectionOptions options, std::shared_ptr<const Cancellation> cancellation,
               InspectionJob::Done done);
  // The preview alone. Errors as Inspect.
  void MakePreview(Bytes bytes, PreviewOptions options, std::shared_ptr<const Cancellation> cancellation,
                   std::function<void(Result<Preview>)> done);
  // The hashes alone. Errors as Inspect.
  void HashScene(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                 std::function<void(Result<std::optional<Scene>>)> done);
  // Looks for a checked image in its original. Errors as Inspect.
  void LocateScene(Bytes original, SceneSearch search, std::shared_ptr<const Cancellation> cancellation,
                   std::function<void(Result<SceneLocation>)> done);
  // Compares an image with the levels of a known one. Errors as Inspect.
  void CompareScenes(Bytes bytes, SceneComparison known, std::shared_ptr<const Cancellation> cancellation,
                     std::function<void(Result<double>)> done);
  // A PNG of the image, drawn over. Errors as Inspect.
  void Annotate(Bytes bytes, Annotation annotation, std::shared_ptr<const Cancellation> cancellation,
                FileDone done);
  // A JPEG of the image, shrunk. Errors as Inspect.
  void Recompress(Bytes bytes, RecompressOptions options, std::shared_ptr<const Cancellation> cancellation,
                  FileDone done);

  // The visible signs and open watermarks in its pixels. Errors as Inspect.
  void SearchPixels(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                    std::function<void(Result<PixelMarks>)> done);

  EngineStats stats() const;

  // Refuses new work, finishes what was accepted, joins the threads. Safe to call twice, from one thread at a
  // time, and from none of the engine's own.
  void Close();

 private:
  Engine() = default;
  // Runs `work` on a thread of `pool`, or gives `refuse` the reason why not.
  template <typename Task>  // WorkerPool::Task or PermitTask
  void Post(WorkerPool* pool, Task work, const std::function<void(Status)>& refuse,
            WorkerPool::Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Decodes (`enough_px` as Decode has it), then makes the results that are asked for.
  template <typename T>
  void PostImage(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                 std::function<void(Result<T>)> done, std::function<Result<T>(const Image&)> make,
                 int enough_px = 0);

  std::unique_ptr<Networks> networks_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<WorkerPool> header_pool_;
  std::atomic<size_t> running_ = 0;
  std::atomic<uint64_t> inspected_ = 0;
  std::atomic<uint64_t> refused_ = 0;
};

}  // namespace telltale
