// ONNX Runtime's process-wide environment and its execution providers.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>

#include "inference/ort_session.h"

namespace telltale {

// The one environment of the process, made at the first call and never freed. Sessions of several Node
// environments share it, and freeing it while the process ends would race with their threads. Thread-safe.
Ort::Env& OrtEnvironment();

// Adds the providers that `options.device` needs to `target`. Throws Ort::Exception where one does not load.
void AppendProviders(const SessionOptions& options, Ort::SessionOptions* target);

// What an error of ONNX Runtime tells, less its place in the library's sources and the ends of its lines.
std::string CauseOf(const std::string& what);

}  // namespace telltale
