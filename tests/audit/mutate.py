# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of a source with a deliberate fault, for the audit to find.

    mutate.py FROM TO FIND REPLACE [FIND REPLACE ...]

Each FIND must stand in FROM exactly once: a mutant that no longer applies is an error, not a pass.
"""

import pathlib
import sys


def main() -> int:
    source, target, *changes = sys.argv[1:]
    text = pathlib.Path(source).read_text(encoding="utf-8")
    for find, replace in zip(changes[::2], changes[1::2], strict=True):
        if text.count(find) != 1:
            print(f"mutate: {find!r} stands {text.count(find)} times in {source}, not once", file=sys.stderr)
            return 1
        text = text.replace(find, replace)
    pathlib.Path(target).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
