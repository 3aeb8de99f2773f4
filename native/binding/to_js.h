// Plain structs to JavaScript values: JS thread only.
#pragma once

#include <napi.h>

#include <vector>

#include "base/status.h"
#include "engine/engine.h"
#include "image/sniff.h"
#include "metadata/metadata.h"

namespace telltale {

Napi::Value ToJs(Napi::Env env, const SniffedImage& image);
Napi::Value ToJs(Napi::Env env, const std::vector<MetadataText>& texts);
Napi::Value ToJs(Napi::Env env, const Inspection& inspection);
Napi::Value ToJs(Napi::Env env, const PixelMarks& marks);
Napi::Value ToJs(Napi::Env env, const Preview& preview);
Napi::Value ToJs(Napi::Env env, const EngineStats& stats);
// A Node Buffer that takes the vector over.
Napi::Value ToJs(Napi::Env env, std::vector<uint8_t> bytes);
// An Error whose member `code` is the status code's spelling.
Napi::Error ToJsError(Napi::Env env, const Status& status);

}  // namespace telltale
