// The context of a decision: what no table tells, asked as a form and kept in its file.

import { make, option, say } from "./dom.js";
import { attempt, on } from "./studio.js";
import { ask } from "./server.js";

const card = make("section", { class: "card", id: "context", tabindex: -1 });
let asked = false;

on(["context"], () => { asked = false; });
on(["state"], () => { asked = false; });

const FIELDS = {
  choice: (field, properties) => make("select", properties, option("", "not stated", field.value ?? ""),
    field.choices.map(({ value, words }) => option(value, words, field.value ?? ""))),
  several: (field, properties) => {
    const box = make("textarea", { ...properties, rows: 2, placeholder: "one to a line" });
    box.value = Array.isArray(field.value) ? field.value.join("\n") : "";
    return box;
  },
  chance: (field, properties) => make("input", { ...properties, type: "number", min: 0, max: 100, step: "any", value: typeof field.value === "number" ? percent(field.value) : "" }),
  text: (field, properties) => make("input", { ...properties, type: "text", value: typeof field.value === "string" ? field.value : "" }),
};
const kindOf = (field) => (field.choices ? "choice" : field.several ? "several" : field.chance ? "chance" : "text");
const percent = (value) => Number((100 * value).toPrecision(12));

function row(field) {
  const id = `context-${field.key}`;
  const input = FIELDS[kindOf(field)](field, { id, "data-key": id });
  const none = field.several ? make("label", {}, make("input", { type: "checkbox", id: `${id}-none`, checked: Array.isArray(field.value) && !field.value.length }), " nothing does") : null;
  return [make("label", { for: id }, field.question), make("div", {}, input, field.chance ? " %" : "", none)];
}

function answer(field) {
  const input = document.getElementById(`context-${field.key}`);
  const text = input.value.trim();
  if (field.chance) return text ? Number((Number(text) / 100).toPrecision(12)) : null;
  if (!field.several) return text || null;
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.length || document.getElementById(`context-${field.key}-none`).checked ? lines : null;
}

async function save(fields) {
  const found = await attempt(() => ask("state-context", { stated: Object.fromEntries(fields.map((field) => [field.key, answer(field)])) }));
  if (found) say("The context is written down.");
}

function fill(found) {
  card.replaceChildren(make("h2", {}, "What no table tells"),
    make("p", { class: "quiet" }, `The decision page opens with this. It is kept in ${found.file} in the folder; what is left out is shown as not stated.`),
    found.fault ? make("p", { class: "note" }, found.fault) : "",
    make("form", { class: "fields", onsubmit: (event) => { event.preventDefault(); save(found.fields); } },
      found.fields.map(row), make("button", { type: "submit", id: "save-context", "data-key": "save-context" }, "Save")));
}

export function context() {
  if (!asked) {
    asked = true;
    attempt(() => ask("context")).then((found) => found && fill(found));
  }
  return card;
}
