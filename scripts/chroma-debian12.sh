#!/bin/sh
# Runs Chroma's server from this repository's own dependency, also on Debian 12.
#
#   scripts/chroma-debian12.sh run --path DIR --port N   the server; this is what CHROMA_COMMAND wants
#   scripts/chroma-debian12.sh prepare                   only fetches what the server needs, prints the folder
#   CHROMA_COMMAND=/path/to/scripts/chroma-debian12.sh VECTOR_BACKEND=chroma pnpm --filter server start
#
# Chroma's Linux binary needs glibc 2.38 or newer; Debian 12 has 2.36. On such a system this fetches three
# libraries of Debian 13 (libc6, libstdc++6, libgcc-s1; 4 MB, and 10 MB of package lists) through apt into a
# private folder, and starts Node with them. Nothing of the system changes and root is not needed. apt checks
# the signatures against Debian's keyring. Where glibc is new enough it starts Chroma directly.
#
# Needs: apt, dpkg, flock (Debian has them), and a mirror: the one that the machine's own apt uses.
# Settings: KETTLE_CHROMA_RUNTIME  where the libraries go; default ${XDG_CACHE_HOME:-~/.cache}/kettle/chroma-runtime
#           KETTLE_CHROMA_CLI      Chroma's cli.mjs; default the one of packages/vector-store-chroma
set -eu

say() { echo "chroma-debian12: $*" >&2; }
fail() { say "$*"; exit 1; }

here=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
cli=${KETTLE_CHROMA_CLI:-$here/../packages/vector-store-chroma/node_modules/chromadb/dist/cli.mjs}
node=$(command -v node) || fail "node is not on the PATH"

glibc_is_new_enough() {
  [ "$(uname -s)" = Linux ] || return 0
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || fail "this system's C library is not glibc; Chroma's binary needs glibc"
  [ "$(printf '%s\n2.38\n' "${glibc#glibc }" | sort -V | head -n 1)" = 2.38 ]
}

case $(uname -m) in
  x86_64) triplet=x86_64-linux-gnu loader=ld-linux-x86-64.so.2 arch=amd64 ;;
  aarch64) triplet=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 arch=arm64 ;;
  *) triplet='' loader='' arch='' ;;
esac

runtime=${KETTLE_CHROMA_RUNTIME:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/kettle/chroma-runtime}/trixie-$arch
libraries=$runtime/root/usr/lib/$triplet

# The mirror of the machine's own apt configuration, whatever form that has.
mirror() {
  apt-get indextargets --no-release-info --format '$(CREATED_BY) $(RELEASE) $(REPO_URI)' |
    awk '$1 == "Packages" && $2 == "bookworm" { print $3; exit }'
}

# apt with its own sources, lists and cache, so that it touches nothing of the system's. The machine's
# apt.conf (proxies and the like) still applies.
private_apt() {
  apt-get --quiet --quiet \
    -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
    -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User= \
    -o Acquire::Languages=none -o Acquire::AllowInsecureRepositories=false \
    -o APT::Get::AllowUnauthenticated=false -o Acquire::Retries=3 -o Acquire::http::Timeout=30 "$@" >&2
}

fetch() {
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -r "$keyring" ] || fail "$keyring is missing; install the package debian-archive-keyring"
  mirror=$(mirror)
  [ -n "$mirror" ] || fail "apt's configuration names no mirror of Debian 12 (bookworm); on other systems with an old glibc use a newer system, a container, or CHROMA_URL"

  work=$(mktemp -d "$runtime.XXXXXX")
  trap 'rm -rf -- "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs" "$work/root"
  : >"$work/status"
  echo "deb [signed-by=$keyring] $mirror trixie main" >"$work/sources.list"

  say "fetching libc6, libstdc++6 and libgcc-s1 of Debian 13 into $runtime"
  private_apt --error-on=any update || fail "apt could not read Debian 13's package lists from $mirror (its message is above)"
  (cd "$work/debs" && private_apt download libc6 libstdc++6 libgcc-s1) || fail "apt could not download the libraries"
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done

  # Into place in one step: a half-filled folder never carries the final name.
  mkdir "$work/done" && mv "$work/root" "$work/done/root"
  rm -rf -- "$runtime"
  mv "$work/done" "$runtime"
  rm -rf -- "$work"
  trap - EXIT HUP INT TERM
}

prepare() {
  [ -x "$libraries/$loader" ] && return
  [ -n "$arch" ] || fail "Chroma has no binary for $(uname -m)"
  for tool in apt-get dpkg-deb flock; do
    command -v "$tool" >/dev/null || fail "$tool is missing; this script is for Debian 12"
  done
  mkdir -p "$(dirname "$runtime")"
  # Two starts at once: one fetches, the other waits for it.
  exec 9>"$runtime.lock"
  flock 9
  [ -x "$libraries/$loader" ] || fetch
  exec 9>&-
}

case ${1:-} in
  prepare)
    if glibc_is_new_enough; then say "nothing to fetch: this system runs Chroma as it is"; else prepare; echo "$libraries"; fi
    ;;
  '' | -h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0" ;;
  *)
    [ -f "$cli" ] || fail "$cli is missing; run pnpm install first"
    glibc_is_new_enough && exec "$node" "$cli" "$@"
    prepare
    exec "$libraries/$loader" --library-path "$libraries:/lib/$triplet:/usr/lib/$triplet" "$node" "$cli" "$@"
    ;;
esac
