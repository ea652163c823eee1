// Risk: class sizes in people, who is above which risk, what drives it, and what is kept and tells.

import { attackers } from "./attackers.js";
import { drawCurve, legend } from "./curve.js";
import { chart, draw, keepFocus, make, share, table, whole } from "./dom.js";
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
  const written = ([name, key, write]) => [name, ...[found.before, found.after].map((each) => (each[key] === null ? "–" : write(each[key])))];
  return table(["", "Table", "Release"], rows.map(written), { id: "profile", figures: [1, 2] });
}

// The curve is at one over whole sizes of classes, where it steps: risk falls from left to right.
function curve() {
  const points = found.curve;
  const mark = draw("line", { x1: 0, x2: 0, class: "threshold" });
  const words = make("p", { role: "status", id: "above" });
  const { picture, x, top, bottom } = drawCurve(points, mark);
  mark.setAttribute("y1", top);
  mark.setAttribute("y2", bottom);
  const show = () => {
    const at = points.findLast((point) => point.risk >= threshold - 1e-9) ?? points[0];
    mark.setAttribute("x1", x(threshold));
    mark.setAttribute("x2", x(threshold));
    words.textContent = `Above ${share(at.risk)}: ${share(at.before)} of the people of the table, ${share(at.after)} of those of the release.`;
  };
  const slider = make("input", { type: "range", min: Math.log(points.at(-1).risk), max: 0, step: 0.01, value: Math.log(threshold), "aria-label": "risk", "data-key": "threshold",
    oninput: () => { threshold = Math.exp(Number(slider.value)); show(); } });
  show();
  return make("div", {}, picture, make("label", {}, "Risk ", slider), words, legend());
}

function sensitive() {
  const columns = Object.entries(found.sensitive);
  if (!columns.length) return null;
  return make("section", { class: "card" }, make("h2", {}, "What classes give away"),
    table(["Column", "Fewest values in a class", "Largest share of one value", "Classes with one value"],
      columns.map(([name, each]) => [name, whole(each.least_distinct), share(each.greatest_share), whole(each.one_value)]), { figures: [1, 2, 3] }));
}

function kept() {
  return make("section", { class: "card", id: "kept" }, make("h2", {}, "Kept as it is"),
    make("p", {}, `${share(found.unique_by_kept)} of the people are unique by these columns together.`),
    found.warnings.map((text) => make("p", { class: "note" }, text)),
    table(["Column", "Role", "Values", "Unique by it"], found.kept.map((each) => [each.column, each.role, whole(each.distinct), share(each.unique)]), { figures: [2, 3] }));
}

export function render(panel) {
  load(panel);
  panel.replaceChildren(make("div", { "data-view": "risk" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Looking …")
    : [
      make("div", { class: "columns" },
        make("div", {},
          make("section", { class: "card" }, make("h2", {}, "Before and after"), profile()),
          make("section", { class: "card" }, make("h2", {}, "Class sizes, in people"), make("h3", {}, "Table"), chart(found.sizes.before), make("h3", {}, "Release"), chart(found.sizes.after)),
          make("section", { class: "card" }, make("h2", {}, "What exposes people"), found.drivers ? chart(found.drivers) : null,
            make("p", { class: "quiet" }, "The part of the models' risk that would be gone without the attribute, with nothing suppressed.")),
          sensitive()),
        make("div", {},
          make("section", { class: "card" }, make("h2", {}, "People above a risk"), curve()),
          attackers(),
          kept())),
    ]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
