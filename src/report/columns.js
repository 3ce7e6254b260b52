// SPDX-License-Identifier: Apache-2.0
// Single columns, real beside synthetic: the parts of the metric `probability`. Internal.

/// Columns with the shares of their states, and how far they are apart: half of the sum of differences. None where the
/// metric was not computed.
function columnsOf(scores, columns) {
  const types = new Map(columns.map(column => [column.name, column.type]));
  return [...d3.group(metricOf(scores, "probability")?.parts ?? [], part => part.of[0])].map(
    ([name, states], place) => ({
      name,
      place,
      type: types.get(name),
      states: states.map(({of, synthetic, real}) => ({label: of[1], synthetic, real})),
      distance: d3.sum(states, ({synthetic, real}) => Math.abs(synthetic - real)) / 2,
    }),
  );
}

const isNumber = type => ["integer", "real", "date", "datetime"].includes(type);

/// Bins have numbers and no edges: where one begins may be somebody's value.
function binBars(states, width) {
  const missing = states.filter(state => !state.label.startsWith("bin "));
  const bins = states.filter(state => state.label.startsWith("bin "));
  const all = [...bins, ...missing].map((state, i) => ({
    ...state,
    x1: i + 0.5 + (i >= bins.length ? 0.6 : 0),
    x2: i + 1.5 + (i >= bins.length ? 0.6 : 0),
  }));
  const outline = all.slice(0, bins.length).flatMap(({x1, x2, real}) => [
    [x1, real],
    [x2, real],
  ]);
  const ticks = bins.length > 1 && !missing.length ? [1, bins.length] : [1];
  return plot({
    width,
    height: 120,
    marginLeft: 34,
    marginBottom: 24,
    marginTop: 8,
    x: {
      label: null,
      ticks: [...ticks, ...missing.map((_, i) => bins.length + i + 1.6)],
      tickSize: 0,
      tickFormat: x => (x > bins.length + 0.5 ? "missing" : x === 1 ? "bin 1" : `${x}`),
    },
    y: {label: null, tickFormat: value => `${+(100 * value).toPrecision(2)} %`, ticks: 3, grid: true},
    marks: [
      Plot.rectY(all, {
        x1: "x1",
        x2: "x2",
        y: "synthetic",
        fill: "var(--synthetic)",
        fillOpacity: 0.55,
        inset: 0.3,
        title: state => `${state.label}\nsynthetic ${digits(state.synthetic)}\nreal ${digits(state.real)}`,
      }),
      Plot.line(outline, {stroke: "var(--real)", strokeWidth: 1.75}),
      Plot.link(all.slice(bins.length), {
        x1: "x1",
        x2: "x2",
        y1: "real",
        y2: "real",
        stroke: "var(--real)",
        strokeWidth: 2.5,
      }),
      Plot.ruleY([0], {stroke: "var(--rule)"}),
    ],
  });
}

function columnCell(column) {
  const chart = isNumber(column.type)
    ? figure(width => binBars(column.states, width))
    : stateFigure(column.states, column.type === "ordinal");
  const distance = element(
    "span",
    {class: "num", title: "total variation distance between real and synthetic"},
    digits(column.distance),
  );
  return element(
    "div",
    {class: "cell", "data-column": column.name},
    element("div", {class: "head"}, element("h3", {}, column.name), distance),
    chart,
  );
}

const kOrders = {
  "farthest first": column => -column.distance,
  "in the order of the table": column => column.place,
  "by name": column => column.name,
};

function columnsSection({scores}, {columns}) {
  const list = columnsOf(scores, columns);
  if (!list.length) return null;
  const place = element("div", {});
  const choice = element(
    "select",
    {id: "column-order"},
    Object.keys(kOrders).map(name => element("option", {}, name)),
  );
  const show = () => place.replaceChildren(pages(d3.sort(list, kOrders[choice.value]), 12, columnCell));
  choice.addEventListener("change", show);
  choice.value = Object.keys(kOrders)[0];
  show();
  return section(
    "columns",
    "internal",
    ["Columns", "Columns, real and synthetic"],
    "The share of rows in each value or bin: a bar that ends at its line is right. The number is the share of " +
      "rows that would have to move. Bins are numbered, since where one begins may be somebody's value.",
    element("div", {class: "controls"}, legend(), element("label", {}, "Columns ", choice)),
    place,
  );
}
