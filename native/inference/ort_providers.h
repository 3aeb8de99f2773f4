// ONNX Runtime's environment for the whole process, and its providers, which run networks on a device.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>

#include "inference/ort_session.h"

namespace telltale {

// Returns the process's only ONNX Runtime environment, created when first requested and never freed: several
// Node environments share it, and their threads may still run when the process exits. Thread-safe.
Ort::Env& OrtEnvironment();

// Makes a network run on `options.device`, by adding the providers for it to `target`. Throws Ort::Exception
// if a provider does not load.
void AppendProviders(const SessionOptions& options, Ort::SessionOptions* target);

// Removes the source location and line breaks from an error message of ONNX Runtime.
std::string CauseOf(const std::string& what);

}  // namespace telltale
