#!/usr/bin/env bash
# Mutation testing: builds and runs the native tests with each patch of native/tests/mutants, and reports the patches
# that no test detects. Run by hand, not in CI.
# Usage: bash scripts/native-mutants.sh [NAME...]   NAME: name of a patch (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
patches=("$@")
if [ $# -eq 0 ]; then for file in native/tests/mutants/*.patch; do patches+=("$(basename "$file" .patch)"); done; fi
applied=""
restore() { if [ -n "$applied" ]; then git apply -R "$applied"; fi; applied=""; }
trap restore EXIT

cmake -S . -B build-mutants -DCMAKE_BUILD_TYPE=Release -DTELLTALE_TESTS=ON -DCMAKE_RULE_MESSAGES=OFF >/dev/null
build() { cmake --build build-mutants --target telltale_tests --parallel "$(nproc)" -- -s; }
build
build-mutants/telltale_tests --gtest_brief=1 || { echo "the tests fail without a mutant"; exit 1; }
survivors=0
for name in "${patches[@]}"; do
  git apply "native/tests/mutants/$name.patch"
  applied="native/tests/mutants/$name.patch"
  if ! build; then
    echo "does not build $name"
    survivors=$((survivors + 1))
  elif build-mutants/telltale_tests --gtest_brief=1 --gtest_fail_fast >/dev/null 2>&1; then
    echo "NOT NOTICED $name"
    survivors=$((survivors + 1))
  else
    echo "noticed     $name"
  fi
  restore
done
exit $((survivors > 0))
