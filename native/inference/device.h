// Devices that can run networks: the CPU, and NVIDIA GPUs with CUDA or TensorRT.
#pragma once

#include <string>

namespace telltale {

enum class Device { kCpu, kCuda, kTensorRt };

// Returns "cpu", "cuda" or "tensorrt". The string has static storage.
const char* DeviceName(Device device);

// Returns the reason why `device` is unavailable on this machine, as part of a sentence. Returns an empty
// string if it is available. Checks ONNX Runtime's built-in providers (libraries that run networks on a
// device), the driver and the GPUs, and loads the provider. `ep_library` is the path of a provider that
// replaces the built-in TensorRT provider; empty: not replaced.
std::string WhyUnavailable(Device device, const std::string& ep_library);

}  // namespace telltale
