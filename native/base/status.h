// Status and Result<T>: error reporting for all native functions.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// Result of a call: kOk, or an error code with a message. There are two kinds of messages:
// - For refusals that callers of the service see, the message is a name such as "ends_early", with values
// such
//   as "jpeg". src/library/engine/native/refusals.ts makes a sentence of them.
// - For errors of the set-up and internal errors, the message is a sentence for operators, without values.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message, std::vector<std::string> values = {})
      : code_(code), message_(std::move(message)), values_(std::move(values)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& values() const { return values_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
  std::vector<std::string> values_;
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
