// Status codes are spelled as src/base/error-codes.ts spells them.
#include "base/status.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace telltale {
namespace {

TEST(StatusTest, CodesOfTheServiceAreInItsRegistry) {
  std::ifstream file(TELLTALE_SOURCE_DIR "/src/base/error-codes.ts");
  ASSERT_TRUE(file.good());
  std::stringstream registry;
  registry << file.rdbuf();
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
