// The two networks with their batchers, on one device.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine_config.h"
#include "engine/thread_plan.h"
#include "inference/batcher.h"
#include "inference/ort_session.h"

namespace telltale {

// Built once, then only read, from any thread.
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

// Combines two networks loaded onto `device` with batchers sized by its thread plan. `on_work` is called when
// rows arrive at a batcher.
std::unique_ptr<Networks> AssembleNetworks(const EngineConfig& config, Device device,
                                           std::unique_ptr<Session> encoder,
                                           std::unique_ptr<Session> detector,
                                           const std::function<void()>& on_work);

using SessionLoader = std::function<Result<std::unique_ptr<Session>>(const SessionOptions&)>;

// Loads a network with `load`. If the device cannot run it, retries without CUDA graphs, then with int8
// weights. Appends a phrase with the reason to `lacks` for each feature given up.
Result<std::unique_ptr<Session>> LoadWithFallback(SessionOptions options, std::string* lacks,
                                                  const SessionLoader& load = LoadOrtSession);

// Chooses the device, plans the threads and loads both models, with `on_work` as in AssembleNetworks. Blocks.
// Errors: kModelInvalid; kDeviceUnavailable with the reason if the requested device is unavailable.
Result<std::unique_ptr<Networks>> LoadNetworks(const EngineConfig& config, std::function<void()> on_work);

}  // namespace telltale
