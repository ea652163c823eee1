// Risk: class sizes in people, who is above which risk, what drives it, and what is kept and tells.

import { chart, draw, keepFocus, make, share, whole } from "./dom.js";
import { attempt, on, studio } from "./studio.js";
import { ask } from "./server.js";

let found = null;
let asked = null;
let threshold = 0.2;

on(["state"], () => { found = null; asked = null; });

async function load(panel) {
  const wanted = `${studio.state.revision} ${Boolean(studio.explanation)}`;
  if (!studio.solution || asked === wanted) return;
  asked = wanted;
  found = (await attempt(() => ask("risk"))) ?? found;
  if (panel.querySelector("[data-view=risk]")) keepFocus(() => render(panel));
}

const FIGURES = [["People", "people", whole], ["Classes", "classes", whole], ["Highest risk", "highest", share], ["Average risk", "average", share],
  ["Unique in the table", "uniques", whole], ["Smallest class", "smallest", whole], ["Median class", "median", whole], ["Largest class", "largest", whole],
  ["Highest risk, population known", "journalist", share], ["Unique in the population, expected", "population_uniques", (value) => whole(Math.round(value))]];

function profile() {
  const rows = FIGURES.filter(([, key]) => found.after[key] !== null);
  return make("table", { class: "wide", id: "profile" },
    make("thead", {}, make("tr", {}, make("th", {}), ["Table", "Release"].map((name) => make("th", { scope: "col", class: "number" }, name)))),
    make("tbody", {}, rows.map(([name, key, write]) => make("tr", {}, make("th", { scope: "row" }, name),
      [found.before, found.after].map((each) => make("td", { class: "number" }, each[key] === null ? "–" : write(each[key])))))));
}

// The curve is at one over whole sizes of classes, where it steps: risk falls from left to right.
function curve() {
  const [width, height, left, bottom] = [540, 220, 48, 30];
  const points = found.curve;
  const x = (risk) => left + (width - left - 30) * Math.log(risk / points.at(-1).risk) / Math.log(1 / points.at(-1).risk);
  const y = (value) => 8 + (height - bottom - 8) * (1 - value);
  const line = (key) => points.map((point, at) => `${at ? "L" : "M"}${x(point.risk).toFixed(1)} ${y(point[key]).toFixed(1)}`).join(" ");
  const mark = draw("line", { x1: 0, x2: 0, y1: 8, y2: height - bottom, class: "threshold" });
  const words = make("p", { role: "status", id: "above" });
  const ticks = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
  const picture = draw("svg", { class: "chart curve", viewBox: `0 0 ${width} ${height}`, width, role: "img" },
    draw("title", {}, "The share of the people above each risk, before and after"),
    [0, 0.25, 0.5, 0.75, 1].map((value) => [draw("line", { x1: left, x2: width - 30, y1: y(value), y2: y(value) }), draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", fill: "currentColor" }, `${100 * value} %`)]),
    ticks.map((risk) => draw("text", { x: x(risk), y: height - 12, "text-anchor": "middle", fill: "currentColor" }, `${100 * risk} %`)),
    draw("path", { d: line("before"), class: "before" }), draw("path", { d: line("after"), class: "after" }), mark);
  const show = () => {
    const at = points.findLast((point) => point.risk >= threshold - 1e-9) ?? points[0];
    mark.setAttribute("x1", x(threshold));
    mark.setAttribute("x2", x(threshold));
    words.textContent = `Above ${share(at.risk)}: ${share(at.before)} of the people of the table, ${share(at.after)} of those of the release.`;
  };
  const slider = make("input", { type: "range", min: Math.log(points.at(-1).risk), max: 0, step: 0.01, value: Math.log(threshold), "aria-label": "risk", "data-key": "threshold",
    oninput: () => { threshold = Math.exp(Number(slider.value)); show(); } });
  show();
  return make("div", {}, picture, make("label", {}, "Risk ", slider), words,
    make("p", { class: "legend" }, make("span", { class: "swatch-before" }, "table"), make("span", { class: "swatch-after" }, "release")));
}

function sensitive() {
  const names = Object.keys(found.sensitive);
  if (!names.length) return null;
  return make("section", { class: "card" }, make("h2", {}, "What classes give away"),
    make("div", { class: "scroll" }, make("table", { class: "wide" },
      make("thead", {}, make("tr", {}, ["Column", "Fewest values in a class", "Largest share of one value", "Classes with one value"].map((name, at) => make("th", { scope: "col", class: at ? "number" : undefined }, name)))),
      make("tbody", {}, names.map((name) => make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "number" }, whole(found.sensitive[name].least_distinct)),
        make("td", { class: "number" }, share(found.sensitive[name].greatest_share)), make("td", { class: "number" }, whole(found.sensitive[name].one_value))))))));
}

function kept() {
  return make("section", { class: "card", id: "kept" }, make("h2", {}, "Kept as it is"),
    make("p", {}, `${share(found.unique_by_kept)} of the people are unique by these columns together.`),
    found.warnings.map((text) => make("p", { class: "note" }, text)),
    make("table", { class: "wide" },
      make("thead", {}, make("tr", {}, ["Column", "Role", "Values", "Unique by it"].map((name, at) => make("th", { scope: "col", class: at > 1 ? "number" : undefined }, name)))),
      make("tbody", {}, found.kept.map((each) => make("tr", {}, make("th", { scope: "row" }, each.column), make("td", {}, each.role), make("td", { class: "number" }, whole(each.distinct)), make("td", { class: "number" }, share(each.unique)))))));
}

export function render(panel) {
  load(panel);
  panel.replaceChildren(make("div", { "data-view": "risk" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Looking …")
    : [
      make("div", { class: "columns" },
        make("div", {},
          make("section", { class: "card" }, make("h2", {}, "Before and after"), profile()),
          make("section", { class: "card" }, make("h2", {}, "Class sizes, in people"), make("h3", {}, "Table"), chart(found.sizes.before), make("h3", {}, "Release"), chart(found.sizes.after))),
        make("div", {},
          make("section", { class: "card" }, make("h2", {}, "People above a risk"), curve()),
          make("section", { class: "card" }, make("h2", {}, "What exposes people"), found.drivers ? chart(found.drivers) : null,
            make("p", { class: "quiet" }, "The part of the models' risk that would be gone without the attribute, with nothing suppressed.")),
          kept(), sensitive())),
    ]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
