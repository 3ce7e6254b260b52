#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports and comparisons in a browser: they draw everything, load nothing, and say what the scores say.

Each check is also run on a page that was broken on purpose, and must see it.
"""
import argparse
import csv
import decimal
import json
import math
import pathlib
import re
import subprocess
import tempfile

import image_pages
from browser import Browser

METRICS = ("tvd_1,tvd_2,ks,probability,correlation,mutual_information,pca,transfer,prediction,minorities,"
           "exact_matches,distance_attack")
INTERNAL = ["verdict", "metrics", "columns", "pairs", "points", "cloud", "learners"]
PUBLISHABLE = ["guarantee", "public", "synthetic"]
ODD_NAME = 'größe & <b>"alter"</b> 很长的名字 of a column whose name goes on and on'
SIZES = [(1280, False), (390, True)]

# Marks of charts, without axes and grids: Plot names their groups.
FIND_CHARTS = """[...document.querySelectorAll("figure .chart")].map(place => ({
  where: place.closest("section").id,
  marks: [...place.querySelectorAll("svg g[aria-label]")]
    .filter(g => !/axis|grid|tick label/.test(g.getAttribute("aria-label")))
    .reduce((sum, g) => sum + g.children.length, 0)}))"""
FIND_NUMBERS = """[...document.querySelectorAll("[data-path]")].map(e => [e.dataset.path, e.textContent])"""
FIND_SHARES = """[...document.querySelectorAll("#columns [data-column]")].map(cell => [cell.dataset.column,
  cell.querySelector(".num").textContent, [...cell.querySelectorAll("svg title")].map(title => title.textContent)])"""
FIND_PARTS = """Object.fromEntries([...document.querySelectorAll("section[data-part=publishable]")].map(
  section => [section.id, section.innerHTML]))"""
FIND_COLOURS = """["--ink", "--muted", "--synthetic", "--real", "--warn-ink"].map(name => {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour; }).concat(getComputedStyle(document.body).backgroundColor)"""


def shown(value):
    """A number as the page writes it; halves are rounded up, as browsers do."""
    if value is None:
        return "–"
    exact, size = decimal.Decimal(value), abs(value)
    if size >= 100 or size >= 0.001 or value == 0:
        return str(exact.quantize(decimal.Decimal("0.1" if size >= 100 else "0.0001"), decimal.ROUND_HALF_UP))
    power = exact.adjusted()
    digits = exact.scaleb(-power).quantize(decimal.Decimal("0.1"), decimal.ROUND_HALF_UP)
    if abs(digits) >= 10:
        digits, power = digits / 10, power + 1
    return f"{digits:.1f}e{power}"


def luminance(colour):
    channels = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    return sum(weight * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
               for weight, c in zip((0.2126, 0.7152, 0.0722), channels))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def check_quiet(browser, page):
    """No error, no exception, no request but for the page itself."""
    for event in browser.events:
        method, what = event["method"], event["params"]
        assert method != "Runtime.exceptionThrown", what["exceptionDetails"]
        assert method != "Runtime.consoleAPICalled" or what["type"] not in ("error", "warning"), what
        assert method != "Log.entryAdded" or what["entry"]["level"] not in ("error", "warning"), what["entry"]
        if method == "Network.requestWillBeSent":
            assert what["request"]["url"].split("#")[0] == page.resolve().as_uri(), what["request"]["url"]


def check_drawn(browser, sections, width):
    """All sections are there, every chart has marks, nothing is wider than the window, and it can be read."""
    found = browser.value("[...document.querySelectorAll('section')].map(section => section.id)")
    assert sorted(found) == sorted(sections), found
    charts = browser.value(FIND_CHARTS)
    assert charts, "no chart"
    for chart in charts:
        assert chart["marks"] > 0, f"a chart of {chart['where']} is empty"
    reach = browser.value("document.documentElement.scrollWidth")
    assert reach <= width, f"{reach} pixels wide"
    *inks, paper = browser.value(FIND_COLOURS)
    for ink in inks:
        assert contrast(ink, paper) >= 4.5, f"{ink} on {paper} cannot be read"


def check_numbers(browser, scores):
    """Every number on the page is that of its place in the scores, and no head of a metric is absent."""
    metrics = {metric["name"]: metric for metric in scores["metrics"]}
    seen = set()
    for path, text in browser.value(FIND_NUMBERS):
        name, of, key = json.loads(path)
        holder = metrics[name] if not of else next(part for part in metrics[name]["parts"] if part["of"] == of)
        assert text == shown(holder[key]), f"{path}: {text}, not {shown(holder[key])}"
        seen.add((name, tuple(of), key))
    for name in metrics:
        for key in ("synthetic", "floor", "ceiling"):
            assert (name, (), key) in seen, f"{key} of {name} is not shown"


def check_shares(browser, scores):
    """Bars of columns say what the scores say of their states."""
    parts = next(metric["parts"] for metric in scores["metrics"] if metric["name"] == "probability")
    shares = {tuple(part["of"]): (shown(part["synthetic"]), shown(part["real"])) for part in parts}
    columns = browser.value(FIND_SHARES)
    assert {name for name, _, _ in columns} == {part["of"][0] for part in parts}, "a column is not shown"
    for name, distance, titles in columns:
        assert titles, name
        wanted = sum(abs(part["synthetic"] - part["real"]) for part in parts if part["of"][0] == name) / 2
        assert abs(float(distance) - wanted) <= max(6e-5, 0.06 * wanted * (wanted < 0.001)), (name, distance, wanted)
        for title in titles:
            label, synthetic, real = title.rsplit("\n", 2)
            wanted = shares[(name, label)]
            assert (synthetic, real) == (f"synthetic {wanted[0]}", f"real {wanted[1]}"), (name, title, wanted)


def check_internal(browser, page, scores, width=1280, dark=False):
    browser.open(page, width=width, dark=dark)
    check_quiet(browser, page)
    check_drawn(browser, INTERNAL + PUBLISHABLE, width)
    check_numbers(browser, scores)
    check_shares(browser, scores)
    assert browser.value("document.getElementById('not-for-release') !== null"), "no warning"


def check_guarantee(browser, page):
    """Bounds in the plain words of the guarantee are rounded up, and by no more than they show."""
    browser.open(page)
    data = json.loads(browser.value("document.getElementById('publishable-data').textContent"))
    text = browser.value("document.getElementById('guarantee').textContent")
    chance = float(re.search(r"guesses right in at most ([\d.]+) % of cases", text)[1]) / 100
    times = float(re.search(r"at most ([\d.e+]+) times as likely", text)[1])
    certificate = data["certificate"]
    factor = math.exp(certificate["promise"]["epsilon"])
    assert certificate["best_chance"] <= chance < certificate["best_chance"] + 0.0011, chance
    assert factor <= times < 1.011 * factor, times
    spent = sum(event["share"] for event in certificate["events"])
    assert abs(spent + certificate["left"] - 1) < 1e-9, spent


def check_publishable(browser, page, parts):
    """The publishable page holds just what the publishable part of the internal one holds."""
    browser.open(page)
    check_quiet(browser, page)
    check_drawn(browser, PUBLISHABLE, 1280)
    found = browser.value("document.querySelectorAll('[data-part=internal], [data-path]').length")
    assert found == 0, "an internal part"
    assert browser.value(FIND_PARTS) == parts, "the publishable parts differ"


def check_comparison(browser, page, runs):
    browser.open(page)
    check_quiet(browser, page)
    check_drawn(browser, ["table", "charts"], 1280)
    found = browser.value(FIND_NUMBERS)
    assert len(found) == len(METRICS.split(",")) * len(runs), len(found)
    for path, text in found:
        name, (run,), key = json.loads(path)
        metric = next(metric for metric in runs[run]["metrics"] if metric["name"] == name)
        assert text == shown(metric[key]), f"{path}: {text}"


def check_controls(browser, page):
    """The switch changes the colours, the order of columns can be chosen, and the page can be printed."""
    browser.open(page)
    before = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.value("document.getElementById('theme').click()")
    assert browser.value("getComputedStyle(document.body).backgroundColor") != before, "the switch does nothing"
    names = "[...document.querySelectorAll('#columns h3')].map(h => h.textContent)"
    browser.value("""(choice => {
      choice.value = "by name";
      choice.dispatchEvent(new Event("change"));
    })(document.getElementById("column-order"))""")
    found = browser.value(names)
    assert found == sorted(found), found
    printed = page.with_suffix(".pdf")
    browser.print(printed)
    assert printed.read_bytes().startswith(b"%PDF") and printed.stat().st_size > 50000, "nothing is printed"


def must_fail(check, *arguments):
    try:
        check(*arguments)
    except AssertionError:
        return
    raise SystemExit(f"{check.__name__} does not see that {arguments[1].name} is broken")


def check_mutations(browser, page, scores, parts):
    """Pages that are broken in one place, each of which some check must see."""
    text = page.read_text(encoding="utf-8")
    tvd = next(metric for metric in scores["metrics"] if metric["name"] == "tvd_1")["synthetic"]
    block = text.index('id="internal-data"')
    breaks = {
        "number": (text[:block] + text[block:].replace(f'"synthetic":{tvd!r}', '"synthetic":0.25', 1)),
        "chart": text.replace("Plot.cell(cells", "Plot.cell([]"),
        "share": text.replace("digits(state.real)", "digits(state.synthetic)"),
        "request": text.replace("<header", '<img src="http://example.invalid/x.png"><header', 1),
        "script": text.replace("<header", "<script>undefined.x</script><header", 1),
        "distance": text.replace("Math.abs(synthetic - real)) / 2", "Math.abs(synthetic - real))"),
        "wide": text.replace("<header", '<div style="width: 1500px">wide</div><header', 1),
    }
    for name, broken in breaks.items():
        assert broken != text, f"nothing to break: {name}"
        file = page.with_name(f"broken_{name}.html")
        file.write_text(broken, encoding="utf-8")
        must_fail(check_internal, browser, file, scores)
    for name in ("Math.ceil(1000 * chance)", "Math.ceil(factor / unit)"):
        assert name in text, f"nothing to break: {name}"
        file = page.with_name("broken_bound.html")
        file.write_text(text.replace(name, name.replace("ceil", "floor")), encoding="utf-8")
        must_fail(check_guarantee, browser, file)
    leak = page.with_name("broken_leak.html")
    smuggled = text.replace('"What the budget was spent on"', "`${internal?.scores.rows.real}`")
    assert smuggled != text, "nothing to smuggle into"
    leak.write_text(smuggled, encoding="utf-8")
    browser.open(leak)
    assert browser.value(FIND_PARTS) != parts, "a number of real rows in the publishable part is not seen"


def make_pages(sosia, folder):
    """A model, two sets of scores, and the pages about them; one column has a name that asks for trouble."""
    def run(*words):
        subprocess.run([sosia, *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def rename(name):
        rows = list(csv.reader((folder / name).open(encoding="utf-8")))
        rows[0] = [ODD_NAME if column == "age" else column for column in rows[0]]
        with (folder / name).open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows)

    for name, seed in (("real.csv", 1), ("holdout.csv", 2)):
        run("example", "clinic", "-n", 2000, "--seed", seed, "-o", name)
        rename(name)
    run("example", "clinic", "--schema", "-o", "clinic.json")
    schema = (folder / "clinic.json").read_text(encoding="utf-8").replace('"age"', json.dumps(ODD_NAME))
    (folder / "schema.json").write_text(schema, encoding="utf-8")
    run("fit", "real.csv", "--schema", "schema.json", "--epsilon", 3, "--quiet", "-o", "model.sosia")
    for name, rows in (("scores", 2000), ("few", 500)):
        run("sample", "model.sosia", "-n", rows, "-o", f"{name}.csv")
        run("evaluate", f"{name}.csv", "--real", "real.csv", "--holdout", "holdout.csv", "--schema", "schema.json",
            "--target", "readmitted", "--metrics", METRICS, "--quiet", "-o", f"{name}.json")
    run("report", "model.sosia", "--scores", "scores.json", "-o", "internal.html")
    run("report", "model.sosia", "-o", "publishable.html")
    run("compare", "scores.json", "few.json", "-o", "compare.html")
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("scores", "few")}


def check_image_pages(browser, sosia, folder):
    scores = image_pages.make_pages(sosia, folder)
    internal, publishable = folder / "image_internal.html", folder / "image_publishable.html"
    for width, dark in SIZES:
        browser.open(internal, width=width, dark=dark)
        check_quiet(browser, internal)
        check_drawn(browser, image_pages.INTERNAL + image_pages.PUBLISHABLE, width)
        check_numbers(browser, scores)
        image_pages.check_images(browser, internal, width)
    browser.open(publishable)
    check_quiet(browser, publishable)
    found = browser.value("[...document.querySelectorAll('section')].map(section => section.id)")
    assert sorted(found) == sorted(image_pages.PUBLISHABLE), found
    image_pages.check_images(browser, publishable, 1280)
    image_pages.check_nothing_real(publishable, internal)
    for page in image_pages.broken_pages(internal):
        must_fail(image_pages.check_images, browser, page, 1280)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sosia", required=True)
    options = parser.parse_args()
    if not Browser.program():
        raise SystemExit("there is no chromium; run tools/setup.sh test")
    with tempfile.TemporaryDirectory(prefix="sosia-report-") as name, Browser() as browser:
        folder = pathlib.Path(name)
        runs = make_pages(str(pathlib.Path(options.sosia).resolve()), folder)
        internal, scores = folder / "internal.html", runs["scores"]
        for width, dark in SIZES:
            check_internal(browser, internal, scores, width, dark)
            print(f"internal page, {width} pixels, {'dark' if dark else 'light'}: ok")
        browser.open(internal)
        parts = browser.value(FIND_PARTS)
        check_publishable(browser, folder / "publishable.html", parts)
        check_guarantee(browser, folder / "publishable.html")
        check_comparison(browser, folder / "compare.html", runs)
        check_controls(browser, internal)
        print("publishable page, comparison, controls: ok")
        check_mutations(browser, internal, scores, parts)
        check_image_pages(browser, str(pathlib.Path(options.sosia).resolve()), folder)
        print("broken pages are seen: ok")


if __name__ == "__main__":
    main()
