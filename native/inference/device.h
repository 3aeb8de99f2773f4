// Devices for inference on this machine, and reasons why a device is unavailable.
#pragma once

#include <string>

namespace telltale {

enum class Device { kCpu, kCuda, kTensorRt };

// Returns "cpu", "cuda" or "tensorrt", in static storage.
const char* DeviceName(Device device);

// Returns the reason why `device` is unavailable on this machine, as part of a sentence; empty if it is
// available. Checks the providers built into ONNX Runtime, the driver and its devices, and loads the
// provider. `ep_library` is the path of a library whose provider replaces the built-in TensorRT provider;
// empty: not replaced.
std::string WhyUnavailable(Device device, const std::string& ep_library);

}  // namespace telltale
