#!/bin/sh
# Programs that are commands, against one host. usage: commands.sh PROGRAM HOST SIZE
set -eu
program=$1 base=https://$2 size=$3
ask="Authorization: Bearer $TOKEN"
cd /tmp
mkdir -p "$program-$2"
cd "$program-$2"

# Acknowledges each event, so that the next one comes.
read_events() {
  seen=
  while read -r line; do
    case $line in
      data:*) seen="$seen${line#data:}" && "$@" ;;
    esac
  done
  test "$seen" = " 0 1 2"
}

has_size() { grep -q "\"size\": $size," "$1"; }

case $program in
  curl)
    curl -sS --fail -H "$ask" "$base/" | grep -q "GET /" && echo fetch
    test "$(curl -sS --fail -H "$ask" "$base/big?$size" | wc -c)" = "$size" && echo download
    head -c "$size" /dev/zero > body
    curl -sS --fail -H "$ask" -H "Expect:" --data-binary @body "$base/up" > said && has_size said && echo upload
    curl -sSN --fail -H "$ask" "$base/stream" | read_events curl -sS -o /dev/null -H "$ask" "$base/ack" && echo events
    ;;
  wget)
    wget -qO- --header "$ask" "$base/" | grep -q "GET /" && echo fetch
    test "$(wget -qO- --header "$ask" "$base/big?$size" | wc -c)" = "$size" && echo download
    head -c "$size" /dev/zero > body
    wget -qO said --header "$ask" --post-file body "$base/up" && has_size said && echo upload
    wget -qO- --header "$ask" "$base/stream" | read_events wget -qO /dev/null --header "$ask" "$base/ack" && echo events
    ;;
  git)
    git clone -q "https://user:$TOKEN@$2/repository" clone && grep -q text clone/file && echo fetch
    ;;
  pip)
    python3 -m pip install -q --disable-pip-version-check --no-cache-dir --no-deps --target out --retries 0 \
      --index-url "$base/simple" demo && test -e out/demo.py && echo fetch
    ;;
  npm)
    export HOME="$PWD"
    npm install --silent --no-audit --no-fund --fetch-retries 0 --registry "$base/" --prefix "$PWD" demo &&
      test -e node_modules/demo/index.js && echo fetch
    ;;
  cargo)
    export CARGO_HOME="$PWD/home"
    mkdir src && touch src/lib.rs
    printf '[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\ndemo = {git = "%s/crate"}\n' "$base" > Cargo.toml
    cargo -q update && grep -q 'name = "demo"' Cargo.lock && echo fetch
    ;;
esac
