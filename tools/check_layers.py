#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. The table below is the law; docs/architecture.md explains it."""
import re

from repo_files import read_text, repo_files, run_check

# For each folder of src/: the folders, or single headers, that it may include besides itself. No entry points up.
PLUGIN = ["base", "simd", "random/public_rng.h", "privacy/bounded_map.h", "privacy/count_map.h",
          "privacy/factored_map.h"]
LAYERS = {
    "base": [],
    "random": ["base"],
    "simd": ["base", "random/public_rng.h"],
    "data": ["base"],
    "example": ["base", "random", "data"],
    "privacy/accounting": ["base"],
    "privacy": ["base", "random", "data", "privacy/accounting", "simd/truncated.h"],
    "discovery": ["base", "data", "privacy", "privacy/accounting"],
    "features": PLUGIN,
    "nn": PLUGIN,
    "perceptual": [*PLUGIN, "nn", "features"],
    "generate": [*PLUGIN, "nn", "features", "privacy/release.h"],
    "model": ["base", "random/public_rng.h", "generate", "data", "privacy/certificate.h"],
    "methods": ["base", "simd", "random/public_rng.h", "data", "privacy", "privacy/accounting",
                "features", "nn", "perceptual", "generate", "model"],
    "eval": ["base", "simd", "random/public_rng.h", "data", "nn", "features/feature_map.h", "perceptual"],
    "report": ["base", "model"],  # and the public headers: scores as sosia/evaluate.h has them
    "cli": ["base/number_text.h"],  # how numbers are written, the one thing that is not in the public headers
    "bindings": [],
}
# The public headers are the common vocabulary, but the lowest layers know only these.
LOWEST = {"base", "random", "simd"}
LOWEST_PUBLIC = {"sosia/error.h", "sosia/version.h"}
# These never see private rows, not even through another header.
NEVER_PRIVATE = {"features", "nn", "perceptual", "generate", "model", "report"}
PRIVATE_TABLE = "data/private_table.h"
KEY_HOLDERS = {"privacy", "data"}
# A draft holds facts that were read off private rows. Only who drafts, checks and shows them to their owner may see one;
# everything behind takes a Schema.
DRAFT = "sosia/draft.h"
DRAFT_READERS = ("include/sosia/draft.h", "src/cli/", "src/data/draft.cc", "src/data/review.cc", "src/data/check.cc", "src/data/column_guess.cc",
                 "src/data/schema_file.cc", "src/data/image_schema.cc", "src/data/images/image_check.cc",
                 "src/data/images/image_draft.cc")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"[a-z0-9_]+")
KEY = re.compile(r"\bTableKey\b")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def folder_of(path):
    """The layer of a path below src/: "privacy/accounting/rdp.cc" is in "privacy/accounting", not in "privacy"."""
    parts = path.split("/")[:-1]
    while parts and "/".join(parts) not in LAYERS:
        parts.pop()
    return "/".join(parts)


def is_allowed(layer, target):
    """May a file of `layer` include `target`, a path below src/?"""
    folder = folder_of(target)
    return folder == layer or folder in LAYERS[layer] or target in LAYERS[layer]


def code_files(root):
    """Path and text of every C++ file of include/, src/ and bindings/."""
    for path in repo_files(root):
        if path.startswith(("include/", "src/", "bindings/")) and path.endswith((".h", ".cc")):
            yield path, read_text(root, path) or ""


def check_public(path, bracket, target):
    """include/sosia stands alone: itself and the standard library."""
    if bracket == "<" and (target.startswith("sosia/") or STANDARD.fullmatch(target)):
        return []
    return [f"{path}: a public header includes {target}; only <sosia/...> and the standard library are allowed"]


def check_private(path, layer, bracket, target, known):
    """One include of a file in src/ or bindings/."""
    is_test = path.endswith("_test.cc")
    if bracket == "<":
        if layer in LOWEST and target.startswith("sosia/") and target not in LOWEST_PUBLIC:
            return [f"{path}: {layer}/ is too low for <{target}>"]
        return [] if f"src/{target}" not in known else [f'{path}: write "{target}", not <{target}>']
    if target.startswith("tests/"):
        return [] if is_test else [f"{path}: only tests may include {target}"]
    if not folder_of(target):
        return [f"{path}: {target} names no folder of src/"]
    return [] if is_allowed(layer, target) else [f"{path}: {layer}/ may not include {target}"]


def reaches(start, goal, includes):
    """Whether a file reaches another one through any chain of includes."""
    seen, queue = set(), [start]
    while queue:
        path = queue.pop()
        if path == goal:
            return True
        if path not in seen:
            seen.add(path)
            queue += includes.get(path, [])
    return False


def violations(root):
    """All breaches, one line each."""
    files = dict(code_files(root))
    includes = {path: [f"include/{t}" if b == "<" else f"src/{t}" for b, t in INCLUDE.findall(text)]
                for path, text in files.items()}
    found = []
    for path, text in files.items():
        if path.startswith("include/"):
            for bracket, target in INCLUDE.findall(text):
                found += check_public(path, bracket, target)
            layer = "include"
        else:
            layer = "bindings" if path.startswith("bindings/") else folder_of(path.removeprefix("src/"))
            if not layer:
                found.append(f"{path}: this folder is not in the table of tools/check_layers.py")
                continue
            for bracket, target in INCLUDE.findall(text):
                found += check_private(path, layer, bracket, target, files)
        if layer in NEVER_PRIVATE and reaches(path, f"src/{PRIVATE_TABLE}", includes):
            found.append(f"{path}: {layer}/ may not see {PRIVATE_TABLE}, directly or not")
        may_draft = path.startswith(DRAFT_READERS) or path.endswith("_test.cc")
        if not may_draft and reaches(path, f"include/{DRAFT}", includes):
            found.append(f"{path}: only who drafts, checks and shows facts may see <{DRAFT}>: take a Schema")
        if layer not in KEY_HOLDERS and not path.endswith("_test.cc") and KEY.search(COMMENT.sub("", text)):
            found.append(f"{path}: only privacy/ and data/ may name TableKey")
    return found


if __name__ == "__main__":
    run_check("layers", violations)
