// SPDX-License-Identifier: Apache-2.0
// Images, a line of them for each class. Those that the model made are publishable; real ones are beside them in the
// internal part alone.

const kGap = 1; // pixels between two images of a line

/// The bytes of a line: image by image, row by row, all channels of a pixel together.
function lineCanvas({width, height, channels}, line, label) {
  const bytes = Uint8Array.from(atob(line), letter => letter.charCodeAt(0)),
    size = width * height * channels,
    many = Math.max(1, bytes.length / size);
  const canvas = element("canvas", {
    width: many * (width + kGap) - kGap,
    height,
    role: "img",
    "aria-label": label,
    style: `max-width:${many * 48}px`,
  });
  const context = canvas.getContext("2d");
  for (let image = 0; image * size < bytes.length; ++image) {
    const pixels = context.createImageData(width, height);
    for (let p = 0; p < width * height; ++p) {
      for (let c = 0; c < 3; ++c) pixels.data[4 * p + c] = bytes[image * size + p * channels + (c % channels)];
      pixels.data[4 * p + 3] = 255;
    }
    context.putImageData(pixels, image * (width + kGap), 0);
  }
  return canvas;
}

const lineNames = images => (images.classes.length ? images.classes : ["all"]);

/// Lines of several sets below each other, for every class.
function classLines(sets) {
  const line = (images, name, i) =>
    element("div", {class: "line"}, [
      sets.length > 1 ? element("span", {class: "muted"}, name) : null,
      images.lines[i]
        ? lineCanvas(images, images.lines[i], `${name} images of class ${lineNames(images)[i]}`)
        : element("span", {class: "muted"}, "none"),
    ]);
  return element(
    "div",
    {class: "lines"},
    lineNames(sets[0][1]).map((label, i) =>
      element(
        "div",
        {class: "cell", "data-class": label},
        element("h3", {}, label),
        sets.map(([name, images]) => line(images, name, i)),
      ),
    ),
  );
}

function imageFacts({width, height, channels, classes}) {
  const colours = channels === 1 ? "grey" : "colour";
  const labels = classes.length ? `, in ${classes.length} classes: ${classes.join(", ")}` : ", without classes";
  return element("p", {}, `Images of ${width} x ${height} pixels in ${colours}${labels}.`);
}

function imagesSection(model) {
  return section(
    "images",
    partOf(model),
    ["Synthetic images", "The synthetic images"],
    "The first images of each class that the model made, not the best ones.",
    classLines([["synthetic", model.images]]),
  );
}

function besideSection({images: real}, {images: made}) {
  return section(
    "beside",
    "internal",
    ["Real and synthetic", "Real images beside synthetic ones"],
    "The first of each class. Those on top are private: this page holds them.",
    classLines([
      ["real", {...real, classes: made.classes}],
      ["synthetic", made],
    ]),
  );
}
