// SPDX-License-Identifier: Apache-2.0
// Pairs of columns: how wrong their tables are, and what they have to do with each other. Internal.

/// Both halves of a symmetric matrix, from its pairs.
const bothWays = (parts, valueOf) =>
  parts.flatMap(part => {
    const [a, b] = part.of,
      value = valueOf(part);
    return [
      {a, b, value, part},
      {a: b, b: a, value, part},
    ];
  });

/// Strength of colour is size; negative values have a colour of their own.
function matrix(cells, names, most, width, titleOf) {
  const room = Math.min(labelRoom(names, 14), width / 3),
    side = (width - room) / names.length;
  const sizeOf = cell => (cell.value == null ? 0 : Math.min(1, Math.abs(cell.value) / (most || 1)));
  const fontSize = Math.max(6, Math.min(11, side * 0.85));
  const axis = {label: null, domain: names, tickSize: 0, tickFormat: name => shortened(name, 14)};
  const made = plot({
    width,
    height: room + width - room,
    marginLeft: room,
    marginBottom: room,
    marginTop: 0,
    marginRight: 0,
    x: {...axis, tickRotate: -90},
    y: axis,
    marks: [
      Plot.cell(cells, {
        x: "a",
        y: "b",
        inset: side > 12 ? 0.75 : 0.25,
        rx: side > 12 ? 2 : 0,
        fill: cell => (cell.value < 0 ? "var(--negative)" : "var(--heat)"),
        fillOpacity: sizeOf,
        title: titleOf,
      }),
    ],
  });
  for (const text of made.querySelectorAll("g[aria-label$='tick label']")) text.setAttribute("font-size", fontSize);
  return made;
}

const namesOf = parts => [...new Set(parts.flatMap(part => part.of))];

/// Real and synthetic side by side, on one scale.
function matrixPair(metric, title, caption) {
  const names = namesOf(metric.parts);
  const most = d3.max(metric.parts, part => Math.max(Math.abs(part.real ?? 0), Math.abs(part.synthetic ?? 0)));
  const one = (key, label) =>
    element(
      "div",
      {},
      element("h3", {}, label),
      figure(
        width =>
          matrix(
            bothWays(metric.parts, part => part[key]),
            names,
            most,
            width,
            ({a, b, part}) => `${a}, ${b}\nsynthetic ${digits(part.synthetic)}\nreal ${digits(part.real)}`,
          ),
        null,
        520,
      ),
    );
  return element(
    "div",
    {},
    element("h3", {}, title),
    element("p", {class: "muted"}, caption, ` Full colour is ${digits(most)}.`),
    element("div", {class: "two"}, one("real", "real"), one("synthetic", "synthetic")),
  );
}

function worstPairs(metric, width) {
  const worst = d3.sort(metric.parts, part => -(part.synthetic - part.floor)).slice(0, 12);
  const labels = worst.map(part => part.of.map(name => shortened(name, 14)).join(" × "));
  return plot({
    width,
    height: 50 + 22 * worst.length,
    marginLeft: Math.min(labelRoom(labels, 31), 0.55 * width),
    marginRight: 16,
    marginTop: 4,
    marginBottom: 38,
    x: {
      label: "distance of the pair's tables; the tick is its floor",
      labelAnchor: "center",
      labelArrow: "none",
      ticks: 4,
      grid: true,
    },
    y: {label: null, domain: d3.range(worst.length), tickFormat: i => labels[i], tickSize: 0},
    marks: [
      Plot.barX(worst, {
        x: "synthetic",
        y: (_, i) => i,
        fill: "var(--synthetic)",
        fillOpacity: 0.55,
        insetTop: 3,
        insetBottom: 3,
        title: part => `${part.of.join(", ")}\nsynthetic ${digits(part.synthetic)}\nfloor ${digits(part.floor)}`,
      }),
      Plot.tickX(worst, {x: "floor", y: (_, i) => i, stroke: "var(--real)", strokeWidth: 2.5}),
    ],
  });
}

function pairErrors(metric) {
  const excess = part => Math.max(0, part.synthetic - part.floor),
    most = d3.max(metric.parts, excess);
  return element(
    "div",
    {},
    element("h3", {}, "Error of pairs"),
    element(
      "p",
      {class: "muted"},
      "How far the two-way table of a pair is from the real one, beyond what sampling alone does. ",
      `Full colour is ${digits(most)}.`,
    ),
    element(
      "div",
      {class: "two"},
      figure(
        width =>
          matrix(
            bothWays(metric.parts, excess),
            namesOf(metric.parts),
            most,
            width,
            ({a, b, part}) => `${a}, ${b}\nsynthetic ${digits(part.synthetic)}\nfloor ${digits(part.floor)}`,
          ),
        null,
        520,
      ),
      figure(width => worstPairs(metric, width), "The worst pairs, by how far they are beyond their floor."),
    ),
  );
}

function pairsSection({scores}, {columns}) {
  const error = metricOf(scores, "tvd_2"),
    information = metricOf(scores, "mutual_information"),
    correlation = metricOf(scores, "correlation");
  if (!error && !information && !correlation) return null;
  const isCut = columns.length > 40 ? " Of this table, the 40 columns are shown whose pairs come out worst." : "";
  return section(
    "pairs",
    "internal",
    ["Pairs", "Pairs of columns"],
    `Where relations between columns are kept, the pictures for real and synthetic rows are the same.${isCut}`,
    error ? pairErrors(error) : null,
    information
      ? matrixPair(information, "Mutual information", "How much one column tells about the other, in nats.")
      : null,
    correlation
      ? matrixPair(correlation, "Correlation", "Of numbers and ordered columns; negative ones have the other colour.")
      : null,
  );
}
