#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `sosia --help` and `sosia --version` take; 20 ms at most is the target.

    bench/startup.py PATH-OF-SOSIA
"""
import subprocess
import sys
import time

RUNS = 50

for option in ("--help", "--version"):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.argv[1], option], stdout=subprocess.DEVNULL, check=True)
        times.append(1e3 * (time.perf_counter() - start))
    print(f"sosia {option:<10} {min(times):6.1f} ms best, {sorted(times)[RUNS // 2]:6.1f} ms median of {RUNS} runs")
