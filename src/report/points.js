// SPDX-License-Identifier: Apache-2.0
// Dimension-wise scatter plots, and rows in the plane where the real ones vary most. Internal.

/// Points on the line are right; those farthest from it are named.
function againstReal(points, {from, to, type}, axis, width) {
  const known = points.filter(point => point.real != null && point.synthetic != null);
  const far = d3.sort(known, point => -Math.abs(point.synthetic - point.real)).slice(0, 3);
  const isLeft = point => point.real > (from + to) / 2;
  const label = isAnchoredEnd => ({
    x: "real",
    y: "synthetic",
    text: point => shortened(point.of.join(": "), 26),
    fill: "var(--ink)",
    textAnchor: isAnchoredEnd ? "end" : "start",
    dx: isAnchoredEnd ? -8 : 8,
    stroke: "var(--paper)",
    strokeWidth: 4,
  });
  return plot({
    width,
    height: width,
    marginLeft: 44,
    marginBottom: 38,
    marginTop: 8,
    marginRight: 8,
    x: {
      type,
      domain: [from, to],
      label: `${axis}, real`,
      labelAnchor: "center",
      labelArrow: "none",
      ticks: 5,
      nice: false,
      grid: true,
    },
    y: {
      type,
      domain: [from, to],
      label: `${axis}, synthetic`,
      labelAnchor: "center",
      labelArrow: "none",
      ticks: 5,
      grid: true,
    },
    marks: [
      Plot.link([1], {x1: from, y1: from, x2: to, y2: to, stroke: "var(--real)"}),
      Plot.dot(known, {
        x: "real",
        y: "synthetic",
        r: 3.5,
        fill: "var(--synthetic)",
        fillOpacity: 0.6,
        title: point => `${point.of.join(": ")}\nsynthetic ${digits(point.synthetic)}\nreal ${digits(point.real)}`,
      }),
      Plot.text(far.filter(isLeft), label(true)),
      Plot.text(
        far.filter(point => !isLeft(point)),
        label(false),
      ),
    ],
  });
}

function scatterSection({scores}) {
  const probability = metricOf(scores, "probability"),
    prediction = metricOf(scores, "prediction");
  if (!probability && !prediction) return null;
  const shares = probability?.parts ?? [],
    guesses = prediction?.parts ?? [];
  const high = d3.max(shares, part => Math.max(part.real, part.synthetic)),
    low = Math.min(0, d3.min(guesses, part => Math.min(part.real ?? 0, part.synthetic ?? 0)) ?? 0);
  return section(
    "points",
    "internal",
    ["Points", "State by state, column by column"],
    "Every point that lies on the line is as in the real table.",
    element(
      "div",
      {class: "two"},
      probability
        ? figure(
            width => againstReal(shares, {from: 0, to: high, type: "sqrt"}, "share of rows", width),
            "Dimension-wise probability: each point is a value or a bin of a column. Axes are stretched near 0, " +
              "where rare values are.",
            480,
          )
        : null,
      prediction
        ? figure(
            width => againstReal(guesses, {from: low, to: 1, type: "linear"}, "success", width),
            "Dimension-wise prediction: each point is a column, guessed from all others by a model of real or of " +
              "synthetic rows. Accuracy; R² of numbers.",
            480,
          )
        : null,
    ),
  );
}

const startOf = label => Number(label.split(" from ")[1]);

function cloud(parts, key, most, width) {
  return plot({
    width,
    height: width,
    marginLeft: 34,
    marginBottom: 36,
    marginTop: 4,
    marginRight: 4,
    x: {domain: [-4, 4], label: "first component", labelAnchor: "center", labelArrow: "none", ticks: 5},
    y: {domain: [-4, 4], label: "second component", labelAnchor: "center", labelArrow: "none", ticks: 5},
    marks: [
      Plot.rect(parts, {
        x1: part => startOf(part.of[0]),
        x2: part => startOf(part.of[0]) + 0.5,
        y1: part => startOf(part.of[1]),
        y2: part => startOf(part.of[1]) + 0.5,
        inset: 0.25,
        fill: "var(--heat)",
        fillOpacity: part => Math.sqrt((part[key] ?? 0) / most),
        title: part => `synthetic ${digits(part.synthetic)}\nreal ${digits(part.real)}`,
      }),
    ],
  });
}

function cloudSection({scores}) {
  const metric = metricOf(scores, "pca");
  if (!metric) return null;
  const most = d3.max(metric.parts, part => Math.max(part.real ?? 0, part.synthetic ?? 0));
  const variance = (metric.counted?.["variance of first"] ?? 0) + (metric.counted?.["variance of second"] ?? 0);
  const one = key =>
    element(
      "div",
      {},
      element("h3", {}, key),
      figure(width => cloud(metric.parts, key, most, width), null, 440),
    );
  return section(
    "cloud",
    "internal",
    ["Clouds", "All columns in one picture"],
    `Rows in the plane where the real ones vary most (two principal components, ${percent(variance, 0)} of the ` +
      `variance), in standard deviations. The same clouds mean the same groups and outliers.`,
    element("div", {class: "two"}, one("real"), one("synthetic")),
  );
}
