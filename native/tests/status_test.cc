// Tests that error codes have the same names as in src/library/base/error-codes.ts.
#include "base/status.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace telltale {
namespace {

TEST(StatusTest, CodesOfTheServiceAreInItsRegistry) {
  std::stringstream registry;
  // The second file has the error codes that occur only at the start of the service.
  for (const char* path : {"/src/library/base/error-codes.ts", "/src/library/base/errors.ts"}) {
    std::ifstream file(std::string(TELLTALE_SOURCE_DIR) + path);
    ASSERT_TRUE(file.good());
    registry << file.rdbuf();
  }
  for (const StatusCode code :
       {StatusCode::kUnsupportedFormat, StatusCode::kImageCorrupt, StatusCode::kImageTooManyPixels,
        StatusCode::kOverloaded, StatusCode::kDeadlineExceeded, StatusCode::kDeviceUnavailable,
        StatusCode::kModelInvalid, StatusCode::kInternalError}) {
    EXPECT_NE(registry.str().find(StatusCodeName(code)), std::string::npos) << StatusCodeName(code);
  }
}

TEST(ResultTest, HoldsAValueOrTheReasonWhyNot) {
  Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 7);
  Result<int> bad = Status(StatusCode::kImageCorrupt, "ends early");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().code(), StatusCode::kImageCorrupt);
}

}  // namespace
}  // namespace telltale
