"""Watch what a process asks of the kernel below one folder, and fail what the test wants to fail: no library is told.

The kernel's own notification of system calls (seccomp, since Linux 5.5) is used, so it makes no difference whether Python,
SQLite or an engine in another language writes. A process asks to be watched before it begins (`watched`) and hands the
listener to the one that watches (`Watch`). Writes to mapped memory are no calls and are not seen; what was written so is seen
when it is synced, because its content is read then.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_X86 = {
    "write": 1, "open": 2, "pwrite64": 18, "writev": 20, "msync": 26, "sendfile": 40, "fsync": 74, "fdatasync": 75,
    "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85, "link": 86, "unlink": 87, "symlink": 88,
    "openat": 257, "mkdirat": 258, "unlinkat": 263, "renameat": 264, "linkat": 265, "fallocate": 285, "pwritev": 296,
    "renameat2": 316, "seccomp": 317, "copy_file_range": 326, "pwritev2": 328,
}
_ARM = {
    "mkdirat": 34, "unlinkat": 35, "linkat": 37, "renameat": 38, "truncate": 45, "ftruncate": 46, "fallocate": 47, "openat": 56,
    "write": 64, "writev": 66, "pwrite64": 68, "pwritev": 70, "sendfile": 71, "fsync": 82, "fdatasync": 83, "msync": 227,
    "renameat2": 276, "seccomp": 277, "copy_file_range": 285, "pwritev2": 287,
}
_NUMBERS = {"x86_64": _X86, "aarch64": _ARM}[platform.machine()]
_NAMES = {number: name for name, number in _NUMBERS.items() if name != "seccomp"}

# call -> (what it does, index of the argument that is a descriptor, index of the argument that is a path, the one that is the
# folder the path is relative to). Of two paths the new one counts.
_CALLS: dict[str, tuple[str, int | None, int | None, int | None]] = {
    "write": ("write", 0, None, None), "pwrite64": ("write", 0, None, None), "writev": ("write", 0, None, None),
    "pwritev": ("write", 0, None, None), "pwritev2": ("write", 0, None, None), "sendfile": ("write", 0, None, None),
    "copy_file_range": ("write", 2, None, None), "fallocate": ("write", 0, None, None), "ftruncate": ("truncate", 0, None, None),
    "truncate": ("truncate", None, 0, None), "fsync": ("sync", 0, None, None), "fdatasync": ("sync", 0, None, None),
    "msync": ("sync", None, None, None), "open": ("open", None, 0, None), "creat": ("open", None, 0, None),
    "openat": ("open", None, 1, 0), "mkdir": ("mkdir", None, 0, None), "mkdirat": ("mkdir", None, 1, 0),
    "link": ("link", None, 1, None), "linkat": ("link", None, 3, 2), "symlink": ("link", None, 1, None),
    "rename": ("rename", None, 1, None), "renameat": ("rename", None, 3, 2), "renameat2": ("rename", None, 3, 2),
    "unlink": ("unlink", None, 0, None), "unlinkat": ("unlink", None, 1, 0), "rmdir": ("unlink", None, 0, None),
}
GROWING = frozenset({"write", "open", "mkdir", "link"})
"""What needs room on a disk."""

_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_GO_ON = 1
_AT_CWD = 0xFFFFFF9C


@dataclass(frozen=True, slots=True)
class Call:
    """One call below the watched folder. `what`: write, truncate, sync, open (to write), mkdir, link, rename, unlink; `path` is
    relative to the folder; `place` the file that is there, by device and inode (None: nothing is)."""

    number: int
    what: str
    path: str
    place: tuple[int, int] | None


def watched(hand_over: socket.socket) -> None:
    """Have every call of this process and its children that could change a file wait for the one that watches, from now on.
    Call it while there is one thread."""
    filters = [(_LOAD, 0, 0, 0)]
    opens = {"open": 1, "openat": 2}
    plain = [number for number, name in _NAMES.items() if name not in opens]
    checked = [(number, opens[name]) for number, name in _NAMES.items() if name in opens]
    for number in plain:
        filters += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _NOTIFY)]
    for number, argument in checked:
        filters += [
            (_EQUAL, 0, 3, number), (_LOAD, 0, 0, 16 + 8 * argument), (_ANY_BIT, 0, 1, _WRITING), (_RETURN, 0, 0, _NOTIFY),
            (_LOAD, 0, 0, 0),
        ]
    filters.append((_RETURN, 0, 0, _ALLOW))
    code = b"".join(struct.pack("<HBBI", *each) for each in filters)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("<HxxxxxxQ", len(filters), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    listener = libc.syscall(_NUMBERS["seccomp"], 1, 1 << 3, ctypes.create_string_buffer(program))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    socket.send_fds(hand_over, [b"."], [listener])
    os.close(listener)


class Watch:
    """What happens below `folder` in the processes that asked to be watched. `decide` is told each call before it is made, and
    returns 0 to let it be, or the errno that it fails with."""

    def __init__(self, folder: Path, decide: Callable[[Call], int]) -> None:
        self._folder = os.path.realpath(folder)
        self._decide = decide
        self._number = 0

    def until_the_end(self, hand_over: socket.socket) -> None:
        """Answer calls until no watched process is left."""
        message, (listener,), _, _ = socket.recv_fds(hand_over, 1, 1)
        assert message == b"."
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        try:
            while True:
                ((_, events),) = poll.poll()
                if not events & select.POLLIN:
                    return
                self._answer(listener)
        finally:
            os.close(listener)

    def _answer(self, listener: int) -> None:
        asked = bytearray(80)
        try:
            fcntl.ioctl(listener, _RECEIVE, asked)
        except OSError:  # killed meanwhile
            return
        id, pid, _, number, _, _, *arguments = struct.unpack("<QIIiIQ6Q", asked)
        what = _CALLS[_NAMES[number]][0]
        fails = self._judged(pid, _NAMES[number], arguments)
        # A sync that succeeds is answered without being made: who is told of it is what it is for here, and disks are slow.
        answer = struct.pack("<QqiI", id, 0, -(fails or 0), 0 if fails or (what == "sync" and fails is not None) else _GO_ON)
        with contextlib.suppress(OSError):
            fcntl.ioctl(listener, _SEND, answer)

    def _judged(self, pid: int, name: str, arguments: list[int]) -> int | None:
        """The errno, 0, or None for a call elsewhere."""
        what, descriptor, path, folder = _CALLS[name]
        try:
            if name == "msync":
                where = _mapped(pid, arguments[0])
            elif descriptor is not None:
                where = os.readlink(f"/proc/{pid}/fd/{arguments[descriptor]}")  # noqa: PTH115  # a Path would lose a slash
            else:
                assert path is not None
                where = _absolute(pid, _text(pid, arguments[path]), arguments[folder] if folder is not None else _AT_CWD)
        except OSError:
            return None
        where = os.path.join(os.path.realpath(os.path.dirname(where)), os.path.basename(where))  # noqa: PTH118, PTH119, PTH120
        if where != self._folder and not where.startswith(self._folder + "/"):
            return None
        self._number += 1
        return self._decide(Call(self._number, what, os.path.relpath(where, self._folder), _place(where)))


def _place(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _text(pid: int, address: int) -> str:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        text = b""
        while b"\0" not in text:  # a page at a time: the next one may not be there
            part = memory.read(4096 - (address + len(text)) % 4096)
            if not part:
                raise OSError(errno.EFAULT, "no text")
            text += part
    return os.fsdecode(text.partition(b"\0")[0])


def _absolute(pid: int, path: str, folder: int) -> str:
    if path.startswith("/"):
        return path
    below = "cwd" if folder & 0xFFFFFFFF == _AT_CWD else f"fd/{folder}"
    return os.path.join(os.readlink(f"/proc/{pid}/{below}"), path)  # noqa: PTH115, PTH118


def _mapped(pid: int, address: int) -> str:
    """The file that is mapped at an address."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        area, *_, path = line.split(maxsplit=5)
        start, _, end = area.partition("-")
        if int(start, 16) <= address < int(end, 16):
            return path
    raise OSError(errno.EFAULT, "not mapped")
