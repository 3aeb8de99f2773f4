// The models of the project, or of TELLTALE_MODELS_DIR, as an engine's configuration.
#pragma once

#include "engine/engine_config.h"

namespace telltale {

// Read by src/library/engine/manifests/manifest.ts, as the product does. On the CPU, two threads. Ends the program
// where they can't be read.
EngineConfig RealModels();

}  // namespace telltale
