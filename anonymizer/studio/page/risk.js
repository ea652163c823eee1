// Risk: before and after, what drives it, who is above which risk, and what is kept and tells.

import { attackers } from "./attackers.js";
import { drawCurve, legend } from "./curve.js";
import { draw, make, section, share } from "./dom.js";
import { attacks } from "./trials.js";
import { answerTo, studio } from "./studio.js";

let threshold = 0.2;
const answer = answerTo("risk", "risk", render, () => Boolean(studio.explanation));

// The curve is at one over whole sizes of classes, where it steps: risk falls from left to right.
function curve(points) {
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

export function render(panel) {
  const found = answer(panel);
  panel.replaceChildren(make("div", { "data-view": "risk" }, !found
    ? make("p", { class: "quiet" }, studio.failure ? "There is no solution to look at." : "Looking …")
    : [make("div", { class: "columns" },
      make("div", {}, found.sections.map((each) => section(each))),
      make("div", {},
        make("section", { class: "card" }, make("h2", {}, "People above a risk"), curve(found.curve)),
        attackers(),
        found.kept.map((each) => section(each, { id: "kept" })))), attacks()]));
}

export function update(panel) {
  if (studio.tried) return;
  render(panel);
}
