// SPDX-License-Identifier: Apache-2.0
// Synthetic columns alone. Publishable: rows that the model made, and nothing else.

const kStates = 8;

/// States as bars that lie, the longest names cut; real shares, where there are any, as ticks.
function stateBars(states, width) {
  const labels = states.map(state => state.label),
    hasReal = states.some(state => state.real != null);
  const title = state =>
    `${state.label}\nsynthetic ${digits(state.synthetic)}` + (hasReal ? `\nreal ${digits(state.real)}` : "");
  return plot({
    width,
    height: 26 + 17 * states.length,
    marginLeft: Math.min(labelRoom(labels), width / 2),
    marginTop: 4,
    marginRight: 16,
    x: {
      label: null,
      tickFormat: value => `${Math.round(100 * value)} %`,
      ticks: 3,
      grid: true,
      domain: [0, Math.max(0.01, ...states.flatMap(state => [state.synthetic, state.real ?? 0]))],
    },
    y: {label: null, domain: states.map((_, i) => i), tickFormat: i => shortened(labels[i], 18), tickSize: 0},
    marks: [
      Plot.barX(states, {
        x: "synthetic",
        y: (_, i) => i,
        fill: "var(--synthetic)",
        fillOpacity: 0.55,
        insetTop: 2,
        insetBottom: 2,
        title,
      }),
      hasReal ? Plot.tickX(states, {x: "real", y: (_, i) => i, stroke: "var(--real)", strokeWidth: 2.5}) : null,
    ],
  });
}

/// The largest states of many; of the rest, how many rows have them.
function stateFigure(states, isOrdered) {
  const order = d3.sort(
    states.filter(state => state.synthetic > 0 || state.real > 0),
    state => -(state.real ?? state.synthetic),
  );
  const kept = new Set(order.slice(0, kStates)),
    rest = order.slice(kStates);
  const shown = isOrdered ? states.filter(state => kept.has(state)) : [...kept];
  const made = figure(width => stateBars(shown, width));
  if (rest.length) {
    const shareOf = key => percent(d3.sum(rest, state => state[key]));
    const others = rest.length > 1 ? `${rest.length} other values` : "1 other value";
    const real = rest.some(state => state.real != null) ? `, ${shareOf("real")} of real ones` : "";
    made.append(element("p", {class: "note"}, `${others}: ${shareOf("synthetic")} of synthetic rows${real}`));
  }
  return made;
}

function numberHistogram(profile, column, width) {
  const step = (profile.high - profile.low) / profile.shares.length;
  const scale = {date: 864e5, datetime: 1e3}[column.type];
  const at = value => (scale ? new Date(value * scale) : value);
  const bars = profile.shares.map((share, i) => ({
    share,
    from: at(profile.low + i * step),
    to: at(profile.low + (i + 1) * step),
  }));
  return plot({
    width,
    height: 120,
    marginLeft: 34,
    marginBottom: 24,
    marginTop: 8,
    x: {type: scale ? "utc" : "linear", label: null, ticks: scale ? 3 : 4},
    y: {label: null, tickFormat: value => `${+(100 * value).toPrecision(2)} %`, ticks: 3, grid: true},
    marks: [
      Plot.rectY(bars, {
        x1: "from",
        x2: "to",
        y: "share",
        fill: "var(--synthetic)",
        fillOpacity: 0.55,
        inset: 0.3,
        title: bar => `${percent(bar.share, 2)}`,
      }),
      Plot.ruleY([0], {stroke: "var(--rule)"}),
    ],
  });
}

function profileCell(profile, column) {
  const states = (profile.labels ?? []).map((label, i) => ({label, synthetic: profile.shares[i], real: null}));
  const chart = profile.labels
    ? stateFigure(states, column.type === "ordinal")
    : figure(width => numberHistogram(profile, column, width));
  return element(
    "div",
    {class: "cell"},
    element(
      "div",
      {class: "head"},
      element("h3", {}, profile.name),
      profile.missing > 0 ? element("span", {class: "num"}, `${percent(profile.missing)} missing`) : null,
    ),
    chart,
  );
}

function profileSection(model) {
  const {profiles, columns, rows} = model;
  const byName = new Map(columns.map(column => [column.name, column]));
  return section(
    "synthetic",
    partOf(model),
    ["Synthetic columns", "The synthetic columns"],
    `How ${count(rows)} rows that the model made are spread over the values of each column. Where a column ` +
      `reaches far, the outer bars hold what lies beyond.`,
    pages(profiles, 12, profile => profileCell(profile, byName.get(profile.name))),
  );
}
