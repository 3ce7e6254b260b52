# SPDX-License-Identifier: Apache-2.0
"""How long the tables take: what runs took that are recorded, and what all that a table asks for would."""
import recorded

HEADS = ["table", "runs asked for", "recorded", "fits, minutes", "scores, minutes", "all of it, hours"]


def fit_times(entry):
    """CPU time where it is known, else that on the clock."""
    return entry.get("cpu_seconds", entry.get("seconds", []))


def mean(values):
    return sum(values) / len(values) if values else None


def asked(config):
    """Set, method and epsilon of every run that a table asks for, once a seed."""
    return [(name, method, epsilon) for name in config["sets"] for method in config["methods"] for epsilon in config["epsilons"]
            for _ in recorded.seeds_at(config, name, epsilon)]


def whole(config, entries):
    """Seconds of one core for all that is asked for: a run takes what runs of the same set, method and epsilon took, or, where there are none,
    those at other epsilons. Nothing, where there are none of these."""
    fits, scores = {}, {}
    for e in entries:
        scores.setdefault(e["set"], []).extend(e.get("scoring_seconds", []))
        if e["epsilon"]:
            for key in ((e["set"], e["who"], e["epsilon"]), (e["set"], e["who"])):
                fits.setdefault(key, []).extend(fit_times(e))
    total = 0.0
    for name, method, epsilon in asked(config):
        fit, score = mean(fits.get((name, method, epsilon)) or fits.get((name, method), [])), mean(scores.get(name, []))
        if fit is None or score is None:
            return None
        total += fit + score
    return total


def text(tables):
    """A row a table, and their sum."""
    rows, hours = [], []
    for table, config in tables.items():
        entries = recorded.load(table)
        fits = [s for e in entries if e["epsilon"] for s in fit_times(e)]
        scores = [s for e in entries for s in e.get("scoring_seconds", [])]
        seconds = whole(config, entries)
        hours.append(seconds)
        rows.append([table, str(len(asked(config))), str(len(fits)), f"{sum(fits) / 60:.0f}", f"{sum(scores) / 60:.0f} of {len(scores)} runs",
                     "not known" if seconds is None else f"{seconds / 3600:.1f}"])
    known = sum(seconds for seconds in hours if seconds is not None) / 3600
    lacking = [table for table, seconds in zip(tables, hours) if seconds is None]
    rows.append(["together", "", "", "", "", f"{known:.1f}" + (f" without {', '.join(lacking)}" if lacking else "")])
    return recorded.markdown(HEADS, rows)
