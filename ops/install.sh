#!/bin/sh
# Installs cardform from a release: from a folder, or from the https address of one.
set -eu

usage="install.sh --from FOLDER_OR_ADDRESS [--public-key FILE] [--to FOLDER]"
fail() {
  echo "error: $1" >&2
  exit 1
}

from='' public_key='' to=/usr/local/bin
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "usage: $usage"
  case "$1" in
    --from) from=${2%/} ;;
    --public-key) public_key=$2 ;;
    --to) to=${2%/} ;;
    *) fail "usage: $usage" ;;
  esac
  shift 2
done
[ -n "$from" ] || fail "usage: $usage"
[ "$(uname -s)" = Linux ] || fail "cardform runs on Linux, and this is $(uname -s)"
machine=$(uname -m)
[ -d "$to" ] || fail "there is no folder $to: make it, or name another one with --to"
[ -w "$to" ] || fail "$to cannot be written: run this as root, or name another folder with --to"

work=$(mktemp -d)
new=''
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
trap 'exit 1' HUP INT TERM

# Copies a file of the release.
get() {
  case "$from" in
    https://*)
      command -v curl >/dev/null || fail "curl is missing: install it, or download the release and name its folder"
      curl --proto =https --fail --silent --location --output "$work/$1" "$from/$1" || fail "$from has no $1"
      ;;
    *://*) fail "$from is neither a folder nor an https address" ;;
    *) cp "$from/$1" "$work/$1" 2>/dev/null || fail "$from has no $1" ;;
  esac
}

get SHA256SUMS
if [ -n "$public_key" ]; then
  [ -f "$public_key" ] || fail "there is no key $public_key"
  command -v minisign >/dev/null || fail "minisign is missing, which checks the signature: apt-get install minisign"
  get SHA256SUMS.minisig
  minisign -V -q -m "$work/SHA256SUMS" -p "$public_key" >/dev/null 2>&1 ||
    fail "SHA256SUMS.minisig is not this key's signature of SHA256SUMS"
else
  echo "the signature was not checked: --public-key names the key" >&2
fi

# The tarball's name and its sum. Only a plain name is taken.
file=$(sed -n "s/^[0-9a-f]\{64\}  \(cardform-[0-9a-z.+-]*-$machine-linux\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
[ -n "$file" ] || fail "this release has no cardform for $machine"
get "$file"
(cd "$work" && grep "  $file\$" SHA256SUMS | sha256sum -c) >/dev/null 2>&1 ||
  fail "$file differs from its sum in SHA256SUMS: download it again"
tar -xzf "$work/$file" -C "$work" 2>/dev/null || fail "$file cannot be unpacked"
folder=$work/${file%.tar.gz}

# A new file beside the old one, then one step from old to new.
new=$(mktemp "$to/.cardform.XXXXXX" 2>/dev/null) || fail "$to cannot be written: name another folder with --to"
{ cp "$folder/cardform" "$new" && chmod 755 "$new"; } 2>/dev/null || fail "$to/cardform cannot be written"
"$new" --version >/dev/null 2>&1 || fail "this cardform does not start here. $(grep '^Needs' "$folder/README.md")"
mv -f "$new" "$to/cardform" || fail "$to/cardform cannot be replaced"
new=''
echo "installed $to/cardform"
case ":$PATH:" in *":$to:"*) ;; *) echo "$to is not in PATH: add it" ;; esac
echo "next, in an empty folder: cardform init && cardform serve"
