// What takes long and is asked for by a button: attacks on the release, and analyses at every threshold.

import { chart, make, quality, section, share, table } from "./dom.js";
import { attempt, put, studio } from "./studio.js";
import { ask } from "./server.js";

const run = (question) => attempt(() => ask(question, { revision: studio.state.revision }));

const button = (question, words) => make("div", { class: "actions" },
  make("button", { type: "button", "data-key": question, disabled: !studio.solution, onclick: () => run(question) }, words));

export function attacks() {
  const found = studio.attacks;
  return make("div", { id: "attacks" },
    make("section", { class: "card" }, make("h2", {}, "Attacks, tried on this release"),
      make("p", { class: "quiet" }, "Each attack is tried on people of the table and on people who are not in the release; what counts is how much more often it works on the former. It takes some seconds to minutes; above it can be cancelled."),
      button("try-attacks", found ? "Try them again" : "Try attacks"),
      found?.error ? make("p", { class: "note" }, found.error) : null),
    found?.sections ? [section(found.sections[0]), make("details", { class: "card" }, make("summary", {}, "Attack by attack"), found.sections.slice(1).map((each) => section(each, { heading: "h3", class: undefined })))] : null);
}

const otherwise = ({ coefficients, changed, findings }) => (coefficients
  ? (changed.length ? `${changed.length} of ${coefficients} coefficients: ${changed.join(", ")}` : `none of ${coefficients} coefficients`)
  : findings.join(" "));

function row(point, own, choose) {
  const chosen = point.value === own;
  return { class: chosen ? "chosen" : undefined, cells: [`${point.value}${chosen ? " (the policy)" : ""}`, quality(point.quality), share(point.highest),
    ...point.outcomes.flatMap((each) => [each.value === null ? "not possible" : each.value.toPrecision(3), otherwise(each)]),
    chosen ? "" : make("button", { type: "button", "data-key": `outcome-${point.value}`, "aria-label": `Choose ${point.value}`, onclick: () => choose(point) }, "Choose")] };
}

// The frontier by what the analyses keep: their figures, signs and significance at each threshold.
export function outcomes(parameter, place) {
  const found = studio.outcomes;
  if (!studio.state.document.analysis || studio.problem.layers) return null;
  const model = studio.problem.models[place];
  const choose = (point) => put(["risk", place, parameter], point.value, `${model.name} ${parameter} = ${point.value}, chosen by the analyses`);
  return make("section", { class: "card", id: "outcomes" }, make("h2", {}, "What the analyses keep at each threshold"),
    found?.points ? null : make("p", { class: "quiet" }, "The policy's analyses are made on the table and on the best release of every threshold: how far their 95 % intervals agree, which signs and which significance change."),
    found?.points ? null : button("compare-thresholds", "Make the analyses at each threshold"),
    found?.error ? make("p", { class: "note" }, found.error) : null,
    found?.points ? [make("p", { class: "note" }, found.given_away),
      make("div", { class: "charts" }, found.analyses.map((each) => make("figure", {}, chart(each.chart), make("figcaption", { class: "quiet" }, each.figure)))),
      table([parameter, "quality", "highest risk", ...found.analyses.flatMap((each) => [each.figure, `${each.name}: concluded otherwise`]), "Choose"],
        found.points.map((point) => row(point, model.parameters[0].value, choose)), { figures: [1, 2, ...found.analyses.map((_, at) => 3 + 2 * at)] })] : null);
}
