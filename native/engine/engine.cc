// Accepting work, starting and stopping the thread pools, and loading and freeing the networks.
#include "engine/engine.h"

#include <exception>
#include <new>
#include <opencv2/core.hpp>
#include <optional>

#include "image/decode.h"
#include "image/encode.h"

namespace telltale {
namespace {

// Thread pool that reads image headers. Reading a header takes some ten microseconds, so thousands of
// waiting headers take no longer than one image.
constexpr PoolOptions kHeaderPool{.task_threads = 1, .source_threads = 0, .queue_limit = 4096};

// Returns a function that measures the memory for decoding `bytes`. It measures once, and returns 0 after the
// request is over, because nothing is decoded then.
WorkerPool::Measure MeasureUntilOver(Bytes bytes, std::shared_ptr<const Cancellation> cancellation) {
  return [bytes, cancellation, measured = std::optional<uint64_t>()]() mutable -> uint64_t {
    if (cancellation->IsOver()) return 0;
    if (!measured) measured = MeasureDecode(bytes);
    return *measured;
  };
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Create(const EngineConfig& config, const NetworkLoader& load) {
  // OpenCV starts no threads, because they would exceed the configured number of threads.
  cv::setNumThreads(0);
  std::unique_ptr<Engine> engine(new Engine);
  auto networks = load(config, [raw = engine.get()] { raw->pool_->Wake(); });
  if (!networks.ok()) return networks.status();
  engine->networks_ = std::move(networks).value();
  const ThreadPlan& plan = engine->networks_->plan;
  const Networks& loaded = *engine->networks_;
  // The detector's work runs before the encoder's, because images keep their pixels until it is done.
  engine->pool_ = std::make_unique<WorkerPool>(
      PoolOptions{plan.decode, plan.batchers, config.queue_limit, config.memory_bytes},
      std::vector<WorkSource*>{loaded.detector.get(), loaded.encoder.get()});
  engine->header_pool_ = std::make_unique<WorkerPool>(kHeaderPool, std::vector<WorkSource*>{});
  return engine;
}

Engine::~Engine() { Close(); }

void Engine::Close() {
  if (header_pool_) header_pool_->Close();
  if (pool_) pool_->Close();
}

template <typename Task>
void Engine::Post(WorkerPool* pool, Task work, const std::function<void(Status)>& refuse,
                  WorkerPool::Measure measure, Priority priority) {
  const PushResult result = pool->TryPost(std::move(work), std::move(measure), priority);
  if (result == PushResult::kAccepted) return;
  refused_.fetch_add(1);
  refuse({StatusCode::kOverloaded, result == PushResult::kFull ? "queue_full" : "closing"});
}

void Engine::Sniff(Bytes bytes, std::function<void(Result<SniffedImage>)> done) {
  Post(
      header_pool_.get(), [bytes, done] { done(telltale::Sniff(bytes)); }, done);
}

void Engine::ReadMetadata(Bytes bytes, std::function<void(Result<std::vector<MetadataText>>)> done) {
  const auto read = [bytes]() -> Result<std::vector<MetadataText>> {
    try {
      return telltale::ReadMetadata(bytes);
    } catch (const std::bad_alloc&) {
      return Status(StatusCode::kInternalError, kOutOfMemory);
    }
  };
  Post(
      header_pool_.get(), [read, done] { done(read()); }, done);
}

void Engine::Inspect(Bytes bytes, InspectionOptions options, std::shared_ptr<const Cancellation> cancellation,
                     InspectionJob::Done done) {
  auto finish = [this, done](Result<Inspection> inspection) {
    running_.fetch_sub(1);
    if (inspection.ok()) inspected_.fetch_add(1);
    done(std::move(inspection));
  };
  const Priority priority = cancellation->priority();
  WorkerPool::Measure measure = MeasureUntilOver(bytes, cancellation);
  auto post_step = [pool = pool_.get(), priority](std::function<void()> step) {
    pool->PostStep(std::move(step), priority);
  };
  auto job = std::make_shared<InspectionJob>(*networks_, bytes, options, std::move(cancellation),
                                             std::move(post_step), std::move(finish));
  Post(
      pool_.get(),
      [this, job](WorkerPool::Permit permit) {
        running_.fetch_add(1);
        job->Begin(std::move(permit));
      },
      done, std::move(measure), priority);
}

template <typename T>
void Engine::PostImage(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                       std::function<void(Result<T>)> done, std::function<Result<T>(const Image&)> make,
                       int enough_px) {
  const auto work = [bytes, cancellation, make, enough_px]() -> Result<T> {
    try {
      if (Status status = cancellation->Check(std::chrono::steady_clock::now()); !status.ok()) return status;
      const Result<Image> image = Decode(bytes, *cancellation, enough_px);
      if (!image.ok()) return image.status();
      return make(image.value());
    } catch (const std::bad_alloc&) {
      return Status(StatusCode::kInternalError, kOutOfMemory);
    } catch (const std::exception& error) {  // thrown by OpenCV
      return Status(StatusCode::kInternalError,
                    std::string("the image could not be worked on: ") + error.what());
    }
  };
  Post(
      pool_.get(),
      [this, work, done] {
        running_.fetch_add(1);
        Result<T> made = work();
        running_.fetch_sub(1);
        done(std::move(made));
      },
      done, MeasureUntilOver(bytes, cancellation), cancellation->priority());
}

void Engine::MakePreview(Bytes bytes, PreviewOptions options,
                         std::shared_ptr<const Cancellation> cancellation,
                         std::function<void(Result<Preview>)> done) {
  const auto make = [options](const Image& image) {
    return telltale::MakePreview(image, options.long_side_px);
  };
  PostImage<Preview>(bytes, std::move(cancellation), std::move(done), make, options.long_side_px);
}

void Engine::HashScene(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                       std::function<void(Result<std::optional<Scene>>)> done) {
  PostImage<std::optional<Scene>>(bytes, std::move(cancellation), std::move(done), telltale::HashScene,
                                  kScenePx);
}

void Engine::LocateScene(Bytes original, SceneSearch search, std::shared_ptr<const Cancellation> cancellation,
                         std::function<void(Result<SceneLocation>)> done) {
  const auto locate = [search](const Image& image) { return telltale::LocateScene(image, search); };
  PostImage<SceneLocation>(original, std::move(cancellation), std::move(done), locate, kScenePx);
}

void Engine::CompareScenes(Bytes bytes, SceneComparison known,
                           std::shared_ptr<const Cancellation> cancellation,
                           std::function<void(Result<double>)> done) {
  const auto compare = [known = std::move(known)](const Image& image) {
    return telltale::CompareScenes(image, known);
  };
  PostImage<double>(bytes, std::move(cancellation), std::move(done), compare, kScenePx);
}

void Engine::Annotate(Bytes bytes, Annotation annotation, std::shared_ptr<const Cancellation> cancellation,
                      FileDone done) {
  PostImage<std::vector<uint8_t>>(bytes, std::move(cancellation), std::move(done),
                                  [annotation = std::move(annotation)](const Image& image) {
                                    return EncodePng(Draw(image, annotation));
                                  });
}

void Engine::Recompress(Bytes bytes, RecompressOptions options,
                        std::shared_ptr<const Cancellation> cancellation, FileDone done) {
  PostImage<std::vector<uint8_t>>(
      bytes, std::move(cancellation), std::move(done), [options](const Image& image) {
        return EncodeJpeg(ShrinkToLongSide(image, options.long_side_px), options.quality);
      });
}

void Engine::SearchPixels(Bytes bytes, std::shared_ptr<const Cancellation> cancellation,
                          std::function<void(Result<PixelMarks>)> done) {
  PostImage<PixelMarks>(bytes, std::move(cancellation), std::move(done), [](const Image& image) {
    return PixelMarks{FindVisibleMarks(image), FindWatermarks(image)};
  });
}

EngineStats Engine::stats() const {
  EngineStats stats;
  stats.device = networks_->device;
  stats.device_reason = networks_->device_reason;
  stats.threads = networks_->plan;
  stats.queued = pool_->waiting();
  stats.running = running_.load();
  stats.inspected = inspected_.load();
  stats.refused = refused_.load();
  stats.memory = pool_->memory();
  stats.encoder = networks_->encoder->counts();
  stats.detector = networks_->detector->counts();
  return stats;
}

}  // namespace telltale
