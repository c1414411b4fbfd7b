#!/bin/bash
# An S3 server on one machine, of Ceph: one monitor, one disk (a file, or memory), one gateway. For
# trying things out, and for tests; what it holds is there once. Ends when the gateway does.
#
#   DATA        folder for all of it; one that has been used goes on where it was
#   LISTEN      where the gateway listens, such as 0.0.0.0:7480
#   MONITOR     where the monitor listens (127.0.0.1:3300)
#   DISK        bluestore: a file in DATA; memstore: memory
#   CREDENTIALS   a file of the one user's, as S3's clients have it (aws_access_key_id = …)
set -euo pipefail

: "${MONITOR:=127.0.0.1:3300}" "${DISK:=bluestore}"
access_key=$(sed -n 's/^aws_access_key_id *= *//p' "$CREDENTIALS")
secret_key=$(sed -n 's/^aws_secret_access_key *= *//p' "$CREDENTIALS")
conf=$DATA/ceph.conf
first_time=false
[ -f "$DATA/complete" ] || first_time=true

# Where it fails on its way, what it has started goes with it.
trap 'kill $(jobs -p) 2> /dev/null' EXIT

if $first_time; then
    rm -rf "${DATA:?}"/*
    mkdir -p "$DATA/mon" "$DATA/osd" "$DATA/run"
    cluster=$(cat /proc/sys/kernel/random/uuid)
    cat > "$conf" <<END
[global]
fsid = $cluster
mon_host = v2:$MONITOR
mon_initial_members = a
keyring = $DATA/keyring
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_tcp_nodelay = true
run_dir = $DATA/run
admin_socket = $DATA/run/\$name.\$pid.asok
log_file = $DATA/\$name.log
pid_file =
crash_dir = $DATA
mon_data = $DATA/mon
mon_data_avail_crit = 1
mon_data_avail_warn = 1
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
osd_data = $DATA/osd
osd_objectstore = $DISK
memstore_device_bytes = 2147483648
bluestore_block_size = 53687091200
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
rgw_frontends = beast endpoint=$LISTEN tcp_nodelay=1
rgw_thread_pool_size = 64
END
    ceph-authtool -C "$DATA/keyring" --gen-key -n mon. --cap mon 'allow *'
    for name in client.admin osd.0; do
        ceph-authtool "$DATA/keyring" --gen-key -n $name \
            --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
    done
    monmaptool --create --fsid "$cluster" --addv a "[v2:$MONITOR]" "$DATA/monmap"
    ceph-mon -c "$conf" --mkfs -i a --monmap "$DATA/monmap" --keyring "$DATA/keyring"
fi

ceph-mon -c "$conf" -i a -f &
if $first_time; then
    disk=$(cat /proc/sys/kernel/random/uuid)
    ceph -c "$conf" --connect-timeout 60 osd new "$disk"
    ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$disk"
fi
ceph-osd -c "$conf" -i 0 -f &
if $first_time; then
    radosgw-admin -c "$conf" user create --uid tta --display-name tta \
        --access-key "$access_key" --secret-key "$secret_key" > /dev/null
    touch "$DATA/complete"
fi
exec radosgw -c "$conf" -n client.admin -f
