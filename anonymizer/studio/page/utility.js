// Utility: input and output side by side, the stated analyses, and what is left of columns, pairs and people.

import { make, section, whole } from "./dom.js";
import { answerTo, studio } from "./studio.js";
import { analyses } from "./analyses.js";
import { cell, scrolling } from "./rows.js";

let rows = null;
const answer = answerTo("utility", "utility", render);

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

export function render(panel) {
  const found = answer(panel);
  panel.replaceChildren(make("div", { "data-view": "utility" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Comparing …")
    : [sideBySide(), analyses(), found.sections.map((each) => section(each))]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
