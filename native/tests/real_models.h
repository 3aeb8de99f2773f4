// The models of the project, or of TELLTALE_MODELS_DIR, as an engine configuration.
#pragma once

#include "engine/engine_config.h"

namespace telltale {

// Reads the manifests through src/library/engine/manifests/manifest.ts, as the product does. Uses the CPU and
// two threads. Ends the test program if the manifests cannot be read.
EngineConfig RealModels();

}  // namespace telltale
