#!/usr/bin/env bash
# Lints the chart with Helm and renders the manifests in kubernetes/ and keda/ from it. With --check, only compares them
# and fails if they differ.
set -euo pipefail
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
helm lint --strict --quiet chart
helm template telltale chart --output-dir "$made" >/dev/null
mv "$made/telltale/templates" "$made/kubernetes"
mkdir "$made/keda"
helm template telltale chart --set worker.keda=true --show-only templates/scaled-object.yaml \
  >"$made/keda/scaled-object.yaml"
for folder in kubernetes keda; do
  if [ "${1:-}" = --check ]; then
    diff -r "$folder" "$made/$folder"
  else
    rm -rf "$folder"
    cp -r "$made/$folder" "$folder"
  fi
done
