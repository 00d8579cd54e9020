"""A sparse copy of a folder: the engine preallocates, and copying its holes would cost more than its content.

Only the extents that hold data are copied, inside the kernel where it can, so a file system that shares extents shares them.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path


def copy_sparse(source: Path, target: Path) -> None:
    """Copy the folder `source` to `target`, which must not exist: same names, sizes, bytes and holes."""
    target.mkdir()
    for path in sorted(source.rglob("*")):
        there = target / path.relative_to(source)
        if path.is_dir():
            there.mkdir()
        else:
            _copy_file(path, there)


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb", buffering=0) as reading, target.open("xb", buffering=0) as writing:
        size = os.fstat(reading.fileno()).st_size
        os.truncate(writing.fileno(), size)
        start = 0
        while start < size:
            try:
                start = os.lseek(reading.fileno(), start, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole is left
                    return
                raise
            end = os.lseek(reading.fileno(), start, os.SEEK_HOLE)
            _copy_extent(reading.fileno(), writing.fileno(), start, end)
            start = end


def _copy_extent(reading: int, writing: int, start: int, end: int) -> None:
    while start < end:
        try:
            done = os.copy_file_range(reading, writing, end - start, start, start)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL):
                raise
            done = os.pwrite(writing, os.pread(reading, min(end - start, 1 << 20), start), start)
        if done == 0:
            raise OSError(errno.EIO, "a file shrank while it was copied")
        start += done
