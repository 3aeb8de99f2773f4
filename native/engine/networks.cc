// Taking a device and loading the networks onto it.
#include "engine/networks.h"

#include <future>
#include <utility>
#include <vector>

#include "inference/ort_session.h"

namespace telltale {
namespace {

using Loaded = Result<std::unique_ptr<Session>>;

std::unique_ptr<Batcher> MakeBatcher(Session& session, int max_batch, const ThreadPlan& plan,
                                     const std::function<void()>& on_work) {
  return std::make_unique<Batcher>(
      session,
      BatcherOptions{max_batch, plan.max_delay, [] { return std::chrono::steady_clock::now(); }, on_work});
}

SessionOptions MakeOptions(const Networks& networks, const char* name, const std::string& path, int size_px) {
  SessionOptions options;
  options.name = name;
  options.path = path;
  options.device = networks.device;
  options.intra_op_threads = networks.plan.intra_op;
  options.height = size_px;
  options.width = size_px;
  options.cache_dir = networks.config.cache_dir;
  return options;
}

Result<std::unique_ptr<Networks>> LoadOn(Device device, const EngineConfig& config,
                                         const std::function<void()>& on_work) {
  auto networks = std::make_unique<Networks>();
  networks->config = config;
  networks->device = device;
  networks->plan = PlanThreads(config.threads, device);
  const ThreadPlan& plan = networks->plan;

  const EncoderModel& encoder = config.encoder;
  const std::string& encoder_path = device == Device::kCpu ? encoder.cpu_path : encoder.gpu_path;
  SessionOptions encoder_options = MakeOptions(*networks, "encoder", encoder_path, encoder.size_px);
  encoder_options.outputs = {{encoder.logits_output, encoder.columns},
                             {encoder.tokens_output, encoder.side_tokens() * encoder.side_tokens()}};
  encoder_options.batch_buckets = plan.batch_buckets;
  const FaceDetectorModel& detector = config.face_detector;
  SessionOptions detector_options =
      MakeOptions(*networks, "face_detector", detector.path, detector.long_side_px);
  detector_options.outputs = {{detector.scores_output}, {detector.boxes_output}, {detector.points_output}};
  detector_options.batch_buckets = plan.detector_buckets;

  std::future<Loaded> detector_loaded =
      std::async(std::launch::async, [&] { return LoadOrtSession(detector_options); });
  Loaded loaded[] = {LoadOrtSession(encoder_options), detector_loaded.get()};
  for (const Loaded& session : loaded) {
    if (!session.ok()) return session.status();
  }
  networks->encoder_session = std::move(loaded[0].value());
  networks->detector_session = std::move(loaded[1].value());
  networks->encoder = MakeBatcher(*networks->encoder_session, plan.max_batch, plan, on_work);
  networks->detector = MakeBatcher(*networks->detector_session, plan.detector_max_batch, plan, on_work);
  return networks;
}

// Loads onto `device` where nothing speaks against it; kDeviceUnavailable says what did.
Result<std::unique_ptr<Networks>> TryDevice(Device device, const EngineConfig& config,
                                            const std::function<void()>& on_work) {
  if (const std::string why = WhyUnavailable(device); !why.empty()) {
    return Status(StatusCode::kDeviceUnavailable,
                  std::string(DeviceName(device)) + " is unavailable: " + why);
  }
  return LoadOn(device, config, on_work);
}

}  // namespace

Result<std::unique_ptr<Networks>> LoadNetworks(const EngineConfig& config, std::function<void()> on_work) {
  if (config.device) {
    auto networks = TryDevice(*config.device, config, on_work);
    if (networks.ok())
      networks.value()->device_reason = std::string(DeviceName(*config.device)) + " was asked for";
    return networks;
  }
  std::string passed_over;
  for (const Device device : {Device::kTensorRt, Device::kCuda}) {
    auto networks = TryDevice(device, config, on_work);
    if (!networks.ok() && networks.status().code() == StatusCode::kDeviceUnavailable) {
      passed_over += (passed_over.empty() ? "" : "; ") + networks.status().message();
      continue;
    }
    if (networks.ok()) {
      networks.value()->device_reason = std::string(DeviceName(device)) + " is the fastest that can be had" +
                                        (passed_over.empty() ? "" : ": " + passed_over);
    }
    return networks;
  }
  auto networks = LoadOn(Device::kCpu, config, on_work);
  if (networks.ok()) networks.value()->device_reason = "cpu, because " + passed_over;
  return networks;
}

}  // namespace telltale
