// Release: what to look at first, the files, and every claim verified at once.

import { keepFocus, make } from "./dom.js";
import { attempt, on, studio } from "./studio.js";
import { ask } from "./server.js";

let checks = null;
let asked = null; // the revision that the checklist is of

on(["state"], () => { checks = null; asked = null; });

async function load(panel) {
  if (!studio.solution || asked === studio.state.revision) return;
  asked = studio.state.revision;
  checks = await attempt(() => ask("checklist"));
  if (panel.querySelector("[data-view=release]")) keepFocus(() => render(panel));
}

const MARKS = { yes: "✓", no: "✗", open: "?" };
const WORDS = { yes: "holds", no: "does not hold", open: "look at it" };

function check({ claim, holds, detail }) {
  const state = holds === true ? "yes" : holds === false ? "no" : "open";
  return make("li", { class: `check ${state}` },
    make("span", { class: "mark", role: "img", "aria-label": WORDS[state] }, MARKS[state]),
    make("div", {}, make("div", {}, claim), detail ? make("div", { class: "quiet" }, detail) : null));
}

const write = () => attempt(() => ask("release", { revision: studio.state.revision }));

function released() {
  const found = studio.released;
  if (!found) return null;
  const state = found.passed ? "yes" : "no";
  return make("section", { class: "card", id: "released" },
    make("h2", {}, "Written and verified"),
    make("p", { class: `verdict ${state}`, role: "status" }, found.passed
      ? `Every claim holds: ${found.checks.filter((each) => each.holds).length} of ${found.checks.length} checked.`
      : "A claim does not hold, or could not be checked; do not publish this."),
    make("dl", {}, Object.entries(found.files).map(([kind, path]) => [make("dt", { class: "quiet" }, kind), make("dd", {}, make("code", {}, path))])),
    make("details", { open: !found.passed }, make("summary", {}, `All ${found.checks.length} claims`), make("ul", { role: "list" }, found.checks.map(check))));
}

export function render(panel) {
  load(panel);
  const ready = Boolean(studio.solution);
  panel.replaceChildren(make("div", { "data-view": "release" },
    make("section", { class: "card" },
      make("h2", {}, "Before the release"),
      checks ? make("ul", { role: "list", id: "checklist" }, checks.checks.map(check))
        : make("p", { class: "quiet" }, studio.failure ? "There is no solution to release." : "Looking …"),
      make("p", { class: "quiet" }, checks ? `The release, its manifest and a page for whoever decides go to ${checks.folder}. The file is of the kind of the table.` : ""),
      make("div", { class: "actions" },
        make("button", { type: "button", class: "main", id: "write", "data-key": "write", disabled: !ready, onclick: write }, "Write and verify"))),
    released()));
}

export function update(panel) {
  render(panel);
}
