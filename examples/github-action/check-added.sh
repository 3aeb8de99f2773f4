#!/usr/bin/env bash
# Checks the images added or changed since the commit $BASE with the command $TELLTALE (default: telltale). Writes the
# text of a comment to the step's output `comment` and to its summary. Fails only if the check can't run.
set -euo pipefail
read -ra telltale <<<"${TELLTALE:-telltale}"
results=$(mktemp)
trap 'rm -f "$results"' EXIT

pictures=()
while IFS= read -r -d '' file; do
  # Skips symbolic links, because their author chooses the target.
  if [ -f "$file" ] && [ ! -L "$file" ]; then pictures+=("$file"); fi
done < <(git diff --name-only -z --diff-filter=AMR "$BASE...HEAD" -- \
  ':(icase)*.jpg' ':(icase)*.jpeg' ':(icase)*.png' ':(icase)*.webp' ':(icase)*.avif' \
  ':(icase)*.gif' ':(icase)*.bmp' ':(icase)*.tif' ':(icase)*.tiff')

if [ ${#pictures[@]} -gt 0 ]; then
  # Status 1 means that an image was refused, which the comment reports. Higher statuses are errors.
  status=0
  "${telltale[@]}" check --jsonl -- "${pictures[@]}" >"$results" || status=$?
  if [ "$status" -gt 1 ] || [ ! -s "$results" ]; then exit 1; fi
fi
comment=$(node "$(dirname "$0")/comment.mjs" <"$results")
# A random delimiter ends the text, so that a file name can't end it.
mark=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
printf 'comment<<%s\n%s\n%s\n' "$mark" "$comment" "$mark" >>"$GITHUB_OUTPUT"
printf '%s\n' "$comment" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
