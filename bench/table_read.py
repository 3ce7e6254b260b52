#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speeds of reading and encoding tables, sosia and pyarrow in turns on the same files with as many threads.

    .venv/bin/python bench/table_read.py build/release/bench/table_bench [ROWS [FILE ...]]

FILE is t.csv, t.csv.gz, t.csv.zst, t.parquet or t.feather; all if none is given.

Every number is a median of several passes, by the clock; CPU seconds stand beside, as other programs may run at the same
time. A ratio is sosia's speed over pyarrow's: reading alone should reach 1, reading and encoding 0.5.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.feather as feather
import pyarrow.parquet as parquet

PASSES = 11
TARGETS = {"read": 1.0, "encode": 0.5}

# As fast as pyarrow can: whole tables, types guessed, line ends in values not allowed.
READERS = {
    "t.csv": csv.read_csv,
    "t.csv.gz": csv.read_csv,
    "t.csv.zst": csv.read_csv,
    "t.parquet": parquet.read_table,
    "t.feather": lambda path: feather.read_table(path, memory_map=False),
}


def run_bench(program, folder, rows, pattern):
    """What the benchmark says, as JSON."""
    command = [program, folder, str(rows), "--benchmark_format=json", "--benchmark_min_time=0.2",
               f"--benchmark_filter={pattern}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def sosia_pass(program, folder, rows, name, work, threads):
    """Seconds by the clock and of CPU."""
    text = run_bench(program, folder, rows, f"^{work}/{name}/threads:{threads}/")
    run, = json.loads(text)["benchmarks"]
    assert not run.get("error_occurred"), run
    return run["real_time"] / 1e3, run["cpu_time"] / 1e3


def pyarrow_pass(path, rows, reader):
    """The same; the table is let go before the clock stops, as sosia lets go of its blocks."""
    clock, cpu = time.perf_counter(), time.process_time()
    assert reader(path).num_rows == rows
    return time.perf_counter() - clock, time.process_time() - cpu


def main():
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        run_bench(program, folder, rows, "^read/t.csv/threads:1/")  # makes the files
        print(f"{rows} rows, 30 columns, {os.cpu_count()} cores, pyarrow {pa.__version__}, medians of {PASSES}")
        print(f"{'file':<12}{'threads':>7}  {'work':<16}{'MB/s':>8}{'rows/s':>12}{'CPU s':>8}{'ratio':>8}{'target':>8}")
        for name in sys.argv[3:] or READERS:
            path = os.path.join(folder, name)
            for threads in (1, 2):
                pa.set_cpu_count(threads)
                passes = {}
                for _ in range(PASSES):
                    for work in TARGETS:
                        passes.setdefault(work, []).append(sosia_pass(program, folder, rows, name, work, threads))
                    passes.setdefault("pyarrow", []).append(pyarrow_pass(path, rows, READERS[name]))
                clock = {work: statistics.median(p[0] for p in found) for work, found in passes.items()}
                for work, found in passes.items():
                    line = f"{name:<12}{threads:>7}  {work:<16}{os.path.getsize(path) / 1e6 / clock[work]:>8.0f}"
                    line += f"{rows / clock[work]:>12.0f}{statistics.median(p[1] for p in found):>8.2f}"
                    if work in TARGETS:
                        line += f"{clock['pyarrow'] / clock[work]:>8.2f}{TARGETS[work]:>8.1f}"
                    print(line, flush=True)


if __name__ == "__main__":
    main()
