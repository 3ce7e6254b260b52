#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Size and shape: the small rules that keep the tree readable."""
import re
from pathlib import Path, PurePosixPath

from repo_files import read_text, repo_files, run_check

MAX_LINES = 400
MAX_README_LINES = 220
MAX_BYTES = 1 << 20

LIMITED = (".h", ".cc", ".py", ".sh", ".cmake", ".md", ".js", ".css", ".html", ".s", "CMakeLists.txt", "Makefile")
WITH_SPDX = (".h", ".cc", ".py", ".sh", ".cmake", ".js", ".css", ".html", ".s", "CMakeLists.txt", "Makefile", ".clang-tidy",
             ".clang-format", ".ci/run")
SNAKE_FOLDERS = ("src/", "include/", "tests/", "bench/", "tools/", "docs/")
SNAKE = re.compile(r"[a-z0-9][a-z0-9_]*(\.[a-z0-9_]+)*")
FREE_NAMES = {"CMakeLists.txt", "README.md"}

SPDX = "SPDX-License-Identifier: Apache-2.0"
GLOB = re.compile(r"file\s*\(\s*GLOB|aux_source_directory", re.IGNORECASE)
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(root|work|home)\b")


def check_name(path):
    """Files are snake_case, folders too."""
    if not path.startswith(SNAKE_FOLDERS) or PurePosixPath(path).name in FREE_NAMES:
        return []
    return [] if all(SNAKE.fullmatch(part) for part in path.split("/")) else [f"{path}: the name is not snake_case"]


def check_text(path, text):
    """What can be said of one file alone."""
    found = []
    lines = text.count("\n")
    limit = MAX_README_LINES if path == "README.md" else MAX_LINES
    if path.endswith(LIMITED) and lines > limit:
        found.append(f"{path}: {lines} lines, the limit is {limit}")
    if path.endswith(WITH_SPDX) and SPDX not in "".join(text.splitlines()[:3]):
        found.append(f"{path}: no line `{SPDX}` at the top")
    if path.endswith(".h") and "#pragma once" not in text:
        found.append(f"{path}: no #pragma once")
    if path.endswith((".cmake", "CMakeLists.txt")) and GLOB.search(text):
        found.append(f"{path}: a glob; list the files")
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            found.append(f"{path}:{number}: unfinished work; finish it or open an issue")
        if MACHINE_PATH.search(line):
            found.append(f"{path}:{number}: a path of somebody's machine")
    return found


def is_named(listing, source):
    """Whether a CMakeLists.txt names the source, outright or as ${name}SUFFIX.cc in a function called with its name."""
    if re.search(rf"(^|[\s(\"]|\}}/){re.escape(source)}(?![\w.])", listing):
        return True
    for suffix in re.findall(r"\$\{name\}(\w*)\.cc", listing):
        name = source.removesuffix(".cc").removesuffix(suffix)
        if source == f"{name}{suffix}.cc" and re.search(rf"^\w+\({name}\b", listing, re.MULTILINE):
            return True
    return False


def is_listed(root, path):
    """Whether a CMakeLists.txt of this folder, or of one above, names the source."""
    source = PurePosixPath(path)
    for folder in source.parents:
        listing = Path(root) / folder / "CMakeLists.txt"
        if listing.is_file() and is_named(listing.read_text(encoding="utf-8"), str(source.relative_to(folder))):
            return True
    return False


def violations(root):
    """All breaches, one line each."""
    found = []
    for path in repo_files(root):
        size = (Path(root) / path).stat().st_size
        if size > MAX_BYTES:
            found.append(f"{path}: {size} bytes, the limit is {MAX_BYTES}")
            continue
        found += check_name(path)
        text = read_text(root, path)
        if text is not None and path != "LICENSE":
            found += check_text(path, text)
        if path.endswith(".cc") and not is_listed(root, path):
            found.append(f"{path}: in no CMakeLists.txt, so it is never built")
    return found


if __name__ == "__main__":
    run_check("limits", violations)
