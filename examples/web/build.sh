#!/usr/bin/env bash
# Builds the examples for a browser into examples/web/dist, which any static server can serve.
#
# usage: examples/web/build.sh [--fast] [--size]
#   --fast   builds quickly what is large and slow, for tests
#   --size   builds the to-do list alone with and without Pling, too, and says what that weighs
#
# Needs the wasm32 target (asks rustup for it) and wasm-bindgen of the version in Cargo.lock (built once and kept in
# PLING_TOOLS, by default the user's cache). PLING_AGENT_BASE_URL and PLING_AGENT_MODEL are built in where they are set.
set -euo pipefail
cd "$(dirname "$0")"

profile=web size=
for option in "$@"; do
    case $option in
        --fast) profile=web-test ;;
        --size) size=1 ;;
        *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' build.sh >&2; exit 2 ;;
    esac
done

target=wasm32-unknown-unknown
[ -d "$(rustc --print target-libdir --target $target)" ] || rustup target add $target

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' ../../Cargo.lock)
bindgen=$(command -v wasm-bindgen || true)
if [ "$("${bindgen:-false}" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
    tools=${PLING_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/pling/tools}/wasm-bindgen-$version
    bindgen=$tools/bin/wasm-bindgen
    # It runs for a second: optimizing it would take longer than it saves.
    [ -x "$bindgen" ] || CARGO_TARGET_DIR="$tools/target" cargo install wasm-bindgen-cli --version "$version" \
        --bin wasm-bindgen --root "$tools" --config profile.release.opt-level=1 --config profile.release.codegen-units=16
    rm -rf "$tools/target"
fi

# build FOLDER [FLAG…]
build() {
    local out=$1; shift
    cargo build -p web --locked --target $target --profile $profile "$@"
    rm -rf "$out"
    "$bindgen" --target web --no-typescript --remove-name-section --remove-producers-section --out-dir "$out" \
        "$built/$target/$profile/web.wasm"
}

# compressed FILE: bytes as servers send it.
compressed() {
    if command -v brotli >/dev/null; then brotli -c "$1" | wc -c
    else node -e 'process.stdout.write(String(require("zlib").brotliCompressSync(require("fs").readFileSync(process.argv[1])).length))' "$1"; fi
}

built=$(cargo metadata --format-version 1 --no-deps --offline | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
build dist
# Named by what is in it, so that no browser runs yesterday's program with today's script.
tag=$(sha256sum dist/web_bg.wasm | cut -c1-12)
script="<script type=\"module\">import run from './web.js?$tag'; run({ module_or_path: './web_bg.wasm?$tag' });</script>"
sed "s|<link data-trunk rel=\"rust\".*/>|$script|" index.html >dist/index.html
echo "examples/web/dist: $(wc -c <dist/web_bg.wasm) bytes of program, $(gzip -9c dist/web_bg.wasm | wc -c) by gzip"

if [ -n "$size" ]; then
    build "$built/web-todo" --no-default-features
    build "$built/web-plain" --no-default-features --features plain
    with=$(compressed "$built/web-todo/web_bg.wasm") without=$(compressed "$built/web-plain/web_bg.wasm")
    echo "the to-do list by brotli: $with bytes with Pling, $without without; Pling weighs $((with - without))"
fi
