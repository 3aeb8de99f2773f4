#!/bin/bash
# Packs everything that the engine needs on a machine with an NVIDIA GPU and no network, in parts of at most 60 MB.
#
#   bench/gpu/pack.sh OUT [OPTIONS]                 on this machine, after `npm run setup`: writes OUT/telltale-gpu.NNN and OUT/unpack.sh
#   OUT/unpack.sh FOLDER                            on the GPU machine: joins and verifies the parts, unpacks into FOLDER
#   FOLDER/telltale check --device cuda IMAGE       on the GPU machine: runs Telltale with the packed Node and libraries
#   FOLDER/bench.sh --only gpu --files IMAGES       on the GPU machine: runs the bench; IMAGES is an absolute path
#   FOLDER/compare.sh IMAGES OUT                    on the GPU machine: compares speed and scores of the packed variants in ten minutes
#
#   --bare             leaves out CUDA, cuDNN, Node and JavaScript, for a machine that has them: packs ONNX Runtime's GPU build, the addon, its libraries
#                      and the models; FOLDER is a checkout of the same commit after `npm run build`
#   --tensorrt FOLDER  adds TensorRT from FOLDER: libnvinfer.so.10 and its libraries, in the release that ONNX Runtime requires (PyPI has no such wheels)
#   --fused FOLDER     adds a variant with the output of `python -m encoder.regraph --fused` instead of models/encoder
#   --before ADDON     adds a variant with the addon of an earlier commit
#
# ONNX Runtime's GPU build and its versions of CUDA and cuDNN are installed from PyPI. Only the shared libraries in their wheels are packed.
set -euo pipefail

usage() { sed -n '2,17p' "$0"; exit 2; }
[[ $# -ge 1 && $1 != -* ]] || usage
target=$1 bare='' tensorrt='' fused='' before=''
shift
while [[ $# -gt 0 ]]; do
  case $1 in
    --bare) bare=1; shift; continue ;;
    --tensorrt | --fused | --before) [[ -e ${2:-} ]] || usage ;;
    *) usage ;;
  esac
  printf -v "${1#--}" %s "$(realpath "$2")"
  shift 2
done
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$target"
out=$(cd "$target" && pwd)
work=$(mktemp -d "$out/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The addon requires the release that it was linked with.
release=$(node -p "require('$root/node_modules/onnxruntime-node/package.json').version")
python3 -m pip download --quiet --only-binary=:all: --python-version 3.12 --implementation cp \
  --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
  --dest "$work/wheels" ${bare:+--no-deps} "onnxruntime-gpu[cuda,cudnn]==$release"

pack=$work/telltale
mkdir -p "$pack/lib" "$pack/bin"
for wheel in "$work"/wheels/*.whl; do
  # unzip's status 11 is accepted: the wheel has no file that matches a pattern, such as numpy's.
  unzip -qjo "$wheel" 'onnxruntime/capi/libonnxruntime*' 'nvidia/*/lib/*.so*' -d "$pack/lib" 2>/dev/null || [[ $? == 11 ]]
  rm -f "$wheel"
done
if [[ -n $tensorrt ]]; then cp -L "$tensorrt"/libnvinfer*.so.* "$tensorrt"/libnvonnxparser*.so.* "$pack/lib/"; fi
# The addon loads the library by this name.
(cd "$pack/lib" && ln -sf libonnxruntime.so.1.* libonnxruntime.so.1)

# Other libraries that the addon links, except the C library, which the machine has.
ldd "$root/build/Release/telltale.node" | awk '$3 ~ /^\// { print $3 }' |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libonnxruntime|ld-linux[^/]*)\.so' | xargs -I{} cp -Ln {} "$pack/lib/"
cp -r "$root/models" "$pack/"
rm -rf "$pack/models/training"
if [[ -z $bare ]]; then
  cp -L "$(command -v node)" "$pack/bin/node"
  cp -r "$root"/{package.json,tsconfig.json,dist,samples,trust,plans.json,bench,src,node_modules} "$pack/"
  # Files of the tests and the console that the bench reads.
  mkdir -p "$pack/test" "$pack/console" && cp -r "$root/test/support" "$pack/test/" && cp -r "$root/console/src" "$pack/console/"
  rm -rf "$pack"/bench/.[!.]*
  # The CPU build would be found first, so the bench's baselines use the GPU build instead.
  find "$pack/node_modules/onnxruntime-node/bin" -name 'libonnxruntime*' -delete
fi
mkdir -p "$pack/build/Release" && cp "$root/build/Release/telltale.node" "$pack/build/Release/"
if [[ -n $fused ]]; then
  mkdir -p "$pack/variants/fused/models" && cp -r "$fused" "$pack/variants/fused/models/encoder"
  for other in "$pack"/models/*; do
    name=$(basename "$other")
    [[ $name == encoder ]] || ln -s "../../../models/$name" "$pack/variants/fused/models/$name"
  done
fi
if [[ -n $before ]]; then mkdir -p "$pack/variants/before" && cp "$before" "$pack/variants/before/telltale.node"; fi
cp "$root/bench/gpu/compare.sh" "$pack/"
start() {
  cat > "$pack/$1" <<START
#!/bin/bash
here=\$(cd "\$(dirname "\$0")" && pwd)
export PATH="\$here/bin:\$PATH" LD_LIBRARY_PATH="\$here/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
$2
START
  chmod +x "$pack/$1"
}
start telltale 'exec node "$here/dist/cli/main.js" "$@"'
# tsx is resolved from the current folder, so --files and --out must be absolute paths.
start bench.sh 'cd "$here" && exec node --import tsx bench/main.ts "$@"'
rm -f "$out"/telltale-gpu.*
tar -C "$work" -cf - telltale | gzip -1 | split -d -a 3 -b 60000000 - "$out/telltale-gpu."
(cd "$out" && sha256sum telltale-gpu.* > telltale-gpu.sums)
cat > "$out/unpack.sh" <<'UNPACK'
#!/bin/bash
# Joins and verifies the parts in its own folder and unpacks them into FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
(cd "$here" && sha256sum --quiet -c telltale-gpu.sums)
cat "$here"/telltale-gpu.[0-9]* | tar -C "$1" --strip-components=1 -xzf -
UNPACK
chmod +x "$out/unpack.sh"
du -ch "$out"/telltale-gpu.[0-9]* | tail -1
ls "$out" | grep -c '^telltale-gpu\.[0-9]'
