// Where inference can run on this machine, and why not elsewhere.
#pragma once

#include <string>

namespace telltale {

enum class Device { kCpu, kCuda, kTensorRt };

// "cpu", "cuda" or "tensorrt". Static storage.
const char* DeviceName(Device device);

// Why `device` is unavailable on this machine, as part of a sentence; empty if nothing speaks against it.
// Looks at the providers that ONNX Runtime was built with, at the driver and its devices, and loads the
// provider.
std::string WhyUnavailable(Device device);

}  // namespace telltale
