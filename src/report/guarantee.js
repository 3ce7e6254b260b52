// SPDX-License-Identifier: Apache-2.0
// What the certificate promises, in plain words. Publishable: made from the model alone.

const kNeighbours = {
  "add-remove": "with or without it; how many rows there are is private too",
  "zero-out": "with it, or with an empty one in its place; the number of rows is public",
  replace: "with it, or with any other in its place; the number of rows is public",
};

function unitOf(promise) {
  const {column, max_rows: most} = promise.unit ?? {};
  return column
    ? {one: `a given “${column}”`, long: `all rows of one “${column}”, of which at most ${most} are used`}
    : {one: "a given row", long: "one row"};
}

/// Rounded up: a bound stays one.
const chanceText = chance => percent(Math.ceil(1000 * chance) / 1000);
function timesText(factor) {
  const unit = 10 ** (Math.floor(Math.log10(factor)) - 2);
  return (Math.ceil(factor / unit) * unit).toPrecision(3);
}

function chanceScale(chance) {
  const place = share => `${(100 * share).toFixed(2)}%`;
  return element(
    "div",
    {class: "scale", role: "img", "aria-label": `from 50 % to at most ${chanceText(chance)}`},
    element("div", {class: "bar"}),
    element("div", {class: "reach", style: `left:50%;width:${place(chance - 0.5)}`}),
    element("span", {style: "left:50%"}, "50 %: a coin"),
    element(
      "span",
      {class: "above", style: `left:clamp(3rem, ${place(chance)}, calc(100% - 4rem))`},
      `at most ${chanceText(chance)}`,
    ),
    element("span", {style: "left:100%;transform:translateX(-100%)"}, "100 %: certain"),
  );
}

/// What an attacker's best chance means, in words that get weaker with it.
function promiseText(chance, one) {
  if (chance <= 0.6) return `An observer can hardly tell whether ${one} was in the data.`;
  if (chance <= 0.75) return `It is hard to tell whether ${one} was in the data.`;
  if (chance <= 0.95) return `It is not easy to tell whether ${one} was in the data: a weak guarantee.`;
  return `This guarantee is so weak that it hardly hides whether ${one} was in the data.`;
}

function guaranteeText(certificate) {
  const {promise, total} = certificate,
    unit = unitOf(promise),
    before = certificate.public.discovered.filter(bought => !bought.own);
  return [
    element("p", {class: "figure-of"}, promiseText(certificate.best_chance, unit.one)),
    element(
      "p",
      {},
      `Who sees everything that was released, knows all other rows, and would otherwise toss a coin, ` +
        `guesses right in at most ${chanceText(certificate.best_chance)} of cases.`,
    ),
    chanceScale(certificate.best_chance),
    element(
      "dl",
      {},
      element("dt", {}, "Epsilon"),
      element(
        "dd",
        {},
        `${total.epsilon}: whatever is seen is at most ` +
          `${timesText(Math.exp(total.epsilon))} times as likely with ${unit.one} as without`,
      ),
      element("dt", {}, "Delta"),
      element("dd", {}, `${small(total.delta)}: an allowance for events outside the bound; it should be far below 1 / rows`),
      ...before.flatMap(bought => [
        element("dt", {}, "Part of it"),
        element(
          "dd",
          {},
          `epsilon ${bought.epsilon} and delta ${small(bought.delta)} for facts that were discovered before`,
        ),
      ]),
      element("dt", {}, "Protected unit"),
      element("dd", {}, unit.long),
      element("dt", {}, "Compared"),
      element("dd", {}, `${promise.relation}: the data ${kNeighbours[promise.relation] ?? ""}`),
      element("dt", {}, "Not covered"),
      element("dd", {}, "what was declared public (below), and other releases from the same data"),
    ),
  ];
}

function noGuarantee(certificate) {
  const why = !certificate.private
    ? "It was made without noise. Treat it like the data."
    : certificate.why_none === "the noise can be reproduced"
      ? "The noise was reproducible, as for tests: whoever knows the seed can take it off."
      : `Not all of it is covered: ${certificate.why_none}.`;
  return element(
    "div",
    {class: "banner", id: "no-guarantee"},
    element("p", {}, element("b", {}, "No guarantee. "), why),
  );
}

function guaranteeCard(model) {
  const {certificate} = model,
    card = section("guarantee", partOf(model), ["Guarantee", "The guarantee"], null);
  card.append(
    ...(certificate.guarantee ? guaranteeText(certificate) : [noGuarantee(certificate)]),
    ...spending(certificate),
  );
  return card;
}

function mechanismText(event) {
  const known = new Set(["mechanism", "count", "label", "share"]);
  const numbers = Object.entries(event)
    .filter(([key]) => !known.has(key))
    .map(([key, value]) => `${key} ${+value.toPrecision(4)}`);
  return `${event.count > 1 ? `${event.count} × ` : ""}${event.mechanism}, ${numbers.join(", ")}`;
}

function spendingBars({events, left}) {
  const bars = element("div", {class: "bars", role: "list"});
  const row = (name, share, note, className) => {
    bars.append(
      element("div", {class: "name", title: note}, name),
      element("div", {class: `track ${className}`}, element("div", {style: `width:${(100 * share).toFixed(2)}%`})),
      element("div", {class: "value num"}, percent(share)),
    );
  };
  for (const event of events) row(event.label || event.mechanism, event.share, mechanismText(event), "");
  if (left > 0.0005) row("not spent", left, "", "unused");
  return bars;
}

/// Every look at the data. Gaussian releases use the budget up by 1 / noise².
function spending(certificate) {
  const list = element(
    "ul",
    {},
    certificate.events.map(event => element("li", {}, `${event.label || "release"}: ${mechanismText(event)}`)),
  );
  const title = element("h3", {}, "What the budget was spent on");
  return certificate.left == null
    ? [title, list]
    : [title, spendingBars(certificate), element("details", {}, element("summary", {}, "Noise of each release"), list)];
}

function columnFacts(column) {
  const [low, high] = column.bounds ?? [];
  const asText = value =>
    column.type === "date"
      ? new Date(value * 864e5).toISOString().slice(0, 10)
      : column.type === "datetime"
        ? new Date(value * 1e3).toISOString().slice(0, 16).replace("T", " ")
        : `${value}`;
  const facts = column.bounds
    ? `${asText(low)} to ${asText(high)}${column.unit ? ` ${column.unit}` : ""}`
    : column.values != null
      ? `${column.values} values`
      : "";
  return element(
    "tr",
    {},
    element("td", {}, column.name),
    element("td", {}, column.type),
    element("td", {}, facts),
    element("td", {}, column.missing ? "may be missing" : ""),
  );
}

function boughtTitle(bought) {
  if (bought.own) return "Discovered with a part of the budget";
  if (!bought.guarantee) return "Discovered before, without a guarantee";
  return `Discovered before, for epsilon ${bought.epsilon} and delta ${bought.delta}`;
}

function publicFacts(model) {
  const {certificate, columns, images} = model;
  const rows = columns.map(columnFacts),
    most = 20;
  const table = rows => element("div", {class: "wide"}, element("table", {}, element("tbody", {}, rows)));
  const {declared, confirmed, discovered, left_out: leftOut} = certificate.public;
  const list = (title, facts) =>
    facts.length
      ? element(
          "details",
          {open: facts.length <= 12 ? "" : null},
          element("summary", {}, `${title} (${facts.length})`),
          element(
            "ul",
            {},
            facts.map(fact => element("li", {}, fact)),
          ),
        )
      : null;
  return section(
    "public",
    partOf(model),
    ["Public facts", "What was taken as public"],
    "Differential privacy does not cover facts that everybody may know. These were declared by the owner of the " +
      "data, or bought with a part of the budget.",
    list("Declared to be public", declared),
    list("Read off the data, then confirmed as public by the owner", confirmed),
    ...discovered.map(bought => list(boughtTitle(bought), bought.facts)),
    list("Columns left out, as too little of them could be discovered", leftOut),
    images
      ? imageFacts(images)
      : element(
          "details",
          {open: rows.length <= most ? "" : null},
          element("summary", {}, `Columns, and what may be in them (${rows.length})`),
          table(rows),
        ),
  );
}
