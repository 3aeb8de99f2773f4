// The models of the project, or of TELLTALE_MODELS_DIR, as an engine's configuration.
#pragma once

#include "engine/engine_config.h"

namespace telltale {

// Reads the manifests without checking them: src/engine/manifests/manifest.ts does that for the product. On
// the CPU, two threads. Ends the test program where a manifest can't be read.
EngineConfig RealModels();

}  // namespace telltale
