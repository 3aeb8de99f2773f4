#!/usr/bin/env bash
# Runs the README's commands in a new Debian root file system with only the packages git, nodejs and npm, and prints the
# seconds of each. Requires root and mmdebstrap. Uses this machine's apt and npm settings, certificates and proxies.
# Usage: bash scripts/try-fresh.sh [bookworm|trixie]...
set -euo pipefail
. "$(dirname "$0")/debian-root.sh"
[ $# -gt 0 ] || set -- bookworm trixie

# try TITLE HOME LINES STATUS COMMAND: runs COMMAND. Prints the last LINES of its output, and its seconds. STATUS is the
# expected exit status.
try() {
  local start=$SECONDS status=0
  inside "$root" "$2" "$5" >"$made/output" 2>&1 || status=$?
  grep -v 'set-up: still' "$made/output" | tail -n "$3" | sed 's/^/    /'
  local judgement='as expected'
  if [ "$status" != "$4" ]; then judgement="expected $4" failed=1; fi
  echo "  $1: exit status $status ($judgement) after $((SECONDS - start)) s"
}

check='TELLTALE_TRUST_DIR=samples/trust npm run check -- samples/'
start='cd telltale; TELLTALE_PORT=0 npm start >start.log 2>&1 &
  until url=$(grep -oP "serves on \Khttp\S+" start.log); do kill -0 $! || { tail start.log; exit 1; }; sleep 0.2; done
  node -e "fetch(process.argv[1] + \"/readyz\").then(async (answer) => {
    console.log(answer.status, await answer.text()); process.exit(answer.ok ? 0 : 1); })" "$url"'
failed=0
for suite; do
  root=$made/$suite
  make_root "$suite" "$root"
  inside "$root" /root 'useradd --create-home --shell /bin/bash visitor'
  [ ! -f ~/.npmrc ] || install -m 644 ~/.npmrc "$root/home/visitor/"
  try 'apt-get install git nodejs npm' /root 2 0 "$install && node --version && npm --version"
  try 'the first command by a user without sudo' /home/visitor 1 1 "$clone && $check"
  # The exit status is 1, because one sample is refused.
  try 'the first command by root' /root 60 1 "$clone && $check"
  try 'the same again' /root 1 1 "cd telltale && $check"
  try 'npm start, until it is ready' /root 1 0 "$start"
  rm -rf --one-file-system "$root"
done
exit "$failed"
