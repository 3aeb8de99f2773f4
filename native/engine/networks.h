// The encoder and the face detector on one device, each with a batcher that groups their inputs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine_config.h"
#include "engine/thread_plan.h"
#include "inference/batcher.h"
#include "inference/ort_session.h"

namespace telltale {

// Networks, with their settings. Nothing changes after construction, so any thread may read them.
struct Networks {
  EngineConfig config;
  Device device = Device::kCpu;
  std::string device_reason;  // one sentence: why this device was chosen
  ThreadPlan plan;
  std::unique_ptr<Session> encoder_session;
  std::unique_ptr<Session> detector_session;
  std::unique_ptr<Batcher> encoder;   // outputs: logits, tokens
  std::unique_ptr<Batcher> detector;  // outputs: scores, boxes, points
};

// Combines two loaded networks with batchers for the device. Batchers call `on_work` when input arrives.
std::unique_ptr<Networks> AssembleNetworks(const EngineConfig& config, Device device,
                                           std::unique_ptr<Session> encoder,
                                           std::unique_ptr<Session> detector,
                                           const std::function<void()>& on_work);

using SessionLoader = std::function<Result<std::unique_ptr<Session>>(const SessionOptions&)>;

// Loads a network with `load`. If the device cannot run it, retries without CUDA graphs, then with int8
// weights. Appends to `lacks` the reason for each feature that it disables.
Result<std::unique_ptr<Session>> LoadWithFallback(SessionOptions options, std::string* lacks,
                                                  const SessionLoader& load = LoadOrtSession);

// Chooses the device and the numbers of threads, and loads both models. Batchers call `on_work`, as in
// AssembleNetworks. Blocks meanwhile. Errors: kModelInvalid; kDeviceUnavailable with the reason if the
// requested device is unavailable.
Result<std::unique_ptr<Networks>> LoadNetworks(const EngineConfig& config, std::function<void()> on_work);

}  // namespace telltale
