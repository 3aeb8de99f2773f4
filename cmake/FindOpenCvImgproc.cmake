# The two OpenCV modules in use, core and imgproc -> target OpenCvImgproc::OpenCvImgproc.
# Not by OpenCV's own package file: Debian has that in libopencv-dev alone, which brings every module and what those need.
find_path(OpenCvImgproc_INCLUDE_DIR opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
find_library(OpenCvImgproc_IMGPROC_LIBRARY opencv_imgproc)
find_library(OpenCvImgproc_CORE_LIBRARY opencv_core)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCvImgproc
  REQUIRED_VARS OpenCvImgproc_IMGPROC_LIBRARY OpenCvImgproc_CORE_LIBRARY OpenCvImgproc_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian and Ubuntu: apt-get install libopencv-imgproc-dev")

if(OpenCvImgproc_FOUND AND NOT TARGET OpenCvImgproc::OpenCvImgproc)
  add_library(OpenCvImgproc::OpenCvImgproc INTERFACE IMPORTED)
  set_target_properties(OpenCvImgproc::OpenCvImgproc PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${OpenCvImgproc_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${OpenCvImgproc_IMGPROC_LIBRARY};${OpenCvImgproc_CORE_LIBRARY}")
endif()
