#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speeds of reading tables, sosia and pyarrow in turns on the same files.

    .venv/bin/python bench/table_read.py build/release/bench/table_bench [ROWS]

Every number is the best of several passes, in MB/s of the file and, as other programs may run beside, in seconds of CPU.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.feather as feather
import pyarrow.parquet as parquet

PASSES = 5


def csv_types(path):
    """Types guessed, line ends in values not allowed: pyarrow's own defaults."""
    return csv.read_csv(path).num_rows


def csv_texts(path):
    """As sosia reads: everything text, line ends in values allowed."""
    names = csv.open_csv(path).schema.names
    return csv.read_csv(path, parse_options=csv.ParseOptions(newlines_in_values=True),
                        convert_options=csv.ConvertOptions(column_types={n: pa.string() for n in names})).num_rows


def csv_stream(path):
    """In blocks, types guessed."""
    return sum(batch.num_rows for batch in csv.open_csv(path))


def parquet_stream(path):
    """In blocks."""
    return sum(batch.num_rows for batch in parquet.ParquetFile(path).iter_batches())


READERS = {
    "t.csv": {"read_csv": csv_types, "read_csv as text": csv_texts, "open_csv": csv_stream},
    "t.csv.gz": {"read_csv": csv_types},
    "t.csv.zst": {"read_csv": csv_types},
    "t.parquet": {"read_table": lambda path: parquet.read_table(path).num_rows, "iter_batches": parquet_stream},
    "t.feather": {"read_table": lambda path: feather.read_table(path, memory_map=False).num_rows},
}


def measured(work, who):
    """Seconds by the clock and of CPU."""
    before, start = resource.getrusage(who), time.perf_counter()
    result = work()
    clock, after = time.perf_counter() - start, resource.getrusage(who)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def run_bench(program, folder, rows, pattern):
    """CPU seconds and output of one run of the benchmark."""
    command = [program, folder, str(rows), "--benchmark_format=json", "--benchmark_min_time=0.001",
               f"--benchmark_filter={pattern}"]
    _, cpu, text = measured(lambda: subprocess.run(command, check=True, capture_output=True).stdout,
                            resource.RUSAGE_CHILDREN)
    return cpu, text


def sosia_pass(program, folder, rows, name, threads):
    """Clock and CPU seconds of one pass; the start of the program does not count."""
    start, _ = run_bench(program, folder, rows, "^none$")
    cpu, text = run_bench(program, folder, rows, f"^read/{name}/threads:{threads}/")
    run, = json.loads(text)["benchmarks"]
    return run["real_time"] / 1e3, (cpu - start) / run["iterations"]


def main():
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        run_bench(program, folder, rows, "^none$")
        print(f"{rows} rows, 30 columns, {os.cpu_count()} cores, pyarrow {pa.__version__}, best of {PASSES}")
        print(f"{'file':<12}{'reader':<28}{'MB/s':>8}{'rows/s':>12}{'CPU s':>8}")
        for name, readers in READERS.items():
            path = os.path.join(folder, name)
            results = {}
            for _ in range(PASSES):
                for threads in (1, 2):
                    results.setdefault(f"sosia, {threads} threads", []).append(
                        sosia_pass(program, folder, rows, name, threads))
                for label, reader in readers.items():
                    clock, cpu, count = measured(lambda: reader(path), resource.RUSAGE_SELF)
                    assert count == rows
                    results.setdefault(f"pyarrow {label}", []).append((clock, cpu))
            for label, passes in results.items():
                clock, cpu = min(p[0] for p in passes), min(p[1] for p in passes)
                size = os.path.getsize(path) / 1e6
                print(f"{name:<12}{label:<28}{size / clock:>8.0f}{rows / clock:>12.0f}{cpu:>8.2f}")


if __name__ == "__main__":
    main()
