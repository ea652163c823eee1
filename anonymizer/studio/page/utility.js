// Utility: the stated analyses, and what is left of columns and of pairs of them.

import { make, section } from "./dom.js";
import { answerTo, studio } from "./studio.js";
import { analyses } from "./analyses.js";

const answer = answerTo("utility", "utility", render);

export function render(panel) {
  const found = answer(panel);
  panel.replaceChildren(make("div", { "data-view": "utility" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Comparing …")
    : [found.sections.map((each, at) => section(each, { unfolded: at === 0 })), analyses()]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
