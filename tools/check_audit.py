#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/audit.md stays true: its files are there, have the lines that it says, and are all that must be trusted.

A row names a file without its ending, `privacy/door` for src/privacy/door.h and door.cc, or a header of include/, the
number of lines of both, and what they must ensure. With --write, brings the numbers up to date.
"""
import re
import sys
from pathlib import Path

from repo_files import read_text, repo_files, run_check

PAGE = "docs/audit.md"
ROW = re.compile(r"^\| `([\w/.]+)` \| *(\d+) \|", re.MULTILINE)
TOTAL = re.compile(r"(<!-- total -->)[\d,]+( lines)")
# Every file of these folders must be on the page.
TRUSTED = ("src/privacy/", "src/random/", "src/discovery/")
TEST = re.compile(r"_test(_support)?\.(h|cc)$")
INCLUDE = re.compile(r'#\s*include\s*["<]([^">]+)[">]')


def parts_of(name, files):
    """The files that a row stands for."""
    places = [f"include/{name}"] if name.startswith("sosia/") else [f"src/{name}.h", f"src/{name}.cc"]
    return [path for path in places if path in files]


def lines_of(root, paths):
    return sum(len((read_text(root, path) or "").splitlines()) for path in paths)


def stem_of(path):
    return path.removeprefix("src/").rsplit(".", 1)[0]


def includes_of_product(root, files):
    """Headers that something other than a test, or their own source, includes."""
    seen = set()
    for path in files:
        if path.startswith(("src/", "include/")) and path.endswith((".h", ".cc")) and not TEST.search(path):
            seen |= {target for target in INCLUDE.findall(read_text(root, path) or "")
                     if stem_of("src/" + target) != stem_of(path)}
    return seen


def violations(root):
    """All breaches, one line each."""
    files = set(repo_files(root))
    if PAGE not in files:
        return [f"{PAGE}: is not there"]
    page, found, listed = read_text(root, PAGE), [], set()
    for name, count in ROW.findall(page):
        parts = parts_of(name, files)
        if not parts:
            found.append(f"{PAGE}: there is no {name}")
        elif lines_of(root, parts) != int(count):
            found.append(f"{PAGE}: {name} has {lines_of(root, parts)} lines; run tools/check_audit.py --write")
        if name in listed:
            found.append(f"{PAGE}: {name} is listed twice")
        listed.add(name)
    used = includes_of_product(root, sorted(files))
    for path in sorted(files):
        if not path.startswith(TRUSTED) or not path.endswith((".h", ".cc")) or TEST.search(path):
            continue
        if stem_of(path) not in listed:
            found.append(f"{PAGE}: {stem_of(path)} must be trusted and is not listed")
        if path.endswith(".h") and path.removeprefix("src/") not in used:
            found.append(f"{path}: only tests use it; it belongs to them")
    return found


def write(root):
    """Renews the numbers of lines."""
    files, path = set(repo_files(root)), Path(root) / PAGE
    text = path.read_text(encoding="utf-8")
    total = 0

    def renewed(match):
        nonlocal total
        count = lines_of(root, parts_of(match[1], files))
        total += count
        return f"| `{match[1]}` | {count} |"

    text = ROW.sub(renewed, text)
    path.write_text(TOTAL.sub(lambda match: f"{match[1]}{total:,}{match[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write(Path(__file__).resolve().parent.parent)
    run_check("audit page", violations)
