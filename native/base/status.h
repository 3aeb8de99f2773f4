// Status and Result<T>: how every native function says that it failed, and why.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace telltale {

// Spelled like the error codes of src/library/base/error-codes.ts; StatusCodeName gives that spelling.
enum class StatusCode {
  kOk,
  kUnsupportedFormat,
  kImageCorrupt,
  kImageTooManyPixels,
  kOverloaded,
  kDeadlineExceeded,
  kCancelled,
  kDeviceUnavailable,
  kModelInvalid,
  kInternalError,
};

// The code as JavaScript sees it, such as "image_corrupt". The pointer is to static storage.
const char* StatusCodeName(StatusCode code);

// Short enough for std::string to hold without memory of its own.
constexpr char kOutOfMemory[] = "out of memory";

// The outcome of a call: kOk, or a code and one sentence for the caller of the service (no paths).
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// Either a T or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status&& status() && { return std::move(status_); }
  // Only where ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace telltale
