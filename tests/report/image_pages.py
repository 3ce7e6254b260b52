# SPDX-License-Identifier: Apache-2.0
"""Pages about images: they draw the images that the model made, and real ones in the internal page alone."""
import base64
import json
import subprocess

METRICS = "class_balance,frechet,transfer,coverage,closest_record"
INTERNAL = ["verdict", "beside", "metrics", "learners"]
PUBLISHABLE = ["guarantee", "public", "images"]

# What is on each canvas, grey by grey, the gaps between images left out.
FIND_LINES = """[...document.querySelectorAll("#SECTION canvas")].map(canvas => {
  const {data, width} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const greys = [];
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) greys.push(data[i]);
  return [width, greys, canvas.getBoundingClientRect().width]; })"""


def make_pages(sosia, folder):
    """A model of made-up images, its scores, and the pages about them."""
    def run(*words):
        subprocess.run([sosia, *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    for name, seed in (("shapes.npz", 1), ("unseen.npz", 2)):
        run("example", "shapes", "-n", 600, "--seed", seed, "-o", name)
    run("example", "shapes", "--schema", "-o", "shapes.json")
    run("fit", "shapes.npz", "--schema", "shapes.json", "--method", "dp-merf", "--epsilon", 3, "--quiet", "--set", "steps=200",
        "-o", "shapes.sosia")
    run("sample", "shapes.sosia", "-n", 300, "-o", "made.npz")
    run("evaluate", "made.npz", "--real", "shapes.npz", "--holdout", "unseen.npz", "--model", "shapes.sosia", "--metrics", METRICS,
        "--quiet", "-o", "image_scores.json")
    run("report", "shapes.sosia", "--scores", "image_scores.json", "--real", "shapes.npz", "-o", "image_internal.html")
    run("report", "shapes.sosia", "-o", "image_publishable.html")
    return json.loads((folder / "image_scores.json").read_text(encoding="utf-8"))


def drawn(browser, section):
    return browser.value(FIND_LINES.replace("SECTION", section))


def as_drawn(images, line):
    """A line's bytes in the order of a canvas: row by row through all images."""
    data = base64.b64decode(line)
    width, size = images["width"], images["width"] * images["height"]
    return [grey for y in range(images["height"]) for start in range(y * width, len(data), size) for grey in data[start:start + width]]


def check_images(browser, page, wide):
    """Canvases show the bytes of the two blocks of data, each where it belongs, and fit into the window."""
    browser.open(page, width=wide)
    blocks = [json.loads(browser.value(f"document.getElementById('{part}-data').textContent")) for part in ("publishable", "internal")]
    made, real = blocks[0]["images"], (blocks[1] or {}).get("images")
    lines = drawn(browser, "images")
    assert len(lines) == len(made["classes"]) == 3, len(lines)
    for (_, greys, width), line in zip(lines, made["lines"]):
        assert greys == as_drawn(made, line) and len(set(greys)) > 20, "a line is not what the model made"
        assert 100 < width <= wide, width
    if real is None:
        return
    pairs = [line for both in zip(real["lines"], made["lines"]) for line in both]
    assert [greys for _, greys, _ in drawn(browser, "beside")] == [as_drawn(made, line) for line in pairs], "real and made are mixed up"


def check_nothing_real(publishable, internal):
    """No line of real images, whole or in part, is in the page for others, byte for byte."""
    def blocks(page):
        text = page.read_text(encoding="utf-8")
        return [text.split(f'id="{part}-data">')[1].split("</script>")[0] for part in ("publishable", "internal")]
    (open_block, closed_block), (same_block, internal_block) = blocks(publishable), blocks(internal)
    assert closed_block == "null" and open_block == same_block, "the publishable parts differ"
    real = json.loads(internal_block)["images"]["lines"]
    assert all(len(line) > 800 for line in real)
    text = publishable.read_text(encoding="utf-8")
    assert not any(line[at:at + 60] in text for line in real for at in range(0, len(line) - 60, 60)
                   if len(set(line[at:at + 60])) > 8), "a real image in the publishable page"


def broken_pages(page):
    """Pages that a check must refuse: real images in the place of synthetic ones, and the two mixed up."""
    text = page.read_text(encoding="utf-8")
    for name, (from_, to) in {"real": ('[["synthetic", model.images]]', '[["synthetic", {...model.images, lines: internal.images.lines}]]'),
                              "mixed": ('["real", {...real, classes', '["real", {...made, classes')}.items():
        assert from_ in text, f"nothing to break: {name}"
        file = page.with_name(f"broken_{name}.html")
        file.write_text(text.replace(from_, to), encoding="utf-8")
        yield file
