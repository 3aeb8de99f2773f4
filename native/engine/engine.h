// The engine: owns the networks and the threads, checks images, and refuses images beyond its capacity.
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

// State of the engine, with counters since its start.
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

// Marks that generators put into pixels: visible signs and invisible watermarks.
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

// Checks images on its own threads. All methods are thread-safe. Callbacks run once, on one of the engine's
// threads. If the queue is full or the engine is closing, the callback runs within the call, with
// kOverloaded. `bytes` must stay unchanged until the callback runs.
class Engine {
 public:
  using FileDone = std::function<void(Result<std::vector<uint8_t>>)>;
  // Function that loads the networks, LoadNetworks by default. Tests pass one that returns fake networks.
  using NetworkLoader =
      std::function<Result<std::unique_ptr<Networks>>(const EngineConfig&, std::function<void()> on_work)>;

  // Loads the models and starts the threads. Blocks meanwhile. Errors: kModelInvalid, kDeviceUnavailable.
  static Result<std::unique_ptr<Engine>> Create(const EngineConfig& config,
                                                const NetworkLoader& load = LoadNetworks);
  ~Engine();

  // Reads an image's header. A separate thread does this, so that reading waits neither for the checks of
  // images nor for JavaScript. Errors: as the function Sniff (image/sniff.h), kOverloaded.
  void Sniff(Bytes bytes, std::function<void(Result<SniffedImage>)> done);
  // Reads metadata on the thread that reads headers. Errors: kOverloaded, kInternalError.
  void ReadMetadata(Bytes bytes, std::function<void(Result<std::vector<MetadataText>>)> done);

  // Checks an image: scores it and its faces. Errors: as Decode, kOverloaded, kDeadlineExceeded, kCancelled,
  // kInternalError. In this and the following methods, `cancellation` also has the priority, which decides
  // whether other work goes first.
  void Inspect(Bytes bytes, InspectionOptions options, std::shared_ptr<const Cancellation> cancellation,
               InspectionJob::Done done);
  // Makes only the preview, a small JPEG. Errors: as Inspect.
  void MakePreview(Bytes bytes, PreviewOptions options, std::shared_ptr<const Cancellation> cancellation,
                   std::function<void(Result<Preview>)> done);
  // Computes only the scene hashes, by which copies of an image are found. Errors: as Inspect.
  void HashScene(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                 std::function<void(Result<std::optional<Scene>>)> done);
  // Finds the part of an original that a checked image shows. Errors: as Inspect.
  void LocateScene(Bytes original, SceneSearch search, std::shared_ptr<const Cancellation> cancellation,
                   std::function<void(Result<SceneLocation>)> done);
  // Compares an image with the stored grey levels of a known image. Errors: as Inspect.
  void CompareScenes(Bytes bytes, SceneComparison known, std::shared_ptr<const Cancellation> cancellation,
                     std::function<void(Result<double>)> done);
  // Returns a PNG of the image with the annotation drawn on it. Errors: as Inspect.
  void Annotate(Bytes bytes, Annotation annotation, std::shared_ptr<const Cancellation> cancellation,
                FileDone done);
  // Returns a shrunken JPEG of the image. Errors: as Inspect.
  void Recompress(Bytes bytes, RecompressOptions options, std::shared_ptr<const Cancellation> cancellation,
                  FileDone done);

  // Searches the pixels for visible signs of generators and for open watermarks. Errors: as Inspect.
  void SearchPixels(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                    std::function<void(Result<PixelMarks>)> done);

  EngineStats stats() const;

  // Refuses new work, finishes accepted work and joins the threads. May be called twice, but not by two
  // threads concurrently and not from one of the engine's threads.
  void Close();

 private:
  Engine() = default;
  // Runs `work` on a thread of `pool`. Calls `refuse` with the reason if the pool does not accept the work.
  template <typename Task>  // WorkerPool::Task or PermitTask
  void Post(WorkerPool* pool, Task work, const std::function<void(Status)>& refuse,
            WorkerPool::Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Decodes the image and calls a function for the requested result. `enough_px` is passed to Decode.
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
