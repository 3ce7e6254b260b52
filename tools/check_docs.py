#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents that stay true: the folder list, relative links, the table of dependencies.

With --write, brings the folder list in docs/architecture.md up to date.
"""
import re
import sys
from pathlib import Path, PurePosixPath

from repo_files import read_text, repo_files, run_check

ARCHITECTURE = "docs/architecture.md"
BEGIN, END = "<!-- folders: begin, by tools/check_docs.py --write -->", "<!-- folders: end -->"

# What each folder is for. A folder that is not named here, and not inside one marked as a leaf, is a violation.
FOLDERS = {
    "cmake": "how targets, tests and sanitizers are declared",
    "include/sosia": "the public headers: all that a user of the library sees",
    "src/base": "errors, checks, matrix views, the thread pool",
    "src/random": "secure randomness for noise, seedable randomness for training, the exact Gaussian sampler",
    "src/simd": "vector kernels, each beside its plain reference",
    "src/data": "tables, files, and the sealed private table",
    "src/data/images": "sets of images in files, as rows of pixels and a class",
    "src/example": "made-up tables to try things on",
    "src/privacy": "the door: ledger, bounded sums, noise, releases, the ledger file",
    "src/privacy/accounting": "events to epsilon and back; knows no data",
    "src/discovery": "facts that nobody declares, bought through the door",
    "src/features": "maps from encoded rows to bounded vectors and counts",
    "src/generate": "models of rows, fitted to releases, and the rows they make",
    "src/model": "the model file, and sampling from it",
    "src/methods": "recipes: what to release, and what to make of it",
    "src/features": "bounded feature maps",
    "src/nn": "small neural networks with per-example gradients",
    "src/perceptual": "nets trained on public images, and what they see in others as a feature map",
    "src/generate": "generators and their fit to releases",
    "src/model": "the model file and sampling",
    "src/methods": "recipes: one file a method",
    "src/eval": "scores of synthetic data, one metric a file",
    "src/eval/images": "metrics of sets of images",
    "src/eval/learners": "classifiers that metrics train",
    "src/report": "the report, one self-contained page",
    "src/cli": "the command line, one file a subcommand",
    "bindings/python": "the Python module",
    "tests": "what spans folders; unit tests sit beside their source",
    "tests/audit": "attacks on the door that must fail",
    "tests/fuzz": "fuzzers of everything that parses",
    "tests/golden": "the command line's dialogues, as text",
    "tests/golden_scores": "what SciPy and scikit-learn make of small tables, as a witness for src/eval",
    "tests/golden_tensors": "what PyTorch makes of small nets, as a witness for src/nn",
    "tests/mutants": "privacy code with a fault in one line, which a test must see",
    "tests/publishing": "what nobody reviewed changes no published byte",
    "tests/report": "pages in a browser, whole and broken",
    "tests/statistical": "distributions of samplers and releases, with stated false-alarm rates",
    "tests/support": "what tests share",
    "tests/tables": "public data sets through schema, check and codec, there and back",
    "tests/vectors": "reference numbers of the accountant",
    "bench": "speed, with the targets it must meet, and scores",
    "bench/paper_tables": "what the tables of the papers are made of, what was published, and our scores",
    "bench/schemas": "what is public about the data sets of tests and benchmarks",
    "bench/scoring": "how synthetic tables are scored",
    "docs": "this page and its neighbours",
    "docs/examples": "small files that the documents and the demo use",
    "docs/pictures": "what the documents show",
    "docs/methods": "claims and proofs, one page a method",
    "tools": "set-up, demo, checks",
}
LEAVES = ("tests/", "bench/", "docs/")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"```.*?```", re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
FOUND = re.compile(r"find_package\(\s*(\w+)|pkg_check_modules\(\s*\w+\s[^)]*?([\w.+-]+)\s*\)|find_library\(\s*\w+\s+([\w-]+)")
README_NAMES = {"nlohmann_json": "nlohmann-json", "GTest": "GoogleTest", "benchmark": "Google Benchmark",
                "Python3": "Python", "kissfft-double": "KissFFT", "kissfft": "KissFFT", "arrow": "Arrow",
                "parquet": "Arrow", "hwy": "Highway"}
NO_DEPENDENCY = {"Threads", "PkgConfig"}


def folders_of(files):
    """The folders to be listed: with files of their own, leaves to the second level only."""
    folders = {str(PurePosixPath(path).parent) for path in files if "/" in path and not path.startswith(".")}
    return sorted({"/".join(f.split("/")[:2]) if f.startswith(LEAVES) else f for f in folders})


def folder_list(files):
    """The block between the markers."""
    names = [name for name in FOLDERS if name in folders_of(files)]
    width = max([len(name) for name in names], default=0) + 3
    lines = [f"{name + '/':{width}}{FOLDERS[name]}" for name in names]
    return "\n".join([BEGIN, "```", *lines, "```", END])


def check_folders(root, files):
    """The list in the architecture page is what the tree says."""
    found = [f"{name}/: not described in tools/check_docs.py" for name in folders_of(files) if name not in FOLDERS]
    if ARCHITECTURE in files and folder_list(files) not in read_text(root, ARCHITECTURE):
        found.append(f"{ARCHITECTURE}: the folder list is out of date; run tools/check_docs.py --write")
    return found


def check_links(root, files):
    """Relative links lead somewhere."""
    found = []
    for path in files:
        if not path.endswith(".md"):
            continue
        prose = CODE.sub("", FENCE.sub("", read_text(root, path)))
        for target in LINK.findall(prose):
            file = target.split("#")[0]
            if file and "://" not in file and not (Path(root) / path).parent.joinpath(file).exists():
                found.append(f"{path}: the link to {target} leads nowhere")
    return found


def check_dependencies(root, files):
    """What CMake looks for has a row in the README's table."""
    rows = "\n".join(line for line in (read_text(root, "README.md") if "README.md" in files else "").splitlines()
                     if line.startswith("|")).lower()
    found = []
    for path in files:
        if not path.endswith((".cmake", "CMakeLists.txt")):
            continue
        for names in FOUND.findall(read_text(root, path)):
            name = next(filter(None, names))
            if name not in NO_DEPENDENCY and README_NAMES.get(name, name).lower() not in rows:
                found.append(f"{path}: {name} has no row in README.md's table of dependencies")
    return found


def violations(root):
    """All breaches, one line each."""
    files = repo_files(root)
    return check_folders(root, files) + check_links(root, files) + check_dependencies(root, files)


def write(root):
    """Renews the folder list."""
    page = Path(root) / ARCHITECTURE
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + folder_list(repo_files(root)) + after, encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write(Path(__file__).resolve().parent.parent)
    run_check("docs", violations)
