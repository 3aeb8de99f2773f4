// JavaScript values to plain structs: JS thread only.
#pragma once

#include <napi.h>

#include <memory>

#include "base/cancellation.h"
#include "engine/engine.h"

namespace telltale {

// The shapes are those of src/engine/native/binding.ts, which hands over complete and valid values. A wrong
// type here is a fault of the project and throws a JavaScript TypeError.
EngineConfig ReadConfig(const Napi::Object& value);
Annotation ReadAnnotation(const Napi::Object& value);
// A cancellation that expires `value` milliseconds from now; null: never. `is_background`: a boolean.
std::shared_ptr<Cancellation> ReadCancellation(const Napi::Value& value, const Napi::Value& is_background);
// The bytes of a Uint8Array, valid while JavaScript holds it and does not detach it.
Bytes ReadBytes(const Napi::Uint8Array& value);

}  // namespace telltale
