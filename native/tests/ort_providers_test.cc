// Tests of the messages about unavailable execution providers.
#include "inference/ort_providers.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "inference/device.h"

namespace telltale {
namespace {

TEST(OrtProvidersTest, AnErrorIsToldWithoutItsPlaceInTheSources) {
  // A message that release 1.30 returns on a machine without TensorRT.
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

TEST(OrtProvidersTest, ALibraryThatHoldsNoProviderIsSaidToBeNone) {
  const auto why = [](const char* path) { return WhyUnavailable(Device::kTensorRt, path); };
  EXPECT_EQ(why("/no/such.so"), "/no/such.so is not a file");
  const std::string none = " does not load as an execution provider: ";
  const std::string text = TELLTALE_SOURCE_DIR "/CMakeLists.txt";
  EXPECT_EQ(why(text.c_str()).rfind(text + none, 0), 0U) << why(text.c_str());
  // ONNX Runtime itself is a library without a provider's functions.
  Dl_info runtime;
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&OrtGetApiBase), &runtime), 0);
  EXPECT_EQ(why(runtime.dli_fname).rfind(runtime.dli_fname + none, 0), 0U) << why(runtime.dli_fname);
  // The library's path is ignored for CUDA, because it replaces only the TensorRT provider.
  EXPECT_EQ(WhyUnavailable(Device::kCuda, "/no/such.so").find("/no/such.so"), std::string::npos);
}

}  // namespace
}  // namespace telltale
