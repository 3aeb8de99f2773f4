#!/usr/bin/env bash
# Runs the README's commands in a new Debian root file system with only the packages git, nodejs and npm, and prints the
# seconds of each. Requires root and mmdebstrap. Uses this machine's apt and npm settings, certificates and proxies.
# Usage: bash scripts/try-fresh.sh [bookworm|trixie]...
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/..")
[ $# -gt 0 ] || set -- bookworm trixie
made=$(mktemp -d "${TMPDIR:-/tmp}/telltale-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$made"' EXIT
mirror=$(find /etc/apt/sources.list /etc/apt/sources.list.d -type f -exec \
  sed -nE 's#^(URIs:|deb( \[[^]]*\])?) *([a-z]+://[^ ]*/debian)/?( .*)?$#\3#p' {} + 2>/dev/null | head -n 1) || true
mirror=${mirror:-http://deb.debian.org/debian}
network=()
for name in NODE_EXTRA_CA_CERTS http_proxy https_proxy no_proxy; do
  [ -z "${!name:-}" ] || network+=("$name=${!name}")
done

# inside HOME COMMAND: runs a shell command in the new root as the owner of HOME. Ends all its processes afterwards.
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev"
    exec chroot --userspec="$(basename "$1")" "$0" env -i HOME="$1" PATH=/usr/bin:/bin:/usr/sbin:/sbin "${@:3}" bash -c "cd && $2"
  ' "$root" "$@" "${network[@]}"
}

# try TITLE HOME LINES STATUS COMMAND: runs COMMAND. Prints the last LINES of its output, and its seconds. STATUS is the
# expected exit status.
try() {
  local start=$SECONDS status=0
  inside "$2" "$5" >"$made/output" 2>&1 || status=$?
  grep -v 'set-up: still' "$made/output" | tail -n "$3" | sed 's/^/    /'
  local judgement='as expected'
  if [ "$status" != "$4" ]; then judgement="expected $4" failed=1; fi
  echo "  $1: exit status $status ($judgement) after $((SECONDS - start)) s"
}

clone='git clone -q -c advice.detachedHead=false /telltale.bundle telltale && cd telltale'
check='TELLTALE_TRUST_DIR=samples/trust npm run check -- samples/'
install='export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install -y git nodejs npm'
start='cd telltale; TELLTALE_PORT=0 npm start >start.log 2>&1 &
  until url=$(grep -oP "serves on \Khttp\S+" start.log); do kill -0 $! || { tail start.log; exit 1; }; sleep 0.2; done
  node -e "fetch(process.argv[1] + \"/readyz\").then(async (answer) => {
    console.log(answer.status, await answer.text()); process.exit(answer.ok ? 0 : 1); })" "$url"'
failed=0
for suite; do
  root=$made/$suite
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror"
  echo "Debian $(cat "$root/etc/debian_version") ($suite)"
  cp /etc/resolv.conf "$root/etc/"
  cp --remove-destination /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  git -C "$checkout" bundle create --quiet "$root/telltale.bundle" HEAD
  inside /root 'useradd --create-home --shell /bin/bash visitor'
  for home in root home/visitor; do [ ! -f ~/.npmrc ] || install -m 644 ~/.npmrc "$root/$home/"; done
  try 'apt-get install git nodejs npm' /root 2 0 "$install && node --version && npm --version"
  try 'the first command by a user without sudo' /home/visitor 1 1 "$clone && $check"
  # The exit status is 1, because one sample is refused.
  try 'the first command by root' /root 60 1 "$clone && $check"
  try 'the same again' /root 1 1 "cd telltale && $check"
  try 'npm start, until it is ready' /root 1 0 "$start"
  rm -rf --one-file-system "$root"
done
exit "$failed"
