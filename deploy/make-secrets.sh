#!/bin/sh
# Makes what compose.yaml reads from ./secrets; keeps what is there. Containers run as other users, so the files can be read by
# all, and the folder only by its owner.
set -eu
mkdir -p "$(dirname "$0")/secrets"
cd "$(dirname "$0")/secrets"
chmod 700 .

make() {
  [ -s "$1" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > "$1"
}

for name in database_password darkroom_secret bucket_key bucket_secret metrics_token grafana_password; do make "$name"; done
printf 'postgres://darkroom:%s@database:5432/darkroom' "$(cat database_password)" > database_url
chmod 644 ./*
