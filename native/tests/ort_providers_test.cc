// What is said of an execution provider that is unavailable.
#include "inference/ort_providers.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(OrtProvidersTest, AnErrorIsToldWithoutItsPlaceInTheSources) {
  // As release 1.30 printed it on a machine without TensorRT.
  EXPECT_EQ(
      CauseOf("/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:1988 onnxruntime::Provider& "
              "onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library "
              "/lib/libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot open shared "
              "object file: No such file or directory\n"),
      "Failed to load library /lib/libonnxruntime_providers_tensorrt.so with error: libnvinfer.so.10: cannot "
      "open shared object file: No such file or directory");
  EXPECT_EQ(CauseOf("another error"), "another error");
  EXPECT_EQ(CauseOf("\n"), "");
}

}  // namespace
}  // namespace telltale
