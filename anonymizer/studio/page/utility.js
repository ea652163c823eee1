// Utility: input and output side by side, distributions and pairs before and after, who is missing.

import { chart, keepFocus, make, share, table, whole } from "./dom.js";
import { attempt, on, studio } from "./studio.js";
import { ask } from "./server.js";
import { analyses } from "./analyses.js";
import { cell, scrolling } from "./rows.js";

let found = null;
let asked = null;
let rows = null;

on(["state"], () => { found = null; asked = null; });

async function load(panel) {
  if (!studio.solution || asked === studio.state.revision) return;
  asked = studio.state.revision;
  found = await attempt(() => ask("utility"));
  if (panel.querySelector("[data-view=utility]")) keepFocus(() => render(panel));
}

function sideBySide() {
  rows ??= scrolling("Table and release", "output",
    (view) => make("tr", {}, make("th", {}, "#"), view.released.flatMap((name) => [make("th", { scope: "col" }, name), make("th", { scope: "col", class: "after" }, "released")])),
    (view, at) => {
      const after = view.after[at];
      return make("tr", { class: after ? undefined : "suppressed" }, make("td", { class: "position" }, whole(view.start + at + 1)),
        view.released.flatMap((name, place) => [cell(view.rows[at][view.columns.indexOf(name)]), after ? cell(after[place]) : make("td", {}, "suppressed")]));
    });
  rows.load();
  return make("section", { class: "card" }, make("h2", {}, "Input and output"), rows.element,
    make("p", { class: "quiet" }, "Rows stand beside what they become; the release itself is shuffled."));
}

function missing() {
  if (!found.subgroups.length) return null;
  return make("section", { class: "card" }, make("h2", {}, "Who is missing"),
    make("p", { class: "quiet" }, `${share(found.suppressed)} of all records are suppressed; of these more:`),
    table(["Who", "Records", "Suppressed", "Share"], found.subgroups.map((each) => [each.who, whole(each.records), whole(each.suppressed), share(each.share)]), { figures: [1, 2, 3] }));
}

export function render(panel) {
  load(panel);
  panel.replaceChildren(make("div", { "data-view": "utility" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Comparing …")
    : [
      sideBySide(),
      analyses(),
      make("section", { class: "card" }, make("h2", {}, "Distributions: table grey, release coloured"),
        make("div", { class: "charts" }, found.columns.map((each) => make("figure", {}, chart(each.chart), make("figcaption", { class: "quiet" }, each.caption))))),
      make("div", { class: "columns" },
        make("section", { class: "card" }, make("h2", {}, "Pairs of columns"), found.pairs ? chart(found.pairs) : null),
        missing()),
    ]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
