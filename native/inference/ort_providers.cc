// Options for running networks with CUDA and TensorRT, and checks whether both are available.
#include "inference/ort_providers.h"

#include <stdlib.h>

#include <algorithm>
#include <map>

#include "inference/ort_plugin.h"

namespace telltale {
namespace {

using Options = std::map<std::string, std::string>;

struct Names {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  explicit Names(const Options& options) {
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
};

void AppendCuda(const SessionOptions& session, Ort::SessionOptions* target) {
  const Options options = {
      {"device_id", "0"},
      // Chooses cuDNN's algorithms by heuristics. The default measures each one for every new input size.
      {"cudnn_conv_algo_search", "HEURISTIC"},
      {"cudnn_conv_use_max_workspace", "1"},
      // Requests only the memory that is needed. The default doubles the memory each time.
      {"arena_extend_strategy", "kSameAsRequested"},
      {"enable_cuda_graph", session.fixed_batches ? "1" : "0"},
  };
  OrtCUDAProviderOptionsV2* raw = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreateCUDAProviderOptions(&raw));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, void (*)(OrtCUDAProviderOptionsV2*)> cuda(
      raw, Ort::GetApi().ReleaseCUDAProviderOptions);
  const Names names(options);
  Ort::ThrowOnError(Ort::GetApi().UpdateCUDAProviderOptions(raw, names.keys.data(), names.values.data(),
                                                            names.keys.size()));
  target->AppendExecutionProvider_CUDA_V2(*cuda);
}

std::string ProfileShape(const SessionOptions& options, int rows) {
  return "pixels:" + std::to_string(rows) + "x" + std::to_string(options.height) + "x" +
         std::to_string(options.width) + "x3";
}

void AppendTensorRt(const SessionOptions& session, Ort::SessionOptions* target) {
  Options options = {{"device_id", "0"}, {"trt_fp16_enable", "1"}};
  if (!session.batch_buckets.empty()) {
    options["trt_profile_min_shapes"] = ProfileShape(session, 1);
    options["trt_profile_opt_shapes"] =
        ProfileShape(session, session.batch_buckets[session.batch_buckets.size() / 2]);
    options["trt_profile_max_shapes"] = ProfileShape(session, session.batch_buckets.back());
  }
  if (!session.cache_dir.empty()) {
    options["trt_engine_cache_enable"] = "1";
    options["trt_engine_cache_path"] = session.cache_dir;
    options["trt_timing_cache_enable"] = "1";
    options["trt_timing_cache_path"] = session.cache_dir;
  }
  OrtTensorRTProviderOptionsV2* raw = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreateTensorRTProviderOptions(&raw));
  const std::unique_ptr<OrtTensorRTProviderOptionsV2, void (*)(OrtTensorRTProviderOptionsV2*)> tensorrt(
      raw, Ort::GetApi().ReleaseTensorRTProviderOptions);
  const Names names(options);
  Ort::ThrowOnError(Ort::GetApi().UpdateTensorRTProviderOptions(raw, names.keys.data(), names.values.data(),
                                                                names.keys.size()));
  target->AppendExecutionProvider_TensorRT_V2(*tensorrt);
}

const char* ProviderName(Device device) {
  return device == Device::kTensorRt ? "TensorrtExecutionProvider" : "CUDAExecutionProvider";
}

// Creates ONNX Runtime's environment with telemetry disabled. On Linux since 1.29, ONNX Runtime otherwise
// collects usage events, writes a device id and a database into the user's cache, and looks up its
// collector's host. No setting turns telemetry on, because no data of a check may leave the machine. The
// telemetry also searches the command line with a recursive regular expression, and a command line of 29 kB
// overflows its stack.
Ort::Env* CreateEnvironment() {
  setenv("ORT_DISABLE_TELEMETRY", "1", /*overwrite=*/1);
  // Turns ONNX Runtime's own messages off, because errors are returned as a Status.
  auto* const environment = new Ort::Env(ORT_LOGGING_LEVEL_FATAL, "telltale");
  environment->DisableTelemetryEvents();  // for builds that send events by other means
  return environment;
}

}  // namespace

Ort::Env& OrtEnvironment() {
  static Ort::Env* const environment = CreateEnvironment();
  return *environment;
}

void AppendProviders(const SessionOptions& options, Ort::SessionOptions* target) {
  if (options.device == Device::kTensorRt && !options.ep_library.empty())
    return AppendPlugin(options.ep_library, target);
  if (options.device == Device::kTensorRt) AppendTensorRt(options, target);
  // CUDA is also needed with TensorRT, which leaves unsupported operators to it.
  if (options.device != Device::kCpu) AppendCuda(options, target);
}

std::string OnnxRuntimeVersion() { return Ort::GetVersionString(); }

std::string CauseOf(const std::string& what) {
  static const std::string kMark = " : FAIL : ";
  const size_t mark = what.find(kMark);
  const std::string cause = mark == std::string::npos ? what : what.substr(mark + kMark.size());
  return cause.substr(0, cause.find_last_not_of(" \n") + 1);
}

std::string WhyProviderNotBuiltIn(Device device) {
  const std::vector<std::string> providers = Ort::GetAvailableProviders();
  if (std::find(providers.begin(), providers.end(), ProviderName(device)) != providers.end()) return "";
  return std::string("this build of ONNX Runtime has no ") + ProviderName(device);
}

std::string WhyProviderDoesNotLoad(Device device) {
  try {
    OrtEnvironment();
    SessionOptions options;
    options.device = device;
    Ort::SessionOptions target;
    AppendProviders(options, &target);
    return "";
  } catch (const std::exception& error) {
    return std::string(ProviderName(device)) + " does not load: " + CauseOf(error.what());
  }
}

}  // namespace telltale
