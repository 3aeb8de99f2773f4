# Finds ONNX Runtime and says which one it took:
#   1. ONNXRUNTIME_ROOT (variable or environment): a release with include/ and lib/, such as a GPU build.
#   2. The library of the onnxruntime-node package, with headers that Debian packages (1.21 and newer: the C API is
#      versioned, so older headers work against a newer library) or that scripts/setup.mjs unpacked into .setup/.
# Gives the target OnnxRuntime::OnnxRuntime.
set(ONNXRUNTIME_ROOT "$ENV{ONNXRUNTIME_ROOT}" CACHE PATH "A release of ONNX Runtime to use instead of the packaged one")

# Looked for anew each time: what an earlier configuration found may be another release.
unset(OnnxRuntime_INCLUDE_DIR CACHE)
unset(OnnxRuntime_LIBRARY CACHE)

if(ONNXRUNTIME_ROOT)
  find_path(OnnxRuntime_INCLUDE_DIR onnxruntime_cxx_api.h
    PATHS "${ONNXRUNTIME_ROOT}/include" PATH_SUFFIXES onnxruntime onnxruntime/core/session NO_DEFAULT_PATH)
  find_library(OnnxRuntime_LIBRARY NAMES onnxruntime libonnxruntime.so.1 PATHS "${ONNXRUNTIME_ROOT}/lib" NO_DEFAULT_PATH)
else()
  find_path(OnnxRuntime_INCLUDE_DIR onnxruntime_cxx_api.h
    PATHS "${CMAKE_SOURCE_DIR}/.setup/onnxruntime/usr/include" /usr/include PATH_SUFFIXES onnxruntime NO_DEFAULT_PATH)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(_arch arm64)
  else()
    set(_arch x64)
  endif()
  # In native/ where telltale itself is installed as a dependency.
  file(GLOB _candidates
    "${CMAKE_SOURCE_DIR}/node_modules/onnxruntime-node/bin/napi-v*/linux/${_arch}"
    "${CMAKE_SOURCE_DIR}/native/node_modules/onnxruntime-node/bin/napi-v*/linux/${_arch}")
  find_library(OnnxRuntime_LIBRARY NAMES libonnxruntime.so.1 onnxruntime PATHS ${_candidates} NO_DEFAULT_PATH)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OnnxRuntime REQUIRED_VARS OnnxRuntime_LIBRARY OnnxRuntime_INCLUDE_DIR)

if(OnnxRuntime_FOUND AND NOT TARGET OnnxRuntime::OnnxRuntime)
  message(STATUS "ONNX Runtime library: ${OnnxRuntime_LIBRARY}")
  message(STATUS "ONNX Runtime headers: ${OnnxRuntime_INCLUDE_DIR}")
  add_library(OnnxRuntime::OnnxRuntime SHARED IMPORTED)
  set_target_properties(OnnxRuntime::OnnxRuntime PROPERTIES
    IMPORTED_LOCATION "${OnnxRuntime_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OnnxRuntime_INCLUDE_DIR}")
endif()
mark_as_advanced(OnnxRuntime_INCLUDE_DIR OnnxRuntime_LIBRARY)
