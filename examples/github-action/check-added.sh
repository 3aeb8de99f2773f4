#!/usr/bin/env bash
# The images that were added or changed since the commit $BASE are checked by the command $TELLTALE (default: telltale);
# the text of a comment goes to the step's output `comment` and to its summary. It fails only if the check can't run.
set -euo pipefail
read -ra telltale <<<"${TELLTALE:-telltale}"
results=$(mktemp)
trap 'rm -f "$results"' EXIT

pictures=()
while IFS= read -r -d '' file; do
  # A link leads wherever its author liked.
  if [ -f "$file" ] && [ ! -L "$file" ]; then pictures+=("$file"); fi
done < <(git diff --name-only -z --diff-filter=AMR "$BASE...HEAD" -- \
  ':(icase)*.jpg' ':(icase)*.jpeg' ':(icase)*.png' ':(icase)*.webp' ':(icase)*.avif' \
  ':(icase)*.gif' ':(icase)*.bmp' ':(icase)*.tif' ':(icase)*.tiff')

if [ ${#pictures[@]} -gt 0 ]; then
  # Status 1 means that an image was refused, which the comment says; any other is a fault.
  status=0
  "${telltale[@]}" check --jsonl -- "${pictures[@]}" >"$results" || status=$?
  if [ "$status" -gt 1 ] || [ ! -s "$results" ]; then exit 1; fi
fi
comment=$(node "$(dirname "$0")/comment.mjs" <"$results")
# A line that nobody can guess ends the text, so that no file's name can.
mark=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
printf 'comment<<%s\n%s\n%s\n' "$mark" "$comment" "$mark" >>"$GITHUB_OUTPUT"
printf '%s\n' "$comment" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
