// Names of the error codes, as JavaScript sees them.
#include "base/status.h"

namespace telltale {

const char* StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kUnsupportedFormat:
      return "unsupported_format";
    case StatusCode::kImageCorrupt:
      return "image_corrupt";
    case StatusCode::kImageTooManyPixels:
      return "image_too_many_pixels";
    case StatusCode::kOverloaded:
      return "overloaded";
    case StatusCode::kDeadlineExceeded:
      return "deadline_exceeded";
    case StatusCode::kCancelled:
      return "cancelled";
    case StatusCode::kDeviceUnavailable:
      return "device_unavailable";
    case StatusCode::kModelInvalid:
      return "model_invalid";
    case StatusCode::kInternalError:
      return "internal_error";
  }
  return "internal_error";
}

}  // namespace telltale
