# Functions for trials in new Debian root file systems, for try-fresh.sh and try-arm64.sh. Requires root and mmdebstrap.
# Uses this machine's apt and npm settings, certificates and proxies. $made is a folder for the roots, deleted at the end.
checkout=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
made=$(mktemp -d "${TMPDIR:-/tmp}/telltale-root.XXXXXX")
trap 'rm -rf --one-file-system "$made"' EXIT
mirror=$(find /etc/apt/sources.list /etc/apt/sources.list.d -type f -exec \
  sed -nE 's#^(URIs:|deb( \[[^]]*\])?) *([a-z]+://[^ ]*/debian)/?( .*)?$#\3#p' {} + 2>/dev/null | head -n 1) || true
mirror=${mirror:-http://deb.debian.org/debian}
network=()
for name in NODE_EXTRA_CA_CERTS http_proxy https_proxy no_proxy; do
  [ -z "${!name:-}" ] || network+=("$name=${!name}")
done

# make_root SUITE ROOT OPTION...: makes a root with the network settings and a bundle of the checkout, and prints its version.
make_root() {
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "${@:3}" "$1" "$2" "$mirror"
  echo "Debian $(cat "$2/etc/debian_version") ($1)"
  cp /etc/resolv.conf "$2/etc/"
  cp --remove-destination /etc/ssl/certs/ca-certificates.crt "$2/etc/ssl/certs/"
  git -C "$checkout" bundle create --quiet "$2/telltale.bundle" HEAD
  [ ! -f ~/.npmrc ] || install -m 644 ~/.npmrc "$2/root/"
}

# inside ROOT HOME COMMAND: runs a shell command in a root as the owner of HOME. Ends all its processes afterwards.
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && { [ ! -d "$0/sys" ] || mount --rbind /sys "$0/sys"; }
    exec chroot --userspec="$(basename "$1")" "$0" env -i HOME="$1" PATH=/usr/bin:/bin:/usr/sbin:/sbin "${@:3}" bash -c "cd && $2"
  ' "$@" "${network[@]}"
}
clone='git clone -q -c advice.detachedHead=false /telltale.bundle telltale && cd telltale'
install='export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install -y git nodejs npm'
