#!/usr/bin/env bash
# Builds the libFuzzer targets of native/fuzz with clang and its sanitizers, and runs one of them for SECONDS (default: 600).
# Usage: bash scripts/fuzz.sh sniff | decode | metadata | visible_marks | watermark [SECONDS]
# Keeps the corpus in build-fuzz/corpus/ and failing inputs in build-fuzz/found/.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?"the target is missing: see the usage at the top of this script"}
cmake -S . -B build-fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
  -DTELLTALE_FUZZERS=ON -DTELLTALE_SANITIZE=address,undefined,fuzzer-no-link >/dev/null
cmake --build build-fuzz --parallel "$(nproc)" --target "fuzz_$target" -- -s
mkdir -p "build-fuzz/corpus/$target" "build-fuzz/found/$target"
export LSAN_OPTIONS="suppressions=$PWD/native/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=print_stacktrace=1
"build-fuzz/fuzz_$target" -max_total_time="${2:-600}" -max_len=65536 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
  -artifact_prefix="build-fuzz/found/$target/" "build-fuzz/corpus/$target" test/fixtures/images/*/
