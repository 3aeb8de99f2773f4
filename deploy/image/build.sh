#!/usr/bin/env bash
# Builds the image `telltale` and prints its size. Uses $CONTAINER_ENGINE, or else Docker if installed, or else Podman.
# Passes options to the builder, such as `--build-arg BASE=...`.
set -euo pipefail
cd "$(dirname "$0")/../.."
engine=${CONTAINER_ENGINE:-$(command -v docker || command -v podman)} || { echo 'neither docker nor podman is installed' >&2; exit 1; }
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
revision=$(git rev-parse HEAD 2>/dev/null || true)
# Podman's default image format doesn't support health checks.
export BUILDAH_FORMAT=docker
"$engine" build --file deploy/Dockerfile --tag telltale --tag "telltale:$version" \
  --build-arg VERSION="$version" --build-arg REVISION="$revision" "$@" .
bytes=$("$engine" image inspect --format '{{.Size}}' telltale)
echo "telltale:$version has $((bytes / 1000000)) MB"
