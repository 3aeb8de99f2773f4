// Status and Result<T>: error reporting for all native functions.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace telltale {

// Error codes of native functions. StatusCodeName returns the spelling of src/library/base/error-codes.ts.
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

// Returns the code's name in JavaScript, such as "image_corrupt". The string has static storage.
const char* StatusCodeName(StatusCode code);

// Message of out-of-memory errors. Short enough for std::string to store without allocating.
constexpr char kOutOfMemory[] = "out of memory";

// Result of a call: kOk, or an error code with a sentence that the service may send to its client. The
// sentence contains no file paths.
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

// Either a T or the Status that says why there is no T.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status&& status() && { return std::move(status_); }
  // Returns the value. Requires ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace telltale
