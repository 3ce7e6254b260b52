// SPDX-License-Identifier: Apache-2.0
// Puts the page together. What is publishable is made from one block of data, what is internal from the other.

const publishable = dataOf("publishable-data"),
  internal = dataOf("internal-data");

function headline() {
  if (!publishable)
    return [
      "Synthetic data, run against run",
      `${internal.runs.length} runs: ${internal.runs.map(run => run.name).join(", ")}`,
    ];
  const {method, columns, images, certificate} = publishable;
  const what = images
    ? `Images of ${images.width} x ${images.height} pixels${images.classes.length ? `, ${images.classes.length} classes` : ""}`
    : `${columns.length} columns`;
  return [
    internal ? "Synthetic data: internal report" : "Synthetic data report",
    `${what}, made by the method ${method} of sosia ${certificate.sosia}`,
  ];
}

function banner() {
  return element(
    "div",
    {class: "banner", id: "not-for-release"},
    element(
      "p",
      {},
      element("b", {}, "Not for release. "),
      "Parts marked internal are computed from real rows without noise, and no guarantee covers them: they are " +
        "for those who may see the real table. ",
      publishable
        ? ["For others there is a page without them: ", element("code", {}, "sosia report MODEL -o report.html"), "."]
        : null,
    ),
  );
}

function sections() {
  const hero = [
    publishable ? guaranteeCard(publishable) : null,
    internal?.verdict ? verdictCard(internal, publishable) : null,
  ].filter(card => card);
  const profile = publishable?.images ? imagesSection : profileSection;
  const open = publishable ? [publicFacts(publishable), profile(publishable)] : [];
  const closed = internal?.scores
    ? [
        internal.images ? besideSection(internal, publishable) : null,
        metricsSection(internal),
        columnsSection(internal, publishable),
        pairsSection(internal, publishable),
        scatterSection(internal),
        cloudSection(internal),
        learnersSection(internal),
      ]
    : internal
      ? compareSections(internal)
      : [];
  return {hero, rest: [...closed, ...open].filter(made => made)};
}

function navigation(list) {
  const link = made =>
    element(
      "li",
      {class: made.dataset.part === "publishable" ? "" : "marked"},
      element("a", {href: `#${made.id}`}, made.dataset.name),
    );
  return element("nav", {"aria-label": "Sections"}, element("ul", {}, list.map(link)));
}

function show() {
  const [title, subtitle] = headline(),
    {hero, rest} = sections();
  document.title = title;
  document
    .getElementById("top")
    .append(element("div", {}, element("h1", {}, title), element("p", {class: "muted"}, subtitle)), themeSwitch());
  document.getElementById("top").after(navigation([...hero, ...rest]));
  document
    .getElementById("page")
    .append(...(internal ? [banner()] : []), hero.length ? element("div", {class: "hero"}, hero) : "", ...rest);
  document
    .getElementById("end")
    .append(
      "Made by sosia. This page loads nothing from anywhere. Charts by d3 and Observable Plot (ISC licence, in " +
        "the page's source).",
    );
  fitCharts();
  new ResizeObserver(fitCharts).observe(document.getElementById("page"));
}

show();
