#!/bin/sh
# Gathers what a container's root needs so that Node runs in it: the program, the libraries it is
# linked with, certificates, and the names of two users.
set -eu

root=$1
node=$(command -v node)

mkdir -p "$root/usr/local/bin" "$root/etc/ssl/certs" "$root/var/lib/tta" "$root/tmp" \
    "$root/proc" "$root/dev" "$root/sys"
cp "$node" "$root/usr/local/bin/node"

# `ldd` prints a path a line, after an arrow or alone.
ldd "$node" | grep -oE '/[^ ]+' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done

# Loaded when a name is looked up; what is not there is built into the C library.
for library in libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
    found=$(ldconfig -p | grep -oE "/[^ ]*/$library\$" | head -n 1)
    if [ -n "$found" ]; then cp -L "$found" "$root$(dirname "$(ldd "$node" | grep -oE '/[^ ]+/libc\.so\.6')")/"; fi
done

# Node has certificates of its own; those of the machine, where there are any, are for NODE_EXTRA_CA_CERTS.
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi

printf 'root:x:0:0::/:/none\ntta:x:10001:10001::/var/lib/tta:/none\n' > "$root/etc/passwd"
printf 'root:x:0:\ntta:x:10001:\n' > "$root/etc/group"
printf 'hosts: files dns\n' > "$root/etc/nsswitch.conf"
chown 10001:10001 "$root/var/lib/tta"
chmod 1777 "$root/tmp"
