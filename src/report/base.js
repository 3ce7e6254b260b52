// SPDX-License-Identifier: Apache-2.0
// What all parts of the page use: elements, numbers, sections, charts that fit their place.
"use strict";

const dataOf = id => JSON.parse(document.getElementById(id).textContent);

/// An element. Children are elements or texts; a text is never read as HTML.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) made.setAttribute(name, value);
  made.append(...children.flat(2).filter(child => child != null));
  return made;
}

/// As `sosia evaluate` prints it.
function digits(value) {
  if (value == null) return "–";
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(1);
  return size >= 0.001 || value === 0 ? value.toFixed(4) : value.toExponential(1);
}

/// A number of the scores, with the place it comes from: metric, of what, which of its numbers.
function numberOf(metric, of, key, value) {
  return element("span", {class: "num", "data-path": JSON.stringify([metric, of, key])}, digits(value));
}

const percent = (share, places = 1) => `${(100 * share).toFixed(places)} %`;
/// 0.000001 is hard to read.
const small = value => (value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential() : `${value}`);
const count = number => number.toLocaleString("en");
/// Long names may go on in the next line after an underscore.
const breakable = name => name.replaceAll("_", "_\u200b");
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const kTags = {
  publishable: "Publishable",
  internal: "Internal: computed from real rows, not for release",
  unguarded: "Made without a guarantee, not for release",
};

/// What a model tells may be published if its guarantee holds.
const partOf = model => (model.certificate.guarantee ? "publishable" : "unguarded");

/// `part` says from what it is made, and so who may see it. Titles have a short form for the list of sections.
function section(id, part, [name, title], lead, ...children) {
  return element(
    "section",
    {id, "data-part": part, "data-name": name},
    element("p", {class: "tag"}, kTags[part]),
    element("h2", {}, title),
    lead ? element("p", {class: "lead"}, lead) : null,
    ...children,
  );
}

const fitted = [];

/// A chart that is drawn as wide as its place, and again when that changes. `draw` takes the width.
function figure(draw, caption, most = Infinity) {
  const place = element("div", {class: "chart"});
  const made = element("figure", {}, place, caption ? element("figcaption", {}, caption) : null);
  fitted.push({place, draw, most, width: 0});
  return made;
}

function fitCharts() {
  for (const chart of fitted) {
    const width = Math.min(Math.floor(chart.place.clientWidth), chart.most);
    if (width === chart.width || width < 40) continue;
    chart.width = width;
    const drawn = chart.draw(width);
    drawn.setAttribute("role", "img");
    drawn.setAttribute(
      "aria-label",
      chart.place.closest(".cell")?.querySelector("h3").textContent ?? chart.place.closest("section").dataset.name,
    );
    chart.place.replaceChildren(drawn);
  }
}

/// Plot with the page's type, and colours that follow it from light to dark.
function plot(options) {
  return Plot.plot({
    ...options,
    style: {background: "none", fontFamily: "inherit", fontSize: "11px", overflow: "visible"},
  });
}

/// Room for labels of an axis, by the longest of them.
const labelRoom = (labels, most = 18) => 12 + 6.1 * Math.max(3, ...labels.map(text => Math.min(text.length, most)));

/// Items a page at a time, with a button for more.
function pages(items, size, render, className = "grid") {
  const place = element("div", {class: className}),
    more = element("button", {type: "button"});
  if (items.length <= 1.5 * size) size = items.length; // a button for a few would be in the way
  let shown = 0;
  const show = () => {
    place.append(...items.slice(shown, shown + size).map(render));
    shown = Math.min(items.length, shown + size);
    more.textContent = `Show ${Math.min(size, items.length - shown)} more of ${items.length}`;
    more.hidden = shown === items.length;
    fitCharts();
  };
  more.addEventListener("click", show);
  show();
  return element("div", {}, place, more);
}

function legend(real = true) {
  return element(
    "span",
    {class: "legend"},
    element("span", {}, element("i", {class: "bar"}), "synthetic"),
    real ? element("span", {}, element("i", {class: "tick"}), "real") : null,
  );
}

/// Follows the system until somebody chooses.
function themeSwitch() {
  const button = element("button", {type: "button", id: "theme"});
  const isDark = () =>
    (document.documentElement.dataset.theme ??
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  name();
  return button;
}
