// Where inference can run on this machine, and why not elsewhere.
#pragma once

#include <string>

namespace telltale {

enum class Device { kCpu, kCuda, kTensorRt };

// "cpu", "cuda" or "tensorrt". Static storage.
const char* DeviceName(Device device);

// Why `device` is unavailable on this machine, as part of a sentence; empty if nothing speaks against it.
// Looks at the providers that ONNX Runtime was built with, at the driver and its devices, and loads the
// provider. `ep_library`: the path of a library with a provider that runs on TensorRT in place of the one
// built in; empty: none.
std::string WhyUnavailable(Device device, const std::string& ep_library);

}  // namespace telltale
