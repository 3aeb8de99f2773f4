// Reading JavaScript values into C++ structs.
#include "binding/from_js.h"

#include <chrono>

namespace telltale {

void FromJs(const Napi::Value& value, bool* out) { *out = value.As<Napi::Boolean>().Value(); }

void FromJs(const Napi::Value& value, std::string* out) { *out = value.As<Napi::String>().Utf8Value(); }

void FromJs(const Napi::Value& value, Device* out) {
  const auto name = FromJs<std::string>(value);
  for (const Device device : {Device::kCpu, Device::kCuda, Device::kTensorRt}) {
    if (name == DeviceName(device)) *out = device;
  }
}

void FromJs(const Napi::Value& value, Box* out) {
  const auto [x, y, width, height] = FromJs<std::array<int, 4>>(value);
  *out = {x, y, width, height};
}

void FromJs(const Napi::Value& value, Point* out) {
  const auto [x, y] = FromJs<std::array<double, 2>>(value);
  *out = {x, y};
}

void FromJs(const Napi::Value& value, std::vector<uint8_t>* out) {
  const Bytes bytes = ReadBytes(value.As<Napi::Uint8Array>());
  out->assign(bytes.begin(), bytes.end());
}

std::shared_ptr<Cancellation> ReadCancellation(const Napi::Object& job) {
  const Priority priority = FromJs<bool>(job, "isBackground") ? Priority::kBackground : Priority::kCaller;
  const auto left_ms = FromJs<std::optional<double>>(job, "deadlineMs");
  if (!left_ms) return std::make_shared<Cancellation>(TimePoint::max(), priority);
  return std::make_shared<Cancellation>(DeadlineAfter(std::chrono::steady_clock::now(), *left_ms), priority);
}

Bytes ReadBytes(const Napi::Uint8Array& value) { return {value.Data(), value.ByteLength()}; }

}  // namespace telltale
