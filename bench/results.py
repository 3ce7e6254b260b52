#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/results.md from the scores in bench/paper_tables: ours beside the published ones.

    bench/results.py [--check]

With --check, nothing is written, and a page that does not say what the scores say is an error.
"""
import sys
import tomllib
from pathlib import Path

import night
import recorded

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/results.md"
NOT_RUN = ""
OPENING = """# Results

The tables of the papers that this project grew out of, ours beside theirs. Made by `make paper-tables` from the scores that
`bench/scores.py` keeps in [bench/paper_tables](../bench/paper_tables/tables.toml);
[protocols, and what is done to the rows](../bench/README.md#tables-of-the-papers).

* All methods have their defaults, the same on every set.
* Ours are private as stated, under the delta and the relation of the protocol, but where epsilon is `inf`: there is no noise then.
* Columns in italics are the figures of others. Most of those runs were not private as coded, as the remark below each table says: they are
  shown because readers know them.
* Real and bootstrapped rows are about the best that can be had. Scores are made by scikit-learn and XGBoost, and below them by
  `sosia evaluate`; several in a cell are in the order of the text above the table.
* On 2 cores of a shared AMD EPYC. The digits behind `sosia` are the first of the SHA-256 of the program that was run.
"""
SPEED = """Sosia and the same step in PyTorch, or in Opacus upon it, in turns in one run on as many threads of the same cores: medians of nine turns, by the
clock, and CPU time of all threads in brackets. The load is the machine's at the end; with other programs beside, CPU times say more than the clock."""

NIGHT = """## How long it takes

Time of one core: on two, half of it by the clock. What the runs above took, of scores as far as they were timed; and what all that the tables ask for
takes, were each run as long as those of the same set and method.
"""


def published(figures, name, epsilon):
    found = figures.get(f"{name} {epsilon}", figures.get(name))
    if found is None:
        return NOT_RUN
    return " ".join(recorded.brief([x]) if isinstance(x, (int, float)) else x for x in found)


def cell(found, kind, scores):
    """The scores of an entry, beside each other."""
    if found is None or kind not in found:
        return NOT_RUN
    return " ".join(recorded.brief(found[kind][score]) for score in scores if score in found[kind])


def table_text(config, entries, kind, scores, figures):
    """A row a set and epsilon, a column a method, real rows, and published figures."""
    by_key = {(e["set"], e["who"], e["epsilon"]): e for e in entries}
    beside = sorted({e["who"] for e in entries if not e["epsilon"]})
    methods = [m for m in config["methods"] if any(e["who"] == m and kind in e for e in entries)]
    rows = []
    for name in config["sets"]:
        for epsilon in config["epsilons"]:
            if not any(e["set"] == name and e["epsilon"] == epsilon and kind in e for e in entries):
                continue
            row = [config.get("labels", {}).get(name, name), epsilon]
            row += [cell(by_key.get((name, method, epsilon)), kind, scores) for method in methods]
            row += [cell(by_key.get((name, who, "")), kind, scores) for who in beside]
            rows.append(row + [published(values, name, epsilon) for values in figures.values()])
    heads = ["set", "epsilon", *methods, *beside, *(f"*{who}*" for who in figures)]
    keep = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    return recorded.markdown([heads[i] for i in keep], [[row[i] for i in keep] for row in rows])


def methods_text(config, entries):
    """A row a method, a column a score, at the epsilon that is shown."""
    rows = []
    for method in [*config["methods"], *sorted({e["who"] for e in entries if not e["epsilon"]})]:
        found = next((e for e in entries if e["who"] == method and e["epsilon"] in ("", config["shown"])), None)
        if found is None:
            continue
        own = [cell(found, "evaluate", [score]) for score in config["own"]]
        rows.append([method, *own, *(cell(found, "scores", [score]) for score in config["scores"]), recorded.seconds(found, "cpu_seconds")])
    return recorded.markdown(["method", *(f"`{score}`" for score in config["own"]), *config["scores"], "fit, CPU s"], rows)


def absent_text(config, have):
    """What has not been run, by set."""
    texts = []
    for name in config["sets"]:
        lacking = {}
        for epsilon in config["epsilons"]:
            methods = tuple(m for m in config["methods"] if (name, m, epsilon) not in have)
            lacking.setdefault(methods, []).append(epsilon)
        lacking.pop((), None)
        if list(lacking) == [tuple(config["methods"])] and len(lacking[tuple(config["methods"])]) == len(config["epsilons"]):
            texts.append(name)
            continue
        parts = [f"{', '.join(epsilons)}: {'all' if len(methods) == len(config['methods']) else ', '.join(methods)}"
                 for methods, epsilons in lacking.items()]
        texts += [f"{name} (epsilon {'; '.join(parts)})"] if parts else []
    return f"Not run yet: {', '.join(texts)}." if texts else ""


def seeds_text(config, entries):
    """How many seeds there are. A cell shows a deviation where they are more than one."""
    counts = {}
    few, wanted = config.get("one_seed_at", []), len(config["seeds"])
    for e in (e for e in entries if e["epsilon"] and e["epsilon"] not in few):
        count = len(e["seeds"])
        as_asked = count == len(recorded.seeds_at(config, e["set"], e["epsilon"]))
        counts.setdefault(wanted if as_asked else count, []).append(f"{e['set']} {e['who']} at {e['epsilon']}")
    others = "".join(f"; {n}: {', '.join(counts[n])}" for n in sorted(counts) if n not in (1, wanted))
    if set(counts) <= {1}:
        return "One seed." if wanted == 1 else f"One seed, of {wanted} that the table asks for."
    more = "".join(f"; {len(seeds)} of {name}" for name, seeds in config.get("seeds_of", {}).items())
    if 1 not in counts and not others:
        return f"{wanted} seeds, mean ± standard deviation{more}{'; at ' + ', '.join(few) + ' one at least' if few else ''}."
    return f"{wanted} seeds, mean ± standard deviation, where a deviation is shown, else one{more}{others}."


def missing_text(config, entries):
    have = {(e["set"], e["who"], e["epsilon"]) for e in entries}
    return " ".join(text for text in (time_text(entries), seeds_text(config, entries), absent_text(config, have)) if text)


def time_text(entries):
    """What all fits of a table took together."""
    fits = [s for e in entries if e["epsilon"] for s in night.fit_times(e)]
    return f"{len(fits)} fit{'s' * (len(fits) > 1)}, {sum(fits) / 60:.0f} minutes of one core." if fits else ""


def made_by_text(entries):
    """Programs, versions, machines and days of all entries, each said once."""
    said = {}
    for key, value in (pair for e in entries for pair in e["by"].items()):
        said.setdefault(key, set()).add(value)
    return "; ".join(f"{key} {', '.join(sorted(values))}" for key, values in said.items())


def one_line_each(text):
    """Paragraphs of a text; tables stay as they are."""
    return "\n\n".join(part if part.startswith("|") else part.replace("\n", " ") for part in text.strip().split("\n\n"))


def section(name, config):
    """A table, ours and by our own metrics, with what made it."""
    entries = recorded.load(name)
    lines = [f"## {name}: {config['title']}", "", config["reading"], ""]
    if not any(e["epsilon"] for e in entries):
        return "\n".join([*lines, f"Not run yet: `bench/scores.py {name} --record`.", ""])
    by_method = config.get("by_method", False)
    lines += [methods_text(config, entries) if by_method else
              table_text(config, entries, "scores", config["scores"], config.get("published", {})), "", config["remark"], ""]
    lines += [one_line_each(config["plain"]), ""] if "plain" in config else []
    if any("evaluate" in e for e in entries) and not by_method:
        first = ", of the first seed where no deviation is shown" if "evaluate_seeds" in config else ""
        lines += [f"The same rows by `sosia evaluate`{first}: {', '.join(f'`{score}`' for score in config['own'])}.", "",
                  table_text(config, entries, "evaluate", config["own"], {}), ""]
    lines += [missing_text(config, entries), "", f"`bench/scores.py {name} --record`. {made_by_text(entries)}.", ""]
    return "\n".join(lines)


def speed_text():
    """Steps beside those of others, as bench/turns.py has recorded them."""
    lines = recorded.load("S1")
    times = [[f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}" for ms in line["ms"]] for line in lines]
    rows = [[line["step"], str(line["threads"]), f"{ours} ({ours_cpu})", line["beside"], f"{theirs} ({theirs_cpu})",
             f"{line['ratio']:.1f} ({line['cpu_ratio']:.1f})", f"{line['target']:g}", f"{line['load']:g}"] for line, (ours, ours_cpu, theirs, theirs_cpu) in zip(lines, times)]
    heads = ["step", "threads", "sosia, ms", "beside it", "ms", "times faster", "wanted", "load"]
    days = sorted({f"{line['on']}, {line['date']}" for line in lines})
    return "\n".join(["## S1: Speed of a step", "", SPEED, "", recorded.markdown(heads, rows) if rows else "Not run yet.", "",
                      f"`bench/step_speed.py`, `bench/conv_speed.py`, `bench/dp_sgd_speed.py`, each with `--record`. {'; '.join(days)}.", ""])


def page():
    config = tomllib.loads((recorded.FOLDER / "tables.toml").read_text(encoding="utf-8"))
    return "\n".join([OPENING, *(section(name, table) for name, table in config.items()), speed_text(), NIGHT, night.text(config)]).rstrip() + "\n"


def main():
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != text:
        print("docs/results.md does not say what bench/paper_tables says: run bench/results.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
