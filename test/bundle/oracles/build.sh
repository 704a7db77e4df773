#!/bin/sh
# build.sh DIRECTORY: puts `convert` and `validate` there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
build() { # NAME MODULE VERSION
  work=$(mktemp -d)
  cp -R "$(go mod download -json "$2@$3" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/." "$work"
  chmod -R u+w "$work"
  mkdir -p "$work/cmd/portico-oracle"
  cp "$here/$1.go.txt" "$work/cmd/portico-oracle/main.go"
  (cd "$work" && go build -buildvcs=false -mod=mod -o "$out/$1" ./cmd/portico-oracle)
  rm -rf "$work"
}
build convert github.com/operator-framework/operator-controller v1.2.0
build validate github.com/operator-framework/operator-registry v1.60.0
