#!/usr/bin/env bash
# Builds @u4/opencv4nodejs against Debian's OpenCV into bench/peers/opencv/, for the peer on it: some minutes of all cores.
# Needs what the project's set-up has installed. The package's own scripts would build an OpenCV of their own.
set -euo pipefail
mkdir -p "$(dirname "$0")/opencv/lib"
cd "$(dirname "$0")/opencv"
# These parts are all that the peer needs; the others would take as long again to compile.
for part in core imgproc imgcodecs; do
  ln -sf "/usr/lib/$(gcc -print-multiarch)/libopencv_$part.so" lib/
done
export OPENCV4NODEJS_DISABLE_AUTOBUILD=1 OPENCV_INCLUDE_DIR=/usr/include/opencv4 OPENCV_LIB_DIR="$PWD/lib" OPENCV_BIN_DIR=/usr/bin
[ -f package.json ] || echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund @u4/opencv4nodejs@7.1.2
# Node's own headers where the installation has them; node-gyp fetches them elsewhere.
prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
headers=()
[ -f "$prefix/include/node/node.h" ] && headers=(--nodedir "$prefix")
cd node_modules/@u4/opencv4nodejs
../../.bin/node-gyp rebuild --jobs max "${headers[@]}"
