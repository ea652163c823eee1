// Release: what to look at first, the files, and every claim verified at once.

import { make, option } from "./dom.js";
import { answerTo, attempt, put, studio } from "./studio.js";
import { ask, pageAddress } from "./server.js";
import { context } from "./context.js";

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

const GROUPS = {
  fix: ["Must be fixed", "✗"], decide: ["To decide", "?"], fine: ["Fine", "✓"],
};

function item({ said, detail, panel }, state) {
  const there = panel === "release" ? "#context" : `#${panel}`;
  return make("li", { class: `check ${state}` },
    make("span", { class: "mark", "aria-hidden": "true" }, GROUPS[state][1]),
    make("div", {}, make("div", {}, said), detail ? make("div", { class: "quiet" }, detail) : null),
    state === "fine" ? null : make("a", { class: "button", href: there, "aria-label": `${panel === "release" ? "State it" : `Open ${titled(panel)}`}: ${said}` }, panel === "release" ? "State it" : `Open ${titled(panel)}`));
}

const titled = (panel) => panel[0].toUpperCase() + panel.slice(1);

function group(checks, state) {
  const found = checks.filter((each) => each.state === state);
  if (!found.length) return null;
  const heading = `${GROUPS[state][0]} (${found.length})`;
  const list = make("ul", { role: "list" }, found.map((each) => item(each, state)));
  return state === "fine" ? make("details", { "data-group": state }, make("summary", {}, heading), list)
    : make("div", { "data-group": state }, make("h3", {}, heading), list);
}

// What cannot be solved is the first thing to fix.
const unsolved = () => [{ state: "fix", said: "There is no release", detail: studio.failure, panel: "explore" }];

function claim({ claim: said, holds, detail }) {
  const state = holds === true ? "fine" : holds === false ? "fix" : "decide";
  const words = { fine: "holds", fix: "does not hold", decide: "not checked" }[state];
  return make("li", { class: `check ${state}` },
    make("span", { class: "mark", role: "img", "aria-label": words }, GROUPS[state][1]),
    make("div", {}, make("div", {}, said), detail ? make("div", { class: "quiet" }, detail) : null));
}

const write = () => attempt(() => ask("release", { revision: studio.state.revision }));

function verdict({ passed, checks }) {
  const holding = checks.filter((each) => each.holds).length;
  if (!passed) return "A claim does not hold, or could not be checked; do not publish this.";
  if (holding === checks.length) return `Every claim holds: all ${holding} are checked.`;
  return `No claim fails: ${holding} of ${checks.length} hold, ${checks.length - holding} could not be checked.`;
}

function released() {
  const found = studio.released;
  if (!found) return null;
  const state = found.passed ? "yes" : "no";
  return make("section", { class: "card", id: "released" },
    make("h2", {}, "Written and verified"),
    make("p", { class: `verdict ${state}`, role: "status" }, verdict(found)),
    make("dl", {}, Object.entries(found.files).map(([kind, path]) => [make("dt", { class: "quiet" }, kind), make("dd", {}, make("code", {}, path))])),
    make("details", { open: !found.passed }, make("summary", {}, `All ${found.checks.length} claims`), make("ul", { role: "list" }, found.checks.map(claim))));
}

export function render(panel) {
  const found = answer(panel);
  const checks = studio.failure ? unsolved() : found?.checks;
  const ready = Boolean(studio.solution) && checks && !checks.some((each) => each.state === "fix");
  panel.replaceChildren(make("div", { "data-view": "release" },
    make("section", { class: "card" },
      make("h2", {}, "Before the release"),
      checks ? make("div", { id: "checklist" }, Object.keys(GROUPS).map((state) => group(checks, state)))
        : make("p", { class: "quiet" }, "Looking …"),
      make("div", { class: "actions" }, kind(),
        make("button", { type: "button", class: "main", id: "write", "data-key": "write", disabled: !ready, onclick: write }, "Write and verify"), links()),
      make("p", { class: "quiet" }, ready ? `The release, its manifest, an explanation and the decision page go to ${found.folder}.`
        : checks ? "Nothing is written before what must be fixed is settled." : "")),
    released(), context()));
}

export const update = render;
