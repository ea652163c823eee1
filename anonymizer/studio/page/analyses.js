// Stated analyses: what each says of the table and of the release, and a form for one more.

import { make, option, section } from "./dom.js";
import { attempt, on, put, studio } from "./studio.js";
import { ask } from "./server.js";

// What each kind of analysis is stated with; "columns" and "predictors" are lists, and may be left out with "?".
const KINDS = {
  linear: ["formula"], logistic: ["formula", "positive"], cox: ["formula", "event", "positive"],
  survival: ["time", "event", "positive", "group?"], prediction: ["response", "predictors"],
  marginals: ["columns?"], "two-way": ["columns?"], queries: ["columns?"], subgroups: ["columns?"],
};
const LISTS = ["columns", "predictors"];
const HINTS = { formula: "stay ~ age + sex", positive: "a value", event: "a column", time: "a column", group: "a column", response: "a column", predictors: "age, sex", columns: "all" };

let found = null;
let asked = null; // the revision that they are of
let kind = "linear";
let stated = {};
const card = make("section", { class: "card", id: "analyses" });
const results = make("div", { role: "status" });
const form = make("div", {});

on(["state"], () => { asked = null; });
on(["evidence"], () => {
  if (studio.evidence.revision !== studio.state.revision) return;
  found = studio.evidence;
  show();
});

const remove = (at) => {
  const all = studio.state.document.analysis;
  put(all.length > 1 ? ["analysis", at] : ["analysis"], null, `without the analysis ${all[at].name}`);
};

const result = (each, at) => section(each, { heading: "h3", class: undefined,
  beside: [" ", make("button", { type: "button", "data-key": `drop-${at}`, onclick: () => remove(at) }, "Remove")] });

function show() {
  if (!found) results.replaceChildren(make("p", { class: "quiet" }, "Analysing …"));
  else if (found.error) results.replaceChildren(make("p", { class: "note" }, found.error));
  else if (!found.results.length) results.replaceChildren(make("p", { class: "quiet" }, "The policy states none. State what the release's users will compute."));
  else results.replaceChildren(...found.results.map(result));
}

function add() {
  const keys = { name: (stated.name ?? "").trim(), kind };
  for (const field of KINDS[kind]) {
    const name = field.replace("?", "");
    const text = (stated[name] ?? "").trim();
    if (!text && field.endsWith("?")) continue;
    keys[name] = LISTS.includes(name) ? text.split(",").map((each) => each.trim()).filter(Boolean) : text;
  }
  const all = studio.state.document.analysis;
  put(all ? ["analysis", all.length] : ["analysis"], all ? keys : [keys], `analysis ${keys.name}`);
}

function field(name, hint) {
  const input = make("input", { type: "text", placeholder: hint, "data-key": `analysis-${name}`, oninput: () => { stated[name] = input.value; } });
  input.value = stated[name] ?? "";
  return make("label", {}, `${name} `, input);
}

function fill() {
  form.replaceChildren(make("div", { class: "actions" },
    make("label", {}, "kind ", make("select", { "data-key": "analysis-kind", onchange: (event) => { kind = event.target.value; fill(); } }, Object.keys(KINDS).map((each) => option(each, each, kind)))),
    field("name", "what it is called"), KINDS[kind].map((each) => field(each.replace("?", ""), HINTS[each.replace("?", "")])),
    make("button", { type: "button", id: "add-analysis", "data-key": "add-analysis", onclick: add }, "Add")));
}

export function analyses() {
  if (studio.solution && asked !== studio.state.revision) {
    asked = studio.state.revision;
    found = null;
    show();
    attempt(() => ask("evidence", { revision: studio.state.revision }));
  }
  if (!card.childElementCount) {
    fill();
    card.append(make("h2", {}, "Stated analyses, on both"), results, make("h3", {}, "State one"), form);
  }
  return card;
}
