// Attackers: whom the table and the release are looked at as, with a slider for every stated probability.

import { make, option, share } from "./dom.js";
import { latest, on, studio } from "./studio.js";
import { ask } from "./server.js";
import { drawCurve, legend } from "./curve.js";

const SHOWN = 6; // sliders before the rest is folded
let listed = null;
let asked = null; // the revision that the list is of
let chosen = null;
let figures = {}; // by attacker: what sliders were moved to
let columns = {}; // by attacker: what its attributes are in the table
let question = 0;
const page = Math.random().toString(36).slice(2); // other pages of the studio hear the answers too

const result = make("div", { id: "attacked", role: "status" });
const card = make("section", { class: "card", id: "attackers" });

on(["state"], () => { asked = null; });

const refuse = ({ message }) => result.replaceChildren(make("p", { class: "note" }, message));

const look = latest(() => {
  question += 1;
  return ask("attack", { revision: studio.state.revision, attacker: chosen.key, figures: figures[chosen.key], columns: columns[chosen.key], asked: `${page} ${question}` });
}, refuse);

on(["attacked"], () => {
  const content = studio.attacked;
  if (content.asked !== `${page} ${question}`) return;
  if (content.error) {
    refuse({ message: content.error });
    return;
  }
  const points = content.risks.map((risk, at) => ({ risk, before: content.before.above[at], after: content.after.above[at] })).reverse();
  const words = (each) => `${share(each.mean)} on average and ${share(each.highest)} at most`;
  result.replaceChildren(drawCurve(points).picture, legend(),
    make("p", {}, `Found with a probability of ${words(content.before)} in the table, ${words(content.after)} in the release.`));
});

function slider(figure) {
  const values = figures[chosen.key];
  const key = `figure-${figure.name}`;
  const shown = make("output", { class: "number" }, (values[figure.name] ?? figure.value).toFixed(2));
  const input = make("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": figure.meaning, "data-key": key,
    oninput: () => { values[figure.name] = Number(input.value); shown.textContent = Number(input.value).toFixed(2); look(); } });
  input.value = values[figure.name] ?? figure.value;
  return make("div", { class: "slider chance" }, make("span", {}, figure.meaning), input, shown);
}

function fitting() {
  const named = columns[chosen.key];
  return chosen.lacks.map(({ attribute, choices }) => make("p", {}, make("label", {}, `${attribute} is `,
    make("select", { "data-key": `lacks-${attribute}`, onchange: (event) => { named[attribute] = event.target.value; look(); } },
      option("", "choose", named[attribute] ?? ""), choices.map((each) => option(each, each, named[attribute]))))));
}

function choose(key) {
  chosen = listed.find((each) => each.key === key) ?? listed[0];
  figures[chosen.key] ??= {};
  columns[chosen.key] ??= {};
  fill();
  if (chosen.lacks.every(({ attribute }) => columns[chosen.key][attribute])) look();
  else result.replaceChildren(make("p", { class: "quiet" }, "Say what these are in the table."));
}

function fill() {
  const reset = () => { figures[chosen.key] = {}; choose(chosen.key); };
  const [first, rest] = [chosen.figures.slice(0, SHOWN), chosen.figures.slice(SHOWN)];
  card.replaceChildren(make("h2", {}, "As an attacker sees it"),
    make("p", {}, make("label", {}, "Who ", make("select", { id: "attacker", "data-key": "attacker", onchange: (event) => choose(event.target.value) },
      listed.map((each) => option(each.key, each.name, chosen.key))))),
    ...fitting(), result, ...first.map(slider),
    rest.length ? make("details", {}, make("summary", {}, `${rest.length} more`), rest.map(slider)) : "",
    make("div", { class: "actions" }, make("button", { type: "button", "data-key": "figures-reset", onclick: reset }, "As stated")));
}

export function attackers() {
  if (studio.solution && asked !== studio.state.revision) {
    asked = studio.state.revision;
    ask("attackers").then((found) => {
      listed = found.attackers;
      choose(chosen?.key);
    }, (error) => card.replaceChildren(make("h2", {}, "As an attacker sees it"), make("p", { class: "quiet" }, error.message)));
  }
  return card;
}
