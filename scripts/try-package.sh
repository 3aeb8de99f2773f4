#!/usr/bin/env bash
# Installs the packages of `npm pack --ignore-scripts=false` where there is only Node: in images of Debian 12 and 13, or in
# those that are named. telltale-engine's tarball lies in the same folder. Prints the seconds of each installation, and fails unless all check the samples as this checkout
# does: bash scripts/try-package.sh telltale-VERSION.tgz [IMAGE...]
set -euo pipefail
package=$(realpath "$1")
library=$(dirname "$package")/telltale-engine-${package##*/telltale-}
shift
root=$(realpath "$(dirname "$0")/..")
engine=${CONTAINER_ENGINE:-$(command -v docker || command -v podman)} || { echo 'neither docker nor podman is installed' >&2; exit 1; }
[ $# -gt 0 ] || set -- docker.io/library/node:22-bookworm-slim docker.io/library/node:22-trixie-slim
# Options of the engine, such as `--volume` for a registry's certificates.
read -ra options <<<"${CONTAINER_OPTIONS:-}"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# One refused sample makes the status 1.
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
