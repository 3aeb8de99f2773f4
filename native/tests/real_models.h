// The project's models as an engine configuration. TELLTALE_MODELS_DIR replaces them by other models.
#pragma once

#include "engine/engine_config.h"

namespace telltale {

// Reads the models' manifests through src/library/engine/manifests/manifest.ts, as the product does. Uses the
// CPU and two threads. Ends the test program if the manifests cannot be read.
EngineConfig RealModels();

}  // namespace telltale
