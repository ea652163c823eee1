// Release: what to look at first, the files, and every claim verified at once.

import { make, option } from "./dom.js";
import { answerTo, attempt, put, studio } from "./studio.js";
import { ask, pageAddress } from "./server.js";

const answer = answerTo("checklist", "release", render);

const KINDS = [["", "as the table"], ["csv", "CSV"], ["parquet", "Parquet"]];

// The file's kind is a key of the policy like all else: it can be undone, and copied as a command.
function kind() {
  const { release } = studio.state.document;
  return make("label", {}, "File ", make("select", { id: "kind", "data-key": "kind", disabled: Boolean(release?.table),
    onchange: (event) => put(["release", "file"], event.target.value || null, `release as ${event.target.selectedOptions[0].text}`) },
  KINDS.map(([value, text]) => option(value, text, release?.file ?? ""))));
}

const PAGES = { decision: "the decision page", explanation: "the explanation" };

function links() {
  const files = studio.released?.files ?? {};
  return Object.entries(PAGES).filter(([name]) => files[name]).map(([name, text]) =>
    make("a", { href: pageAddress(files[name].split(/[\\/]/).at(-1)), target: "_blank", rel: "noreferrer", id: `open-${name}`, "data-key": `open-${name}` }, `Open ${text}`));
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
  const checks = answer(panel);
  const ready = Boolean(studio.solution);
  panel.replaceChildren(make("div", { "data-view": "release" },
    make("section", { class: "card" },
      make("h2", {}, "Before the release"),
      checks ? make("ul", { role: "list", id: "checklist" }, checks.checks.map(check))
        : make("p", { class: "quiet" }, studio.failure ? "There is no solution to release." : "Looking …"),
      make("p", { class: "quiet" }, checks ? `The release, its manifest, an explanation and the decision page go to ${checks.folder}.` : ""),
      make("div", { class: "actions" }, kind(),
        make("button", { type: "button", class: "main", id: "write", "data-key": "write", disabled: !ready, onclick: write }, "Write and verify"), links())),
    released()));
}

export function update(panel) {
  render(panel);
}
