#!/usr/bin/env bash
# Installs the packages of `npm pack --ignore-scripts=false` in container images with only Node (default: Debian 12 and
# 13). Requires telltale-engine's tarball in the same folder. Prints the seconds of each installation. Fails unless each
# installation checks the samples with the same results as this checkout.
# Usage: bash scripts/try-package.sh telltale-VERSION.tgz [IMAGE...]
set -euo pipefail
package=$(realpath "$1")
library=$(dirname "$package")/telltale-engine-${package##*/telltale-}
shift
root=$(realpath "$(dirname "$0")/..")
engine=${CONTAINER_ENGINE:-$(command -v docker || command -v podman)} || { echo 'neither docker nor podman is installed' >&2; exit 1; }
[ $# -gt 0 ] || set -- docker.io/library/node:22-bookworm-slim docker.io/library/node:22-trixie-slim
# Options of the container engine, such as `--volume` for a registry's certificates.
read -ra options <<<"${CONTAINER_OPTIONS:-}"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# The exit status is 1, because one sample is refused.
check='check --json samples || [ $? = 1 ]'
verdicts() { sed -E 's/"(id|latency_ms)": ("[^"]*"|[0-9.]+)/"\1": 0/g'; }
(cd "$root" && eval "TELLTALE_TRUST_DIR=samples/trust node dist/cli/main.js $check") | verdicts >"$made/expected"
for image; do
  start=$(date +%s%N)
  name=telltale-package-$$
  "$engine" run --name "$name" --volume "$package:/telltale.tgz:ro" --volume "$library:/telltale-engine.tgz:ro" "${options[@]}" "$image" sh -c \
    'mkdir /app && cd /app && npm install --ignore-scripts --no-audit --no-fund --loglevel=error /telltale-engine.tgz /telltale.tgz' >&2
  echo "$image: installed in $((($(date +%s%N) - start) / 1000000000)) s"
  "$engine" commit --quiet "$name" "$name" >/dev/null
  "$engine" rm "$name" >/dev/null
  "$engine" run --rm --network=none --volume "$root/samples:/app/samples:ro" --env TELLTALE_TRUST_DIR=samples/trust \
    --workdir /app "$name" sh -c "npx telltale $check" | verdicts >"$made/found"
  "$engine" rmi "$name" >/dev/null
  diff "$made/expected" "$made/found"
  echo "$image: the samples as here"
done
