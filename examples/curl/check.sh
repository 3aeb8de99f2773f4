#!/usr/bin/env bash
# Checks one image with curl: prints the service's answer; exit status 0 no AI detected, 1 AI detected, 2 no verdict.
#   TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... bash examples/curl/check.sh photo.jpg
set -euo pipefail
picture=$1

# One Idempotency-Key for all attempts: an image is charged once, however often it is sent. --retry waits as Retry-After
# says, after 429 and 503 too. The key is read from standard input, because others see the arguments of a program.
key=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
answer=$(printf 'header = "Authorization: Bearer %s"\n' "$TELLTALE_KEY" |
  curl --silent --show-error --config - --retry 4 --max-time 60 \
    --header "Idempotency-Key: $key" --form "file=@\"$picture\"" "$TELLTALE_URL/v1/check") || exit 2
printf '%s\n' "$answer"
case $answer in
  '{"error":'*) exit 2 ;;
  *'"is_ai":true'*) exit 1 ;;
  *'"is_ai":false'*) exit 0 ;;
  *) exit 2 ;;
esac
