// Detecting NVIDIA GPUs, and the libraries that run networks on them.
#include "inference/device.h"

#include <dlfcn.h>

#include "inference/ort_plugin.h"
#include "inference/ort_session.h"

namespace telltale {
namespace {

// Returns why no GPU can be used. Asks the driver's own library, which every working driver has.
std::string WhyNoNvidiaDevice() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return "this machine has no NVIDIA driver (libcuda.so.1 does not load)";
  // The driver's library is never closed, because it keeps threads and handlers once initialised.
  auto* const init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto* const count_devices = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  if (init == nullptr || count_devices == nullptr)
    return "the NVIDIA driver is not sound (libcuda.so.1 lacks cuInit)";
  if (const int error = init(0); error != 0) {
    return "the NVIDIA driver does not start (cuInit gives error " + std::to_string(error) + ")";
  }
  int devices = 0;
  if (count_devices(&devices) != 0 || devices == 0) return "the NVIDIA driver finds no device";
  return "";
}

}  // namespace

const char* DeviceName(Device device) {
  switch (device) {
    case Device::kCpu:
      return "cpu";
    case Device::kCuda:
      return "cuda";
    case Device::kTensorRt:
      return "tensorrt";
  }
  return "cpu";
}

std::string WhyUnavailable(Device device, const std::string& ep_library) {
  if (device == Device::kCpu) return "";
  if (device == Device::kTensorRt && !ep_library.empty()) return WhyPluginUnavailable(ep_library);
  std::string why = WhyProviderNotBuiltIn(device);
  if (why.empty()) why = WhyNoNvidiaDevice();
  if (why.empty()) why = WhyProviderDoesNotLoad(device);
  return why;
}

}  // namespace telltale
