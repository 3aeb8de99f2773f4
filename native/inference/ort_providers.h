// ONNX Runtime's process-wide environment and its execution providers.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>

#include "inference/ort_session.h"

namespace telltale {

// Returns the process's only environment, created at the first call and never freed. Sessions of several Node
// environments share it, and freeing it at process exit would race with their threads. Thread-safe.
Ort::Env& OrtEnvironment();

// Adds the providers that `options.device` needs to `target`. Throws Ort::Exception if a provider does not
// load.
void AppendProviders(const SessionOptions& options, Ort::SessionOptions* target);

// Returns an ONNX Runtime error message without its source location and line breaks.
std::string CauseOf(const std::string& what);

}  // namespace telltale
