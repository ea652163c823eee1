// Utility: input and output side by side, distributions and pairs before and after, an analysis on both.

import { chart, keepFocus, make, option, share, whole } from "./dom.js";
import { attempt, on, studio } from "./studio.js";
import { ask } from "./server.js";
import { cell, scrolling } from "./rows.js";

let found = null;
let asked = null;
let table = null;
let analysis = null;
let chosen = {};

on(["state"], () => { found = null; asked = null; analysis = null; });

async function load(panel) {
  if (!studio.solution || asked === studio.state.revision) return;
  asked = studio.state.revision;
  found = await attempt(() => ask("utility"));
  if (found) await analyse();
  if (panel.querySelector("[data-view=utility]")) keepFocus(() => render(panel));
}

async function analyse() {
  const by = found.by.includes(chosen.by) ? chosen.by : found.by[0];
  const outcome = found.outcomes.includes(chosen.outcome) ? chosen.outcome : found.outcomes[0];
  chosen = { by, outcome };
  analysis = by && outcome ? await attempt(() => ask("analysis", chosen)) : null;
}

const choose = (key) => async (event) => {
  chosen[key] = event.target.value;
  await analyse();
  keepFocus(() => render(document.getElementById("perspective")));
};

function sideBySide() {
  table ??= scrolling("Table and release", "output",
    (view) => make("tr", {}, make("th", {}, "#"), view.released.flatMap((name) => [make("th", { scope: "col" }, name), make("th", { scope: "col", class: "after" }, "released")])),
    (view, at) => {
      const after = view.after[at];
      return make("tr", { class: after ? undefined : "suppressed" }, make("td", { class: "position" }, whole(view.start + at + 1)),
        view.released.flatMap((name, place) => [cell(view.rows[at][view.columns.indexOf(name)]), after ? cell(after[place]) : make("td", {}, "suppressed")]));
    });
  table.load();
  return make("section", { class: "card" }, make("h2", {}, "Input and output"), table.element,
    make("p", { class: "quiet" }, "Rows stand beside what they become; the release itself is shuffled."));
}

function number(value) {
  if (value === null) return "–";
  return analysis.share ? share(value) : value.toPrecision(4);
}

function analysisCard() {
  if (!analysis) return null;
  return make("section", { class: "card", id: "analysis" }, make("h2", {}, "An analysis on both"),
    make("p", {}, make("label", {}, "Of ", make("select", { "data-key": "outcome", onchange: choose("outcome") }, found.outcomes.map((name) => option(name, name, chosen.outcome)))),
      make("label", {}, " by ", make("select", { "data-key": "by", onchange: choose("by") }, found.by.map((name) => option(name, name, chosen.by))))),
    make("div", { class: "scroll" }, make("table", { class: "wide" },
      make("thead", {}, make("tr", {}, [chosen.by, "Rows", "Released", `Table: ${analysis.outcome}`, "Release"].map((name, at) => make("th", { scope: "col", class: at ? "number" : undefined }, name)))),
      make("tbody", {}, analysis.rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row.group || "(missing)"),
        [whole(row.rows_before), whole(row.rows_after), number(row.before), number(row.after)].map((text) => make("td", { class: "number" }, text))))))));
}

function missing() {
  if (!found.subgroups.length) return null;
  return make("section", { class: "card" }, make("h2", {}, "Who is missing"),
    make("p", { class: "quiet" }, `${share(found.suppressed)} of all records are suppressed; of these more:`),
    make("table", { class: "wide" }, make("thead", {}, make("tr", {}, ["Who", "Records", "Suppressed", "Share"].map((name, at) => make("th", { scope: "col", class: at ? "number" : undefined }, name)))),
      make("tbody", {}, found.subgroups.map((each) => make("tr", {}, make("td", {}, each.who), make("td", { class: "number" }, whole(each.records)), make("td", { class: "number" }, whole(each.suppressed)), make("td", { class: "number" }, share(each.share)))))));
}

export function render(panel) {
  load(panel);
  panel.replaceChildren(make("div", { "data-view": "utility" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Comparing …")
    : [
      sideBySide(),
      make("section", { class: "card" }, make("h2", {}, "Distributions: table grey, release coloured"),
        make("div", { class: "charts" }, found.columns.map((each) => make("figure", {}, chart(each.chart), make("figcaption", { class: "quiet" }, each.caption))))),
      make("div", { class: "columns" },
        make("section", { class: "card" }, make("h2", {}, "Pairs of columns"), found.pairs ? chart(found.pairs) : null),
        make("div", {}, analysisCard(), missing())),
    ]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
