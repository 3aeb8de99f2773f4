#!/bin/bash
# Packs all that the engine needs on a machine with an NVIDIA GPU and no network, in parcels of at most 60 MB.
#
#   bench/gpu/pack.sh OUT [OPTIONS]                 here, after `npm run setup`: writes OUT/telltale-gpu.NNN and OUT/unpack.sh
#   OUT/unpack.sh FOLDER                            there: joins the parcels, checks them, unpacks into FOLDER
#   FOLDER/telltale check --device cuda IMAGE       there: a command of Telltale with the packed Node and libraries
#   FOLDER/bench.sh --only gpu --files IMAGES       there: the bench; IMAGES is an absolute path
#   FOLDER/compare.sh IMAGES OUT                    there: ten minutes, bench and scores of what is packed and of its variants
#
#   --bare             without CUDA, cuDNN, Node and JavaScript, which are there already: ONNX Runtime's GPU build, the addon and its libraries,
#                      and the models alone; FOLDER is a checkout of the same commit after `npm run build`
#   --tensorrt FOLDER  also TensorRT, for which PyPI has no wheels: libnvinfer.so.10 and what belongs to it, of the release that ONNX Runtime names
#   --fused FOLDER     a variant: what `python -m encoder.regraph --fused` wrote, in place of models/encoder
#   --before ADDON     a variant: the addon of an earlier commit
#
# From PyPI come ONNX Runtime's GPU build and the CUDA and cuDNN that it asks for; of their wheels only shared libraries are packed.
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

# The addon takes no other release than the one that it was linked with.
release=$(node -p "require('$root/node_modules/onnxruntime-node/package.json').version")
python3 -m pip download --quiet --only-binary=:all: --python-version 3.12 --implementation cp \
  --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
  --dest "$work/wheels" ${bare:+--no-deps} "onnxruntime-gpu[cuda,cudnn]==$release"

pack=$work/telltale
mkdir -p "$pack/lib" "$pack/bin"
for wheel in "$work"/wheels/*.whl; do
  # 11: it holds none of one pattern, as that of numpy of either.
  unzip -qjo "$wheel" 'onnxruntime/capi/libonnxruntime*' 'nvidia/*/lib/*.so*' -d "$pack/lib" 2>/dev/null || [[ $? == 11 ]]
  rm -f "$wheel"
done
if [[ -n $tensorrt ]]; then cp -L "$tensorrt"/libnvinfer*.so.* "$tensorrt"/libnvonnxparser*.so.* "$pack/lib/"; fi
# The addon asks for the library by this name.
(cd "$pack/lib" && ln -sf libonnxruntime.so.1.* libonnxruntime.so.1)

# What the addon links beside them, but the C library, which the machine has.
ldd "$root/build/Release/telltale.node" | awk '$3 ~ /^\// { print $3 }' |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libonnxruntime|ld-linux[^/]*)\.so' | xargs -I{} cp -Ln {} "$pack/lib/"
cp -r "$root/models" "$pack/"
rm -rf "$pack/models/training"
if [[ -z $bare ]]; then
  cp -L "$(command -v node)" "$pack/bin/node"
  cp -r "$root"/{package.json,tsconfig.json,dist,samples,trust,plans.json,bench,src,node_modules} "$pack/"
  # What the bench reads of the tests and the console.
  mkdir -p "$pack/test" "$pack/console" && cp -r "$root/test/support" "$pack/test/" && cp -r "$root/console/src" "$pack/console/"
  rm -rf "$pack"/bench/.[!.]*
  # The CPU's library would be found first; the bench's baselines do with the GPU build.
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
# tsx is looked for from the folder that a program is started in: --files and --out are absolute paths.
start bench.sh 'cd "$here" && exec node --import tsx bench/main.ts "$@"'
rm -f "$out"/telltale-gpu.*
tar -C "$work" -cf - telltale | gzip -1 | split -d -a 3 -b 60000000 - "$out/telltale-gpu."
(cd "$out" && sha256sum telltale-gpu.* > telltale-gpu.sums)
cat > "$out/unpack.sh" <<'UNPACK'
#!/bin/bash
# Joins the parcels beside it, checks them, and unpacks them into FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
(cd "$here" && sha256sum --quiet -c telltale-gpu.sums)
cat "$here"/telltale-gpu.[0-9]* | tar -C "$1" --strip-components=1 -xzf -
UNPACK
chmod +x "$out/unpack.sh"
du -ch "$out"/telltale-gpu.[0-9]* | tail -1
ls "$out" | grep -c '^telltale-gpu\.[0-9]'
