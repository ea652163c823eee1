// Kept solutions side by side: quality, risk, what is left of each column, and who is dropped.

import { make, quality, say, share, table, whole } from "./dom.js";
import { attempt, change, studio } from "./studio.js";
import { ask } from "./server.js";

let all = null; // kept for this tab, by folder

const place = () => `kept ${studio.state.folder}`;
const store = () => sessionStorage.setItem(place(), JSON.stringify(all));

async function keep(redraw) {
  const found = await attempt(() => ask("keep"));
  if (!found) return;
  const number = 1 + Math.max(0, ...all.map((each) => each.number));
  all.push({ ...found, number, document: studio.state.document });
  store();
  say(`Solution ${number} is kept.`);
  redraw();
}

function drop(solution, redraw) {
  all = all.filter((each) => each !== solution);
  store();
  redraw();
}

function restore(solution) {
  const now = studio.state.document;
  const keys = [...new Set([...Object.keys(now), ...Object.keys(solution.document)])];
  change(keys.map((key) => ({ path: [key], value: solution.document[key] ?? null })), `back to solution ${solution.number}`);
}

function heading(solution, redraw) {
  return make("div", { class: "kept", "data-name": `solution ${solution.number}` }, make("strong", {}, `${solution.number}: ${solution.models.join(" and ")}`),
    make("button", { type: "button", "data-key": `restore-${solution.number}`, onclick: () => restore(solution) }, "Return to it"),
    make("button", { type: "button", "data-key": `forget-${solution.number}`, "aria-label": `Forget solution ${solution.number}`, onclick: () => drop(solution, redraw) }, "Forget"));
}

// Each figure as a row; the best of it is bold.
function row(name, figure, words, best = null) {
  const values = all.map(figure);
  const known = values.filter((value) => value !== null && value !== undefined);
  const most = best && known.length > 1 && new Set(known).size > 1 ? best(...known) : null;
  return [name, ...values.map((value) => {
    const text = value === null || value === undefined ? "–" : words(value);
    return value === most && most !== null ? make("strong", {}, text) : text;
  })];
}

function rows() {
  const columns = [...new Set(all.flatMap((each) => Object.keys(each.retained)))];
  const groups = [...new Set(all.flatMap((each) => each.most_dropped))];
  const label = (name, level) => studio.problem.attributes.find((each) => each.name === name)?.levels[level]?.label ?? `level ${level}`;
  const headed = (title, found) => found.map((cells, at) => (at ? cells : { cells, group: title }));
  return [
    ...headed("Quality and risk", [
      row("Quality", (each) => each.quality, quality, Math.max), row("Highest risk", (each) => each.highest, share, Math.min),
      row("Average risk", (each) => each.average, share, Math.min), row("Suppressed", (each) => each.suppressed, whole, Math.min),
      row("Proof", (each) => (each.proven ? "proven" : `gap ${quality(each.gap)}`), (words) => words)]),
    ...headed("What is left of each column", columns.map((name) => row(name, (each) => each.retained[name], share, Math.max))),
    ...headed("Levels", all.some((each) => each.layers) ? [] : columns.map((name) => row(name, (each) => each.scheme[name], (level) => label(name, level)))),
    ...headed("Dropped, of the records of a group", groups.map((name) => row(name, (each) => each.dropped[name], share, Math.min))),
  ];
}

export function kept(redraw) {
  all ??= JSON.parse(sessionStorage.getItem(place()) ?? "[]");
  return make("section", { class: "card", id: "candidates" }, make("h2", {}, "Kept solutions, side by side"),
    make("div", { class: "actions" }, make("button", { type: "button", "data-key": "keep", disabled: !studio.solution, onclick: () => keep(redraw) }, "Keep this solution"),
      all.length ? null : make("span", { class: "quiet" }, "Keep two or more, and compare what each leaves of the columns and whom it drops.")),
    all.length ? table(["Figure", ...all.map((each) => heading(each, redraw))], rows(), { figures: all.map((_, at) => at + 1) }) : null);
}
