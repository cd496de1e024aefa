#!/usr/bin/env bash
# Makes plot.min.js of the page again, the same bytes each time: Observable Plot and what it needs of d3, in the versions
# of package-lock.json, and above them the notices that their licences ask for. Needs node and npm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
page=$here/../../src/ragaliq/report/html/page
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here"/{entry.js,licences.js,package.json,package-lock.json} "$folder"
cd "$folder"
npm ci --no-audit --no-fund --silent
node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=Plot --target=es2020 \
  --metafile=meta.json --outfile=bundle.js --log-level=warning
{ node licences.js && cat bundle.js; } > plot.min.js
cp plot.min.js "$page/plot.min.js"
sha256sum plot.min.js
