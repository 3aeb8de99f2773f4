// JavaScript values to plain structs and back: JS thread only.
#pragma once

#include <napi.h>

#include <memory>

#include "base/status.h"
#include "base/ticket.h"
#include "engine/engine.h"
#include "image/sniff.h"
#include "metadata/metadata.h"

namespace telltale {

// The shapes are those of src/engine/binding.ts, which hands over complete and valid values: a wrong type
// here is a fault of the project and throws a JavaScript TypeError.
EngineConfig ReadConfig(const Napi::Object& value);
Annotation ReadAnnotation(const Napi::Object& value);
// A ticket that expires `value` milliseconds from now; null: never.
std::shared_ptr<Ticket> ReadTicket(const Napi::Value& value);
// The bytes of a Uint8Array, valid while JavaScript holds it and does not detach it.
Bytes ReadBytes(const Napi::Uint8Array& value);

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
