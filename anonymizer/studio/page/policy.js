// The policy: what the last step changed, the whole text, undo and redo, and the same as commands.

import { make, say } from "./dom.js";
import { attempt, on, studio } from "./studio.js";
import { ask } from "./server.js";

export const undo = () => attempt(() => ask("undo", { revision: studio.state.revision }));
export const redo = () => attempt(() => ask("redo", { revision: studio.state.revision }));

export function toggle() {
  const panel = document.getElementById("policy");
  panel.hidden = !panel.hidden;
  renderTools();
  render();
}

function renderTools() {
  const { undo: back, redo: forth, open } = studio.state;
  const shown = !document.getElementById("policy").hidden;
  const tools = document.getElementById("tools");
  tools.hidden = !open;
  tools.replaceChildren(
    make("button", { type: "button", onclick: undo, disabled: !back, title: back ? `Undo: ${back} (u)` : "Nothing to undo", "data-key": "undo" }, "Undo"),
    make("button", { type: "button", onclick: redo, disabled: !forth, title: forth ? `Redo: ${forth} (r)` : "Nothing to redo", "data-key": "redo" }, "Redo"),
    make("button", { type: "button", onclick: toggle, "aria-expanded": String(shown), "aria-controls": "policy", "data-key": "policy", title: "The policy file (p)" }, "Policy"));
}

function lines(difference) {
  if (!difference.length) return make("p", { class: "quiet" }, "Nothing has changed since it was opened.");
  return make("pre", { class: "difference", tabindex: 0 }, difference.map((line) =>
    make("span", { class: line.startsWith("+") ? "added" : "removed" }, line)));
}

async function copy(text, what) {
  await navigator.clipboard.writeText(text);
  say(`${what} copied`);
}

function command({ title, shell, python }) {
  return make("section", { class: "command" },
    make("h4", {}, title),
    make("pre", { tabindex: 0 }, shell),
    make("button", { type: "button", onclick: () => copy(shell, "command line") }, "Copy as command line"),
    make("button", { type: "button", onclick: () => copy(python, "Python") }, "Copy as Python"));
}

function render() {
  const panel = document.getElementById("policy");
  if (panel.hidden || !studio.state.open) return;
  const { difference, label, text, commands, folder } = studio.state;
  panel.replaceChildren(
    make("h2", {}, "Policy"),
    make("p", { class: "quiet" }, `${folder}/policy.toml is the truth; it is written at every step.`),
    make("h3", {}, `Last step: ${label}`),
    lines(difference),
    make("h3", {}, "The file"),
    make("pre", { class: "file", tabindex: 0 }, text),
    make("h3", {}, "The same without the studio"),
    ...commands.map(command));
}

export function start() {
  on(["state"], () => { renderTools(); render(); });
}
