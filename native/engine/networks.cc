// Choosing a device and loading the networks onto it.
#include "engine/networks.h"

#include <future>
#include <utility>
#include <vector>

namespace telltale {
namespace {

using Loaded = Result<std::unique_ptr<Session>>;

std::unique_ptr<Batcher> MakeBatcher(Session& session, int max_batch, const ThreadPlan& plan,
                                     const std::function<void()>& on_work) {
  return std::make_unique<Batcher>(
      session,
      BatcherOptions{max_batch, plan.max_delay, [] { return std::chrono::steady_clock::now(); }, on_work});
}

SessionOptions MakeOptions(const EngineConfig& config, Device device, const ThreadPlan& plan) {
  SessionOptions options;
  options.device = device;
  options.intra_op_threads = plan.intra_op;
  options.fixed_batches = plan.cuda_graphs;
  options.unpack_weights = device != Device::kCpu;
  options.ep_library = config.ep_library;
  options.cache_dir = config.cache_dir;
  return options;
}

SessionOptions EncoderOptions(const EngineConfig& config, Device device, const ThreadPlan& plan) {
  const EncoderModel& model = config.encoder;
  SessionOptions options = MakeOptions(config, device, plan);
  options.name = "encoder";
  options.path = device == Device::kCpu    ? model.cpu_path
                 : device == Device::kCuda ? model.gpu_path
                                           : model.tensorrt_path;
  options.height = options.width = model.size_px;
  options.outputs = {{model.logits_output, model.columns},
                     {model.tokens_output, model.side_tokens() * model.side_tokens()}};
  options.batch_buckets = plan.batch_buckets;
  return options;
}

SessionOptions DetectorOptions(const EngineConfig& config, Device device, const ThreadPlan& plan) {
  const FaceDetectorModel& model = config.face_detector;
  SessionOptions options = MakeOptions(config, device, plan);
  options.name = "face_detector";
  options.path = model.path;
  options.height = options.width = model.long_side_px;
  options.outputs = {{model.scores_output}, {model.boxes_output}, {model.points_output}};
  options.batch_buckets = plan.detector_buckets;
  return options;
}

Result<std::unique_ptr<Networks>> LoadOn(Device device, const EngineConfig& config,
                                         const std::function<void()>& on_work) {
  const ThreadPlan plan = PlanThreads(config.threads, device, config.cuda_graphs);
  std::string lacks[2];
  // If CUDA graphs are used, the networks are loaded one after the other: while one captures a graph, the
  // other must not allocate memory.
  std::future<Loaded> detector =
      std::async(plan.cuda_graphs ? std::launch::deferred : std::launch::async,
                 [&] { return LoadWithFallback(DetectorOptions(config, device, plan), &lacks[1]); });
  Loaded loaded[] = {LoadWithFallback(EncoderOptions(config, device, plan), &lacks[0]), detector.get()};
  for (const Loaded& session : loaded) {
    if (!session.ok()) return session.status();
  }
  auto networks =
      AssembleNetworks(config, device, std::move(loaded[0]).value(), std::move(loaded[1]).value(), on_work);
  networks->device_reason = lacks[0] + lacks[1];
  return networks;
}

// Loads the networks onto `device`. Error: kDeviceUnavailable, with the reason.
Result<std::unique_ptr<Networks>> TryDevice(Device device, const EngineConfig& config,
                                            const std::function<void()>& on_work) {
  if (const std::string why = WhyUnavailable(device, config.ep_library); !why.empty()) {
    return Status(StatusCode::kDeviceUnavailable,
                  std::string(DeviceName(device)) + " is unavailable: " + why);
  }
  return LoadOn(device, config, on_work);
}

}  // namespace

std::unique_ptr<Networks> AssembleNetworks(const EngineConfig& config, Device device,
                                           std::unique_ptr<Session> encoder,
                                           std::unique_ptr<Session> detector,
                                           const std::function<void()>& on_work) {
  auto networks = std::make_unique<Networks>();
  networks->config = config;
  networks->device = device;
  networks->plan = PlanThreads(config.threads, device, config.cuda_graphs);
  const ThreadPlan& plan = networks->plan;
  networks->encoder = MakeBatcher(*encoder, plan.max_batch, plan, on_work);
  networks->detector = MakeBatcher(*detector, plan.detector_max_batch, plan, on_work);
  networks->encoder_session = std::move(encoder);
  networks->detector_session = std::move(detector);
  return networks;
}

Loaded LoadWithFallback(SessionOptions options, std::string* lacks, const SessionLoader& load) {
  Loaded loaded = load(options);
  const auto do_without = [&](bool SessionOptions::*feature, const char* name) {
    if (loaded.ok() || loaded.status().code() != StatusCode::kDeviceUnavailable || !(options.*feature))
      return;
    options.*feature = false;
    Loaded again = load(options);
    if (again.ok()) *lacks += std::string("; without ") + name + ": " + loaded.status().message();
    loaded = std::move(again);
  };
  do_without(&SessionOptions::fixed_batches, "CUDA graphs");
  do_without(&SessionOptions::unpack_weights, "weights made floats at the start");
  return loaded;
}

Result<std::unique_ptr<Networks>> LoadNetworks(const EngineConfig& config, std::function<void()> on_work) {
  if (config.device) {
    auto networks = TryDevice(*config.device, config, on_work);
    if (networks.ok())
      networks.value()->device_reason.insert(0, std::string(DeviceName(*config.device)) + " was asked for");
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
      networks.value()->device_reason.insert(0, std::string(DeviceName(device)) +
                                                    " is the fastest that is available" +
                                                    (passed_over.empty() ? "" : ": " + passed_over));
    }
    return networks;
  }
  auto networks = LoadOn(Device::kCpu, config, on_work);
  if (networks.ok()) networks.value()->device_reason = "cpu, because " + passed_over;
  return networks;
}

}  // namespace telltale
