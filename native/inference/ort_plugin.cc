// Registering a provider's library with ONNX Runtime once, and remembering the devices that it offers.
#include "inference/ort_plugin.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "inference/ort_providers.h"

namespace telltale {
namespace {

// Pointer to ONNX Runtime's OrtEpDevice, which the installed headers may not declare.
using EpDevice = const void*;

// Functions for provider libraries in ONNX Runtime's C API since 1.22, after SetEpDynamicOptions. Their order
// never changes. They are declared here because Linux distributions have older headers.
struct PluginApi {
  void* others[16];
  OrtStatus*(ORT_API_CALL* register_library)(OrtEnv*, const char* name, const char* path);
  void* unregister_library;
  OrtStatus*(ORT_API_CALL* get_devices)(const OrtEnv*, const EpDevice** devices, size_t* count);
  OrtStatus*(ORT_API_CALL* append)(OrtSessionOptions*, OrtEnv*, const EpDevice* devices, size_t count,
                                   const char* const* keys, const char* const* values, size_t options);
};

constexpr uint32_t kFirstRelease = 22;

// Returns ONNX Runtime's functions for provider libraries, or null before release 1.22.
const PluginApi* FindPluginApi() {
  const auto* api = reinterpret_cast<const char*>(OrtGetApiBase()->GetApi(kFirstRelease));
  if (api == nullptr) return nullptr;
  return reinterpret_cast<const PluginApi*>(api + offsetof(OrtApi, SetEpDynamicOptions) + sizeof(void*));
}

struct Plugin {
  std::string why_unavailable;
  std::vector<EpDevice> devices;  // devices of one provider
};

std::vector<EpDevice> ListDevices(const PluginApi& api) {
  const EpDevice* devices = nullptr;
  size_t count = 0;
  Ort::ThrowOnError(api.get_devices(OrtEnvironment(), &devices, &count));
  return {devices, devices + count};
}

Plugin Register(const std::string& path) {
  const PluginApi* api = FindPluginApi();
  if (api == nullptr) return {"ONNX Runtime " + OnnxRuntimeVersion() + " loads no provider's library", {}};
  if (!std::filesystem::is_regular_file(path)) return {path + " is not a file", {}};
  try {
    const std::vector<EpDevice> before = ListDevices(*api);
    Ort::ThrowOnError(api->register_library(OrtEnvironment(), path.c_str(), path.c_str()));
    Plugin plugin;
    for (const EpDevice device : ListDevices(*api))
      if (std::find(before.begin(), before.end(), device) == before.end()) plugin.devices.push_back(device);
    if (plugin.devices.empty()) {
      plugin.why_unavailable = path + " finds no device that it runs on";
      if (!std::filesystem::exists("/sys/class/drm"))
        plugin.why_unavailable +=
            "; ONNX Runtime looks for devices in /sys/class/drm, which this machine lacks";
    }
    return plugin;
  } catch (const Ort::Exception& error) {
    return {path + " does not load as an execution provider: " + CauseOf(error.what()), {}};
  }
}

// Registers the library with this path when it is first requested. Never unregisters it, because ONNX
// Runtime's environment is never freed.
const Plugin& PluginOf(const std::string& path) {
  static std::mutex mutex;
  static auto* const plugins = new std::map<std::string, Plugin>;
  const std::lock_guard lock(mutex);
  const auto found = plugins->find(path);
  return found != plugins->end() ? found->second : plugins->emplace(path, Register(path)).first->second;
}

}  // namespace

std::string WhyPluginUnavailable(const std::string& path) { return PluginOf(path).why_unavailable; }

void AppendPlugin(const std::string& path, Ort::SessionOptions* target) {
  // Only the first device is used, because one run needs one device.
  Ort::ThrowOnError(FindPluginApi()->append(*target, OrtEnvironment(), PluginOf(path).devices.data(), 1,
                                            nullptr, nullptr, 0));
}

}  // namespace telltale
