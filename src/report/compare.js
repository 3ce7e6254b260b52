// SPDX-License-Identifier: Apache-2.0
// Several runs side by side. Internal.

const distanceFromGood = (better, value) =>
  value == null ? Infinity : better === "half" ? Math.abs(value - 0.5) : better === "smaller" ? value : -value;

/// Every metric that a run has, with the runs' scores of it; null where a run has it not.
function metricsOfRuns(runs) {
  const byName = new Map();
  for (const run of runs)
    for (const metric of run.scores.metrics) if (!byName.has(metric.name)) byName.set(metric.name, metric);
  return [...byName.values()].map(({name, says, better, group}) => ({
    name,
    says,
    better,
    group,
    scores: runs.map(run => run.scores.metrics.find(metric => metric.name === name) ?? null),
  }));
}

/// The run's number, and where it lies between its floor and its ceiling.
function compareCell(metric, run, score, isBest) {
  const number = numberOf(metric.name, [run.name], "synthetic", score?.synthetic);
  return element("td", {class: isBest ? "right best" : "right"}, number, score ? placeOf(score, metric.scores) : null);
}

function compareRow(runs, metric) {
  const {name, says, better, scores} = metric;
  const distances = scores.map(score => distanceFromGood(better, score?.synthetic));
  const known = distances.filter(distance => distance < Infinity);
  const best = known.length > 1 ? Math.min(...known) : null; // one alone is not the best of anything
  return element(
    "tr",
    {},
    element("td", {}, breakable(name), element("div", {class: "muted says"}, `${says}; ${kBetter[better]}`)),
    scores.map((score, i) => compareCell(metric, runs[i], score, distances[i] === best)),
  );
}

function compareTable(runs, metrics) {
  const head = [element("th", {}, "metric"), ...runs.map(run => element("th", {class: "right"}, run.name))];
  const verdicts = runs.map(run => element("td", {class: "right"}, gradeMark(run.verdict.grade)));
  return element(
    "div",
    {class: "wide"},
    element(
      "table",
      {class: "compare"},
      element("thead", {}, element("tr", {}, head)),
      element(
        "tbody",
        {},
        element("tr", {}, element("td", {}, "verdict"), verdicts),
        metrics.map(metric => compareRow(runs, metric)),
      ),
    ),
  );
}

/// A metric over the runs, with each run's floor and ceiling.
function compareChart(runs, {scores, better}, width) {
  const names = runs.map(run => run.name);
  const points = scores.map((score, i) => ({...score, run: names[i]})).filter(point => point.synthetic != null);
  const step = (width - 44) / names.length;
  return plot({
    width,
    height: 150,
    marginLeft: 44,
    marginBottom: step < 60 ? 60 : 26,
    marginTop: 10,
    x: {
      type: "band",
      domain: names,
      label: null,
      padding: 0.4,
      tickSize: 0,
      tickFormat: name => shortened(name, step < 60 ? 10 : 16),
      tickRotate: step < 60 ? -40 : 0,
    },
    y: {label: null, grid: true, ticks: 4, nice: true, zero: better === "smaller"},
    marks: [
      Plot.tickY(points, {x: "run", y: "ceiling", stroke: "var(--muted)", strokeDasharray: "2,2", strokeWidth: 2}),
      Plot.tickY(points, {x: "run", y: "floor", stroke: "var(--real)", strokeWidth: 2}),
      Plot.line(points, {x: "run", y: "synthetic", stroke: "var(--synthetic)", strokeWidth: 1.5}),
      Plot.dot(points, {
        x: "run",
        y: "synthetic",
        fill: "var(--synthetic)",
        r: 4.5,
        title: point =>
          `${point.run}\nsynthetic ${digits(point.synthetic)}\nfloor ${digits(point.floor)}\nceiling ` +
          `${digits(point.ceiling)}`,
      }),
    ],
  });
}

function compareSections({runs}) {
  const metrics = metricsOfRuns(runs);
  const cell = metric =>
    element(
      "div",
      {class: "cell", "data-metric": metric.name},
      element(
        "div",
        {class: "head"},
        element("h3", {}, metric.name),
        element("span", {class: "num"}, kBetter[metric.better]),
      ),
      figure(width => compareChart(runs, metric, width)),
    );
  return [
    section(
      "table",
      "internal",
      ["Table", "Runs side by side"],
      "The star marks the best of these runs. Each has its own floor (drawn from the real data) and ceiling " +
        "(every column or pixel drawn by itself).",
      placeKeys(),
      compareTable(runs, metrics),
    ),
    section(
      "charts",
      "internal",
      ["Charts", "Metric by metric"],
      "The dot is the run's score, the solid tick its floor (drawn from the real data), the dashed one its " +
        "ceiling (every column or pixel drawn by itself).",
      pages(metrics, 30, cell),
    ),
  ];
}
