//! Attempts to use rights and devices of the machine.

use super::Language::{Python, Shell};
use super::{Attempt, harmful};

pub(super) const ALL: &[Attempt] = &[
    harmful(
        "a mount",
        Shell,
        "mkdir -p m; mount -t tmpfs none m 2>/dev/null && echo ESCAPED; mount --bind / m 2>/dev/null && echo ESCAPED",
    ),
    harmful(
        "a writable mount of the system",
        Shell,
        "mount -o remount,rw,bind /usr 2>/dev/null && echo ESCAPED; mount -o remount,rw / 2>/dev/null && echo ESCAPED",
    ),
    harmful(
        "an unmount of a cover",
        Shell,
        "umount -l \"$AROUND\" 2>/dev/null; umount -l \"$AROUND/user\" 2>/dev/null; umount -l /tmp 2>/dev/null; grep -qrs 'ghp_[t]oken' \"$AROUND/store\" \"$AROUND/user\" && echo ESCAPED",
    ),
    harmful(
        "an unmount of a cover with rights of its own",
        Shell,
        "unshare -Urm sh -c 'umount -l \"$AROUND\"; umount -l \"$AROUND/user\"; umount -l /tmp; umount -l /proc; \
         grep -qrs \"ghp_[t]oken\" \"$AROUND/store\" \"$AROUND/user\" && echo ESCAPED' 2>/dev/null",
    ),
    harmful(
        "a writable mount with rights of its own",
        Shell,
        "unshare -Urm sh -c 'mount -o remount,rw,bind /usr && touch /usr/written && echo ESCAPED' 2>/dev/null",
    ),
    harmful(
        "the processes of the machine with rights of its own",
        Shell,
        "unshare -Urmpf sh -c 'mount -t proc proc /proc; cat /proc/$RALPH/cmdline | grep -aq contain && echo ESCAPED' 2>/dev/null",
    ),
    harmful(
        "another root",
        Python,
        "attempt(lambda: os.chroot('/') or True)\nattempt(lambda: libc.pivot_root(b'/', b'/') == 0)",
    ),
    harmful(
        "a device",
        Shell,
        "mknod disk b 8 0 2>/dev/null && echo ESCAPED; mknod mem c 1 1 2>/dev/null && echo ESCAPED",
    ),
    harmful(
        "devices of the machine",
        Shell,
        "ls -d /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kmem /dev/kmsg /dev/kvm /dev/fuse /dev/net/tun /dev/loop* 2>/dev/null | grep . && echo ESCAPED",
    ),
    // Everybody may watch the pressure on a machine, which is done by opening files of that name for writing.
    harmful(
        "settings of the kernel",
        Shell,
        "for one in $(find /proc -maxdepth 3 -path '/proc/[0-9]*' -prune -o -type f -perm -200 -print 2>/dev/null | grep -v '^/proc/\\(self\\|thread-self\\|pressure\\)/') /proc/sys/kernel/core_pattern; do (true >> \"$one\") 2>/dev/null && echo ESCAPED $one; done",
    ),
    harmful(
        "settings of devices",
        Shell,
        "for one in /sys/power/state /sys/kernel/uevent_helper /sys/block/*/queue/scheduler /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do (true >> \"$one\") 2>/dev/null && echo ESCAPED $one; done",
    ),
    harmful(
        "a control group",
        Shell,
        "for one in /sys/fs/cgroup /sys/fs/cgroup/*/; do mkdir \"$one/escape\" 2>/dev/null && rmdir \"$one/escape\" && echo ESCAPED; done",
    ),
    harmful("the host name", Shell, "hostname escaped 2>/dev/null && echo ESCAPED"),
    harmful(
        "capabilities",
        Shell,
        "grep -E 'Cap(Eff|Prm|Bnd|Amb)' /proc/self/status | grep -v '0000000000000000' && echo ESCAPED",
    ),
    harmful(
        "new rights by a program",
        Shell,
        "grep -E 'NoNewPrivs:[[:space:]]*0' /proc/self/status && echo ESCAPED",
    ),
    harmful(
        "another user",
        Python,
        "attempt(lambda: os.setuid(12345) or True)\nattempt(lambda: os.setgroups([0, 42]) or True)",
    ),
    harmful(
        "the clock",
        Python,
        "import time\nattempt(lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()) or True)",
    ),
    harmful(
        "a kernel module",
        Python,
        "attempt(lambda: libc.syscall(175, b'', 0, b'') == 0)\nattempt(lambda: libc.syscall(169, 0xfee1dead, 672274793, 0, 0) == 0)",
    ),
    harmful(
        "a file by its handle",
        Python,
        "handle = ctypes.create_string_buffer(struct.pack('IiQ', 8, 1, 2) + bytes(112))\nattempt(lambda: libc.open_by_handle_at(os.open('.', os.O_RDONLY), handle, os.O_RDONLY) >= 0)",
    ),
    harmful(
        "raw memory of a disk",
        Shell,
        "dd if=/dev/root of=/dev/null count=1 2>/dev/null && echo ESCAPED; dd if=/proc/kcore of=/dev/null count=1 2>/dev/null && echo ESCAPED",
    ),
];
