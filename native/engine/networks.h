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

// Built once, then only read: its members are used from all threads.
struct Networks {
  EngineConfig config;
  Device device = Device::kCpu;
  std::string device_reason;  // one sentence
  ThreadPlan plan;
  std::unique_ptr<Session> encoder_session;
  std::unique_ptr<Session> detector_session;
  std::unique_ptr<Batcher> encoder;   // outputs: logits, tokens
  std::unique_ptr<Batcher> detector;  // outputs: scores, boxes, points
};

// Puts two networks that run on `device` together, with batchers as its thread plan has them. `on_work` is
// called where rows arrive at a batcher.
std::unique_ptr<Networks> AssembleNetworks(const EngineConfig& config, Device device,
                                           std::unique_ptr<Session> encoder,
                                           std::unique_ptr<Session> detector,
                                           const std::function<void()>& on_work);

using SessionLoader = std::function<Result<std::unique_ptr<Session>>(const SessionOptions&)>;

// Loads by `load`. Where the device does not run the network it is loaded anew without CUDA graphs, then with
// weights in int8, and `lacks` gets a part of a sentence that says so, with the reason.
Result<std::unique_ptr<Session>> LoadWithFallback(SessionOptions options, std::string* lacks,
                                                  const SessionLoader& load = LoadOrtSession);

// Chooses the device, plans the threads and loads the models, all at once. `on_work` as above.
// Blocks. Errors: kModelInvalid; kDeviceUnavailable where the device asked for can't be had, with the
// reason.
Result<std::unique_ptr<Networks>> LoadNetworks(const EngineConfig& config, std::function<void()> on_work);

}  // namespace telltale
