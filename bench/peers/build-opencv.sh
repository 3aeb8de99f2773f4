#!/usr/bin/env bash
# Builds @u4/opencv4nodejs against Debian's OpenCV into bench/peers/opencv/, for the peer on it: some minutes of all cores.
# Needs what the project's set-up has installed. The package's own scripts would build an OpenCV of their own.
set -euo pipefail
mkdir -p "$(dirname "$0")/opencv"
cd "$(dirname "$0")/opencv"
# All of Debian's OpenCV: parts that are left out are called all the same by what is compiled.
export OPENCV4NODEJS_DISABLE_AUTOBUILD=1 OPENCV_INCLUDE_DIR=/usr/include/opencv4 OPENCV_BIN_DIR=/usr/bin
OPENCV_LIB_DIR="/usr/lib/$(gcc -print-multiarch)"
export OPENCV_LIB_DIR
[ -f package.json ] || echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund @u4/opencv4nodejs@7.1.2
# Node's own headers where the installation has them; node-gyp fetches them elsewhere.
prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
headers=()
[ -f "$prefix/include/node/node.h" ] && headers=(--nodedir "$prefix")
cd node_modules/@u4/opencv4nodejs
../../.bin/node-gyp rebuild --jobs max "${headers[@]}"
