# SPDX-License-Identifier: Apache-2.0
"""What every method makes of Adult at each epsilon, as a picture.

Left, the mean distance of tables of two columns, right, what gradient boosting learns from the rows. The scores are those that
`bench/scores.py A1 --record` has put into bench/paper_tables.
"""
import math

import recorded

WIDTH, HEIGHT, EDGE, NAMES = 300, 300, 46, 110  # of a panel, around it, and beside it for the methods' names
LINE = 14  # between names
COLOURS = ["#1f6fb4", "#888888", "#d1495b", "#e08e2b", "#2e8b57", "#7d5ba6", "#a0522d", "#008b8b", "#b8860b", "#c71585"]
# What is shown, and the least value that is: what lies below would press all others together.
PANELS = [("tables of two columns, distance", "evaluate", "tvd_2", 0.0), ("gradient boosting, area under ROC", "scores", "gradient boosting, AUROC", 0.7)]


def apart(heights):
    """The same heights, moved as little as need be to stand a line apart."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = [heights[i] for i in order]
    for _ in range(200):
        for k in range(len(placed) - 1):
            if (lack := LINE - (placed[k + 1] - placed[k])) > 0:
                placed[k] -= lack / 2
                placed[k + 1] += lack / 2
    return {i: y for i, y in zip(order, placed)}


def panel(left, title, lines, real, floor, colours):
    """Curves over the logarithm of epsilon, each with its name at its end; `real`: what real rows have. Methods that stay below
    `floor` are named at the bottom, and curves are cut there."""
    below = [method for method, points in lines.items() if max(v for _, v in points) < floor]
    lines = {method: points for method, points in lines.items() if method not in below}
    values = [v for points in lines.values() for _, v in points] + [real]
    low, high = max(floor, min(values)), max(values)
    epsilons = sorted({e for points in lines.values() for e, _ in points})
    first, last = math.log(epsilons[0]), math.log(epsilons[-1])

    def at(epsilon, value):
        return left + (math.log(epsilon) - first) / (last - first) * WIDTH, EDGE + (high - value) / (high - low) * HEIGHT
    bottom = EDGE + HEIGHT
    parts = [f'<text x="{left + WIDTH / 2}" y="{EDGE - 22}" text-anchor="middle" font-weight="bold">{title}</text>',
             f'<text x="{left + WIDTH / 2}" y="{bottom + 32}" text-anchor="middle">epsilon</text>',
             f'<line x1="{left}" y1="{at(1, real)[1]:.1f}" x2="{left + WIDTH}" y2="{at(1, real)[1]:.1f}" stroke="#222" stroke-dasharray="4 4"/>',
             f'<text x="{left}" y="{at(1, real)[1] - 5:.1f}">real rows</text>']
    parts += [f'<text x="{at(e, low)[0]:.1f}" y="{bottom + 16}" text-anchor="middle">{e:g}</text>' for e in epsilons]
    for value in (low, high):
        parts.append(f'<text x="{left - 6}" y="{at(1, value)[1] + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    if below:
        parts.append(f'<text x="{left + WIDTH}" y="{bottom - 6}" text-anchor="end" fill="#666">below {floor:g}: {", ".join(below)}</text>')
    parts.append(f'<clipPath id="at{left}"><rect x="{left - 4}" y="0" width="{WIDTH + 8}" height="{bottom + 1}"/></clipPath>')
    names = apart([at(*points[-1])[1] for points in lines.values()])
    for i, (method, points) in enumerate(lines.items()):
        colour = colours[method]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        parts.append(f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2" clip-path="url(#at{left})"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in (at(*point) for point in points) if y <= bottom]
        parts.append(f'<text x="{left + WIDTH + 8}" y="{names[i] + 4:.1f}" fill="{colour}">{method}</text>')
    return "\n".join(parts)


def picture():
    entries = recorded.load("A1")
    methods = [m for m in dict.fromkeys(e["who"] for e in entries if e["epsilon"])]
    width, height = 2 * (EDGE + WIDTH + NAMES), HEIGHT + 2 * EDGE
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>', '<g fill="#222">']
    colours = dict(zip(methods, COLOURS))
    for i, (title, kind, score, floor) in enumerate(PANELS):
        lines = {m: sorted((float(e["epsilon"]), sum(e[kind][score]) / len(e[kind][score])) for e in entries if e["who"] == m) for m in methods}
        real = next(e for e in entries if not e["epsilon"])[kind][score][0]
        parts.append(panel(EDGE + i * (EDGE + WIDTH + NAMES), title, lines, real, floor, colours))
    return "\n".join([*parts, "</g>", "</svg>", ""])
