// The engine: owns the networks and the threads, accepts images, and refuses images beyond its capacity.
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

// State of the engine, and counters since its start.
struct EngineStats {
  Device device = Device::kCpu;
  std::string device_reason;
  ThreadPlan threads;
  size_t queued = 0;       // images waiting for a thread
  size_t running = 0;      // begun and not finished; may exceed the number of threads
  uint64_t inspected = 0;  // inspections that returned scores
  uint64_t refused = 0;    // jobs refused with kOverloaded
  PoolMemory memory;       // of all decodes together
  BatcherCounts encoder;
  BatcherCounts detector;
  TELLTALE_FIELDS(device, device_reason, threads, queued, running, inspected, refused, memory)
};

// Marks that generators put into the pixels: visible signs and invisible watermarks.
struct PixelMarks {
  std::vector<VisibleMark> visible;
  std::vector<Watermark> watermarks;
  TELLTALE_FIELDS(visible, watermarks)
};

struct PreviewOptions {
  int long_side_px = 0;  // maximum longer side
  TELLTALE_FIELDS(long_side_px)
};

struct RecompressOptions {
  int long_side_px = 0;  // maximum longer side
  int quality = 0;       // quality of the JPEG, 1..100
  TELLTALE_FIELDS(long_side_px, quality)
};

// Runs checks on its threads. All methods are thread-safe. Callbacks run once, on one of the engine's
// threads. If the work is refused with kOverloaded (the queue is full, or the engine is closing), the
// callback runs within the call. `bytes` must stay unchanged until then.
class Engine {
 public:
  using FileDone = std::function<void(Result<std::vector<uint8_t>>)>;
  // Loads the networks, as LoadNetworks does. Tests pass a loader of fake networks.
  using NetworkLoader =
      std::function<Result<std::unique_ptr<Networks>>(const EngineConfig&, std::function<void()> on_work)>;

  // Loads the models and starts the threads. Blocks. Errors: kModelInvalid, kDeviceUnavailable.
  static Result<std::unique_ptr<Engine>> Create(const EngineConfig& config,
                                                const NetworkLoader& load = LoadNetworks);
  // Calls Close.
  ~Engine();

  // Reads the header on a separate thread, so that reading delays neither work on images nor JavaScript.
  // Errors: as Sniff, kOverloaded.
  void Sniff(Bytes bytes, std::function<void(Result<SniffedImage>)> done);
  // Reads metadata on the same thread as Sniff. Errors: kOverloaded, kInternalError.
  void ReadMetadata(Bytes bytes, std::function<void(Result<std::vector<MetadataText>>)> done);

  // Inspects an image. Errors: as Decode, kOverloaded, kDeadlineExceeded, kCancelled, kInternalError. In this
  // and the following methods, the priority in `cancellation` determines whether other work goes first.
  void Inspect(Bytes bytes, InspectionOptions options, std::shared_ptr<const Cancellation> cancellation,
               InspectionJob::Done done);
  // Makes only the preview. Errors: as Inspect.
  void MakePreview(Bytes bytes, PreviewOptions options, std::shared_ptr<const Cancellation> cancellation,
                   std::function<void(Result<Preview>)> done);
  // Computes only the scene hashes. Errors: as Inspect.
  void HashScene(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                 std::function<void(Result<std::optional<Scene>>)> done);
  // Searches for a checked image in its original. Errors: as Inspect.
  void LocateScene(Bytes original, SceneSearch search, std::shared_ptr<const Cancellation> cancellation,
                   std::function<void(Result<SceneLocation>)> done);
  // Compares an image with the levels of a known image. Errors: as Inspect.
  void CompareScenes(Bytes bytes, SceneComparison known, std::shared_ptr<const Cancellation> cancellation,
                     std::function<void(Result<double>)> done);
  // Returns a PNG of the image with the annotation drawn on it. Errors: as Inspect.
  void Annotate(Bytes bytes, Annotation annotation, std::shared_ptr<const Cancellation> cancellation,
                FileDone done);
  // Returns a JPEG of the shrunken image. Errors: as Inspect.
  void Recompress(Bytes bytes, RecompressOptions options, std::shared_ptr<const Cancellation> cancellation,
                  FileDone done);

  // Searches the pixels for visible signs and open watermarks. Errors: as Inspect.
  void SearchPixels(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                    std::function<void(Result<PixelMarks>)> done);

  EngineStats stats() const;

  // Refuses new work, finishes accepted work and joins the threads. May be called twice, from one thread at a
  // time, but not from one of the engine's own threads.
  void Close();

 private:
  Engine() = default;
  // Runs `work` on a thread of `pool`, or calls `refuse` with the reason for refusing the work.
  template <typename Task>  // WorkerPool::Task or PermitTask
  void Post(WorkerPool* pool, Task work, const std::function<void(Status)>& refuse,
            WorkerPool::Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Decodes the image (with `enough_px` as in Decode), then makes the requested results.
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
