"""Many step files as one: what makes a query over thousands of steps quick.

Opening a file costs more than reading a small one, so every `SPAN` finished steps are written again as one segment,
ordered by kind and step, in big row groups whose statistics let a query skip what it does not want. Step files stay:
they are the record, single steps are read from them, and a reader that still holds the old list of files goes on. A
segment is only a copy; deleting the folder loses nothing.

Steps whose files are large already (paper scale) are not compacted: there the file count is no burden.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from a1kit.store.files import write_whole
from a1kit.store.rows import KINDS, TABLE_SCHEMA, write_tables

SPAN = 64
"""Steps a segment."""

LARGE = 8 << 20
"""Bytes of an average step file from which on compaction does not pay."""


def segment_steps(path: Path) -> tuple[int, int]:
    """First and last step of a segment, from its name."""
    first, last = path.stem.split("-")
    return int(first), int(last)


def segment_files(folder: Path) -> list[Path]:
    """The segments, in order."""
    return sorted(path for path in folder.glob("*-*.parquet") if not path.name.startswith("."))


def compact(steps: Path, segments: Path, span: int = SPAN) -> Path | None:
    """Write the next segment when `span` step files have none yet; the new file, or None with nothing to do."""
    done = max((segment_steps(path)[1] for path in segment_files(segments)), default=-1)
    waiting = sorted(path for path in steps.glob("*.parquet") if path.stem.isdigit() and int(path.stem) > done)
    if len(waiting) < span:
        return None
    batch = waiting[:span]
    if sum(path.stat().st_size for path in batch) > LARGE * span:
        return None
    target = segments / f"{batch[0].stem}-{batch[-1].stem}.parquet"
    write_whole(target, lambda aside: write_tables(aside, _merged(batch)))
    pa.default_memory_pool().release_unused()  # the trainer has a better use for it until the next segment
    return target


def drop_segments(folder: Path, step: int) -> None:
    """Remove the segments that hold a step after `step`."""
    for path in segment_files(folder):
        if segment_steps(path)[1] > step:
            path.unlink()


def _merged(paths: list[Path]) -> list[pa.Table]:
    """The rows of the files by kind, each kind ordered by step (the order of the files)."""
    parts: dict[str, list[pa.Table]] = {kind: [] for kind in KINDS}
    for path in paths:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, use_threads=False)
                parts[table["kind"][0].as_py()].append(table)
    return [pa.concat_tables(tables).unify_dictionaries().cast(TABLE_SCHEMA) for tables in parts.values() if tables]
