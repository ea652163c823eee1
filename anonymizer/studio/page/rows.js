// Rows: input and output side by side, the classes of the output, and who is missing.

import { make, option, section, share, whole } from "./dom.js";
import { answerTo, studio } from "./studio.js";
import { cell, scrolling } from "./scrolling.js";

let rows = null;
let classes = null;
const rules = make("ul", { id: "rules" }); // what each rule dropped, as the newest answer has it
const which = { dropped: false, largest: false };
const answer = answerTo("utility", "rows", render);

function sideBySide() {
  rows ??= scrolling("Table and release", "output",
    (view) => make("tr", {}, make("th", { scope: "col" }, "#"), view.released.flatMap((name) => [make("th", { scope: "col" }, name), make("th", { scope: "col", class: "after" }, "released")])),
    (view, at) => {
      const after = view.after[at];
      return make("tr", { class: after ? undefined : "suppressed" }, make("td", { class: "position" }, whole(view.start + at + 1)),
        view.released.flatMap((name, place) => [cell(view.rows[at][view.columns.indexOf(name)]), after ? cell(after[place]) : make("td", {}, "suppressed")]));
    });
  rows.load();
  return make("section", { class: "card" }, make("h2", {}, "Input and output"), rows.element,
    make("p", { class: "quiet" }, "Rows stand beside what they become; the release itself is shuffled."));
}

function sayRules(found) {
  const lines = found.map(({ reason, classes: number, records }) =>
    `${whole(records)} records in ${whole(number)} ${number === 1 ? "class" : "classes"} (${share(records / studio.solution.records)}): ${reason}`);
  rules.replaceChildren(...(lines.length ? lines : ["Nothing was dropped."]).map((line) => make("li", {}, line)));
}

function browse() {
  classes ??= scrolling("Classes of the output", "classes",
    (view) => {
      sayRules(view.rules);
      const words = ["people", "records", ...view.columns, ...(view.dropped ? ["why"] : []), ...view.sensitive];
      return make("tr", {}, words.map((word) => make("th", { scope: "col" }, word)));
    },
    (view, at) => {
      const { people, records, values, sensitive, reason } = view.rows[at];
      return make("tr", {}, make("td", { class: "position" }, whole(people)), make("td", { class: "position" }, whole(records)),
        values.map((text) => cell(text)), view.dropped ? make("td", { class: "long" }, reason) : null, sensitive.map((text) => make("td", { class: "long" }, text)));
    }, { more: () => ({ ...which }), of: "Classes" });
  const choice = (key, words) => make("select", { "aria-label": key === "dropped" ? "Which classes" : "In which order", "data-key": `classes-${key}`,
    onchange: (event) => { which[key] = event.target.value === "true"; classes.top(); } },
  [false, true].map((value, at) => option(String(value), words[at], String(which[key]))));
  classes.load();
  return make("section", { class: "card", id: "classes" }, make("h2", {}, "Classes of the output"),
    make("p", { class: "quiet" }, "Whoever is in one class looks alike. Beside each class are its sensitive values, the most frequent first."),
    make("div", { class: "actions" }, choice("dropped", ["released classes", "dropped classes"]), choice("largest", ["the smallest first", "the largest first"])),
    classes.element, make("h3", {}, "What was dropped, by rule"), rules);
}

export function render(panel) {
  const found = answer(panel);
  panel.replaceChildren(make("div", { "data-view": "rows" }, !studio.solution
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Looking …")
    : [sideBySide(), browse(), found ? section(found.missing) : null]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
