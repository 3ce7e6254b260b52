// SPDX-License-Identifier: Apache-2.0
// The verdict, every metric between its floor and its ceiling, and the classifiers. Internal.

const kSteps = ["poor", "weak", "fair", "good", "best"];

function gradeMark(grade) {
  const filled = kSteps.indexOf(grade) + 1;
  if (filled === 0) return element("span", {class: "grade"}, "not measured");
  return element(
    "span",
    {class: "grade"},
    `${grade} `,
    element("b", {}, "●".repeat(filled)),
    element("i", {}, "●".repeat(5 - filled)),
  );
}

/// The two columns that are worst, to begin with.
function farthest(columns) {
  if (!columns.length) return [];
  const worst = d3.sort(columns, column => -column.distance).slice(0, 2);
  return [
    element("h3", {}, "Farthest from the real table"),
    element("div", {class: "grid small"}, worst.map(columnCell)),
    legend(),
  ];
}

function verdictCard({verdict, scores}, {columns}) {
  const {synthetic, real, holdout} = scores.rows;
  return section(
    "verdict",
    "internal",
    ["Verdict", "How good is it?"],
    null,
    element("p", {class: "figure-of"}, verdict.sentence),
    element(
      "p",
      {class: "muted"},
      `${count(synthetic)} synthetic ${scores.features ? "images" : "rows"} against ${count(real)} real ones` +
        (holdout ? `, ${count(holdout)} held out.` : "."),
    ),
    element(
      "ul",
      {class: "answers"},
      verdict.answers.map(answer =>
        element(
          "li",
          {},
          element("div", {class: "head"}, answer.question, gradeMark(answer.grade)),
          element("p", {}, answer.sentence),
        ),
      ),
    ),
    farthest(columnsOf(scores, columns)),
  );
}

/// Where the score lies among the others, on the metric's own axis, which starts at 0 where 0 is best. Several runs
/// share an axis.
function placeOf({better, synthetic, floor, ceiling}, all = [{synthetic, floor, ceiling}]) {
  const known = all.flatMap(run => [run?.synthetic, run?.floor, run?.ceiling]).filter(value => value != null);
  const low = Math.min(...known, {smaller: 0, half: 0.5}[better] ?? Infinity);
  const high = Math.max(...known);
  const at = value => `${((100 * (value - low)) / (high - low || 1)).toFixed(2)}%`;
  const mark = (name, value) => (value == null ? null : element("i", {class: name, style: `left:${at(value)}`}));
  return element("div", {class: "place"}, mark("floor", floor), mark("ceiling", ceiling), mark("dot", synthetic));
}

const kGroups = {
  distributions: "Do they look alike?",
  use: "Do models that are trained on them work?",
  coverage: "Who is left out?",
  privacy: "Is there a sign of copying? No guarantee: that is the certificate's",
};
const kBetter = {smaller: "smaller is better", larger: "larger is better", half: "0.5 is best"};

function metricRow(metric) {
  const cell = key => element("td", {class: "right"}, numberOf(metric.name, [], key, metric[key]));
  return element(
    "tr",
    {},
    element(
      "td",
      {},
      breakable(metric.name),
      element("div", {class: "muted says"}, `${metric.says}; ${kBetter[metric.better]}`),
    ),
    element("td", {}, placeOf(metric)),
    cell("synthetic"),
    cell("floor"),
    cell("ceiling"),
  );
}

function placeKeys() {
  const key = name =>
    element(
      "span",
      {class: "key"},
      element("span", {class: "place"}, element("i", {class: name === "synthetic" ? "dot" : name, style: "left:50%"})),
      name,
    );
  return element("div", {class: "controls legend"}, ["synthetic", "floor", "ceiling"].map(key));
}

function metricsSection({scores}) {
  const head = ["metric", "", "synthetic", "floor", "ceiling"].map((text, i) =>
    element("th", {class: i > 1 ? "right" : ""}, text),
  );
  const rows = Object.entries(kGroups).flatMap(([group, title]) => {
    const metrics = scores.metrics.filter(metric => metric.group === group);
    return metrics.length
      ? [element("tr", {class: "group"}, element("th", {colspan: 5}, title)), ...metrics.map(metricRow)]
      : [];
  });
  const leftOut = Object.entries(scores.left_out ?? {}).map(([name, need]) => `${name} (needs ${need})`);
  return section(
    "metrics",
    "internal",
    ["Scores", "All scores"],
    scores.features
      ? "No score stands alone. Floor: as many images drawn from the real ones, the best that can be expected. " +
          "Ceiling: every pixel, and the class, drawn by itself. For signs of copying, the floor is a copy. Distances " +
          `between images are those of their features: ${scores.features}.`
      : "No score stands alone. Floor: as many rows drawn from the real ones, the best that can be expected. Ceiling:" +
          " every column drawn by itself, as if they had nothing to do with each other. For signs of copying, the " +
          "floor is a copy.",
    placeKeys(),
    element(
      "div",
      {class: "wide"},
      element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)),
    ),
    leftOut.length ? element("p", {class: "muted"}, `Left out: ${leftOut.join(", ")}.`) : null,
  );
}

const metricOf = (scores, name) => scores.metrics.find(metric => metric.name === name && metric.parts?.length);

function learnerDots(parts, measure, width) {
  const rows = parts.filter(part => part.of[1] === measure),
    names = rows.map(part => part.of[0]);
  return plot({
    width,
    height: 50 + 24 * rows.length,
    marginLeft: Math.min(labelRoom(names, 24), width / 2),
    marginRight: 16,
    marginTop: 4,
    marginBottom: 38,
    x: {label: measure, labelAnchor: "center", labelArrow: "none", grid: true, ticks: 4, nice: true},
    y: {label: null, domain: names, tickSize: 0, tickFormat: name => shortened(name, 24)},
    marks: [
      Plot.link(rows, {
        x1: "synthetic",
        x2: "real",
        y1: part => part.of[0],
        y2: part => part.of[0],
        stroke: "var(--muted)",
      }),
      Plot.dot(rows, {x: "ceiling", y: part => part.of[0], stroke: "var(--muted)", r: 3.5}),
      Plot.tickX(rows, {
        x: "real",
        y: part => part.of[0],
        stroke: "var(--real)",
        strokeWidth: 2.5,
        insetTop: 4,
        insetBottom: 4,
      }),
      Plot.dot(rows, {
        x: "synthetic",
        y: part => part.of[0],
        fill: "var(--synthetic)",
        r: 5,
        title: part => `${part.of[0]}\nsynthetic ${digits(part.synthetic)}\nreal ${digits(part.real)}`,
      }),
    ],
  });
}

function learnersSection({scores}) {
  const metric = metricOf(scores, "transfer");
  if (!metric) return null;
  const measures = [...new Set(metric.parts.map(part => part.of[1]))];
  const names = [...new Set(metric.parts.map(part => part.of[0]))];
  const find = (name, measure) => metric.parts.find(part => part.of[0] === name && part.of[1] === measure);
  const head = [
    element("th", {}, "classifier"),
    ...measures.flatMap(measure => [element("th", {class: "right"}, measure), element("th", {class: "right"}, "real")]),
  ];
  const rows = names.map(name =>
    element(
      "tr",
      {},
      element("td", {}, name),
      measures.flatMap(measure =>
        ["synthetic", "real"].map(key =>
          element(
            "td",
            {class: key === "real" ? "right muted" : "right"},
            numberOf("transfer", [name, measure], key, find(name, measure)?.[key]),
          ),
        ),
      ),
    ),
  );
  return section(
    "learners",
    "internal",
    ["Classifiers", "Classifiers"],
    scores.features
      ? "Each guesses the class of images held out. The dot was trained on synthetic images, the tick on real ones, " +
          "the ring on pixels drawn independently."
      : "Each guesses the target of rows held out. The dot was trained on synthetic rows, the tick on real ones, the " +
          "ring on columns drawn independently.",
    figure(width => learnerDots(metric.parts, measures[0], width), null, 720),
    element(
      "div",
      {class: "wide"},
      element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)),
    ),
  );
}
