#!/usr/bin/env bash
# Checks one image with curl and prints the response. Exit status: 0 no AI detected, 1 AI detected
# or unclear, 2 no verdict.
#   TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... bash examples/curl/check.sh photo.jpg
set -euo pipefail
picture=$1
file=$(mktemp) || exit 2
trap 'rm -f "$file"' EXIT

# All attempts use one Idempotency-Key, so that an image is charged only once. --retry also covers 429 and 503 and waits
# as long as Retry-After says. The key comes from standard input, because other users can see a program's arguments.
# The response goes to a file, because curl empties a file before it retries. Standard output would collect the
# responses to all attempts.
key=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
printf 'header = "Authorization: Bearer %s"\n' "$TELLTALE_KEY" |
  curl --silent --show-error --config - --retry 4 --max-time 60 --output "$file" \
    --header "Idempotency-Key: $key" --form "file=@\"$picture\"" "$TELLTALE_URL/v1/check?include=assessment" || exit 2
answer=$(<"$file")
printf '%s\n' "$answer"
case $answer in
  '{"error":'*) exit 2 ;;
  *'"assessment":"no_ai_detected"'*) exit 0 ;;
  *'"assessment":'*) exit 1 ;;
  *) exit 2 ;;
esac
