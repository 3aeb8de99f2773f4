// An execution provider in a library of its own, which ONNX Runtime loads at run time.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>

namespace telltale {

// Why the provider in the library at `path` is unavailable, as part of a sentence; empty if it has a device
// here. Loads the library, which then stays. Thread-safe.
std::string WhyPluginUnavailable(const std::string& path);

// Adds the provider, which is available, to `target`. Throws Ort::Exception.
void AppendPlugin(const std::string& path, Ort::SessionOptions* target);

}  // namespace telltale
