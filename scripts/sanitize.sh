#!/usr/bin/env bash
# Builds the native tests with AddressSanitizer and UndefinedBehaviorSanitizer and runs them.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake -S . -B build-asan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DTELLTALE_TESTS=ON -DTELLTALE_SANITIZE=address,undefined -DCMAKE_RULE_MESSAGES=OFF >/dev/null
cmake --build build-asan --parallel "$(nproc)" -- -s
# ONNX Runtime and OpenCV keep objects until the process ends, so only leaks of our own code are reported.
export LSAN_OPTIONS="suppressions=$PWD/native/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=print_stacktrace=1
node scripts/test.mjs --native-build build-asan
