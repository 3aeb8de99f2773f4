// Execution providers in separate libraries: ONNX Runtime loads such a library at run time to use a device.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>

namespace telltale {

// Returns the reason why the provider in the library at `path` is unavailable, as part of a sentence; empty
// if it has a device on this machine. Loads the library, which then stays loaded. Thread-safe.
std::string WhyPluginUnavailable(const std::string& path);

// Makes a network run on the provider at `path`. Requires that it is available. Throws Ort::Exception.
void AppendPlugin(const std::string& path, Ort::SessionOptions* target);

}  // namespace telltale
