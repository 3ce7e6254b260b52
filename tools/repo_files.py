# SPDX-License-Identifier: Apache-2.0
"""The files of the project, as all checks see them: what git tracks or would track, else everything but outputs.

Run with endings as arguments (.h .cc), it prints the files that have them.
"""
import os
import subprocess
import sys
from pathlib import Path

OUTPUTS = {".git", ".venv", "build", "demo", "node_modules", "__pycache__"}


def repo_files(root):
    """Relative posix paths of the project's files, sorted."""
    root = Path(root)
    if (root / ".git").exists():
        listing = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            return sorted(path for path in set(listing.stdout.split("\0")) if path and (root / path).is_file())
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in OUTPUTS]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in names]
    return sorted(found)


def read_text(root, path):
    """The file's text, or None if it is not text."""
    try:
        return (Path(root) / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def run_check(name, violations):
    """The common main(): prints what was found and exits accordingly."""
    root = Path(__file__).resolve().parent.parent
    found = violations(root)
    for line in found:
        print(line)
    print(f"{name}: {len(found)} violation(s)" if found else f"{name}: good")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    print("\n".join(path for path in repo_files(Path(__file__).resolve().parent.parent) if path.endswith(tuple(sys.argv[1:]))))
