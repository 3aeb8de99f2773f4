// Includes libjpeg-turbo's headers, after the standard headers that they need but do not include.
#pragma once

// clang-format off: the order matters.
#include <jerror.h>
#include <jpeglib.h>

#include <cstddef>
#include <cstdio>
// clang-format on
