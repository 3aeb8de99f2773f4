#!/bin/bash
# Compares the packed program and its variants on a GPU: runs the bench's closed loop with GPU utilisation, and compares scores.
# Takes about ten minutes. Part of the folder that bench/gpu/pack.sh packs.
#
#   FOLDER/compare.sh IMAGES OUT     IMAGES: a folder of images, some hundred; writes OUT/NAME/ (results.md, scores.jsonl, device.txt) and OUT/scores.md
set -uo pipefail
if [[ $# -lt 2 ]]; then sed -n '2,6p' "$0"; exit 2; fi
here=$(cd "$(dirname "$0")" && pwd) images=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
addon=$here/build/Release/telltale.node
export HERE=$here PATH="$here/bin:$PATH" LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
{ nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader; nproc; grep -m1 'model name' /proc/cpuinfo; } > "$out/machine.txt" 2>&1

# measure NAME DEVICE: writes the reason for the chosen device (device.txt) and the scores of every image, and on a GPU runs the bench.
measure() {
  mkdir -p "$out/$1"
  DEVICE=$2 timeout 60 node --input-type=module -e '
    const { createChecker } = await import(`${process.env.HERE}/dist/index.js`);
    const { DEVICE: device, TELLTALE_MODELS_DIR: modelsDir, TELLTALE_CUDA_GRAPHS: graphs } = process.env;
    const checker = await createChecker({ device, cudaGraphs: graphs === "1", ...(modelsDir && { modelsDir }) });
    console.log(checker.engine.stats().deviceReason);
    await checker.close();' 2>&1 | tee "$out/$1/device.txt"
  timeout 90 "$here/telltale" check --device "$2" --jsonl "$images" > "$out/$1/scores.jsonl" 2> "$out/$1/scores.log" ||
    echo "$1: not every image was scored, see $out/$1/scores.log"
  [[ $2 == cpu ]] || timeout 150 "$here/bench.sh" --only gpu --files "$images" --out "$out/$1" > "$out/$1/bench.log" 2>&1 ||
    echo "$1: the bench failed, see $out/$1/bench.log"
}

measure packed cuda
TELLTALE_CUDA_GRAPHS=1 measure graphs cuda
if [[ -d $here/variants/fused ]]; then
  TELLTALE_MODELS_DIR=$here/variants/fused/models measure fused cuda
  TELLTALE_MODELS_DIR=$here/variants/fused/models TELLTALE_CUDA_GRAPHS=1 measure fused-graphs cuda
fi
if [[ -f $here/variants/before/telltale.node ]]; then
  mv "$addon" "$addon.packed" && cp "$here/variants/before/telltale.node" "$addon"
  measure before cuda
  mv "$addon.packed" "$addon"
fi
measure int8 cpu

# Compares the scores of full images with the CPU's scores.
node -e '
  const { readFileSync } = require("node:fs");
  const [out, ...names] = process.argv.slice(1);
  const read = (name) => new Map(readFileSync(`${out}/${name}/scores.jsonl`, "utf8").split("\n").filter(Boolean)
    .map((line) => JSON.parse(line)).map((check) => [check.file, check.scores?.full_image_specialist]));
  const wanted = read("int8");
  console.log("| variant | images | mean | largest difference from int8 |\n|---|---|---|---|");
  for (const name of names) {
    const moved = [...read(name)].filter(([, score]) => score != null).map(([file, score]) => Math.abs(score - wanted.get(file)));
    const mean = moved.reduce((sum, by) => sum + by, 0) / moved.length;
    console.log(`| ${name} | ${moved.length} | ${mean.toFixed(4)} | ${Math.max(0, ...moved).toFixed(4)} |`);
  }' "$out" $(cd "$out" && for folder in */; do [[ -s $folder/scores.jsonl ]] && echo "${folder%/}"; done) | tee "$out/scores.md"
cat "$out/machine.txt"
