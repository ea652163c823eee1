// Start: what each column is, what is proposed for it, and the table itself.

import { draw, keepFocus, make, option, share, table, whole } from "./dom.js";
import { attempt, studio } from "./studio.js";
import { ask } from "./server.js";
import { cell, scrolling } from "./scrolling.js";

const ROLES = { identifying: "removed: it names people", removed: "removed to limit risk", quasi: "generalized", sensitive: "kept, sensitive", insensitive: "kept" };
const UNSAID = "(not said)";
const KEYS = { i: "identifying", r: "removed", q: "quasi", s: "sensitive", k: "insensitive" };

let asked = null; // the answer to "columns": once for a table and an id
let counted = null; // the id by which people are counted in it
let loading = false;
let chosen = null; // the column that one key acts on
let cells = null; // the table itself, as far as it is in view

async function load() {
  if (loading) return;
  loading = true;
  counted = idColumn();
  const found = await attempt(() => ask("columns"));
  loading = false;
  if (!found) return;
  if (!asked) [recipient, needed] = [found.recipient ?? "", new Set(found.needed)];
  asked = found;
  const panel = document.getElementById("perspective");
  if (panel.querySelector("[data-view=start]")) keepFocus(() => render(panel));
}

const attributes = () => studio.state.document.attributes ?? {};
const roleOf = (name) => attributes()[name]?.role ?? studio.state.document.data?.default_role;
const idColumn = () => studio.state.document.data?.id ?? null;

const setRole = (column, role) =>
  attempt(() => ask("role", { revision: studio.state.revision, column, role }));
const setPerson = (column) =>
  attempt(() => ask("person", { revision: studio.state.revision, column }));

export function bars(distribution, width = 120, height = 30) {
  const most = Math.max(1, ...distribution.bars.filter((bar) => !bar.others).map((bar) => bar.count));
  const step = width / Math.max(1, distribution.bars.length);
  const words = distribution.bars.map((bar) => `${bar.label}: ${whole(bar.count)}`).join("\n");
  return draw("svg", { class: "bars", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
    draw("title", {}, words),
    distribution.bars.map((bar, at) => {
      const tall = Math.min(height, Math.max(1, (height - 1) * bar.count / most));
      return draw("rect", { x: at * step, y: height - tall, width: Math.max(1, step - 1), height: tall, class: bar.others ? "others" : undefined });
    }));
}

function select(name) {
  const role = roleOf(name);
  return make("select", {
    "aria-label": `Role of ${name}`, class: `role-${role}`, "data-key": `role-${name}`,
    onchange: (event) => setRole(name, event.target.value),
  }, Object.entries(ROLES).map(([value, words]) => option(value, `${value} (${words})`, role)));
}

function row(column) {
  const differs = roleOf(column.name) !== column.proposed;
  const why = [differs ? make("span", { class: "differs" }, `proposed: ${column.proposed}; `) : null,
    `${column.reason} (${column.confidence === "given" ? "said so" : `${column.confidence} confidence`})`];
  return {
    tabindex: 0, class: chosen === column.name ? "chosen" : undefined, "data-column": column.name,
    "data-key": `column-${column.name}`,
    onfocus: (event) => choose(event.currentTarget, column.name),
    onclick: (event) => choose(event.currentTarget, column.name),
    cells: [[column.name, idColumn() === column.name ? make("span", { class: "quiet" }, " · tells whose each row is") : null],
      column.content, bars(column.distribution), whole(column.distinct), whole(column.missing), share(column.unique),
      select(column.name), make("span", { class: "why" }, why)],
  };
}

function choose(element, name) {
  chosen = name;
  for (const other of element.parentElement.children) other.classList.toggle("chosen", other === element);
}

const KEPT = ["sensitive", "insensitive"];
const SINGLES_OUT = 0.05;

// What the steward should look at first: what is kept and tells, then what the proposal is not sure of.
const GROUPS = {
  decide: "Decide: the proposal is not sure, or what is kept singles people out",
  look: "Look at: the proposal follows from the cells alone",
  fine: "Fine: the proposal is sure, or you chose",
};

function groupOf(column) {
  const role = roleOf(column.name);
  if (KEPT.includes(role) && column.unique >= SINGLES_OUT) return "decide";
  if (role !== column.proposed) return "fine";
  return { low: "decide", medium: "look" }[column.confidence] ?? "fine";
}

function grouped() {
  return Object.keys(GROUPS).flatMap((group) => {
    const found = asked.columns.filter((column) => groupOf(column) === group);
    return found.map((column, at) => ({ ...row(column), group: at ? null : `${GROUPS[group]} (${found.length})` }));
  });
}

// --- three questions

function question(title, found, ...controls) {
  return make("fieldset", { class: "question" }, make("legend", {}, title), make("p", { class: "quiet" }, found), ...controls);
}

function person() {
  const offered = asked.columns.filter((column) => column.may_be_id || ["identifying", "removed"].includes(roleOf(column.name)) || idColumn() === column.name);
  const first = [...offered].sort((one, other) => other.may_be_id - one.may_be_id);
  const said = idColumn() !== null || studio.state.document.data?.rows_are_people === true;
  const now = said ? idColumn() ?? "" : UNSAID;
  return question("1. Who is a person?", asked.person,
    make("p", {}, make("label", { for: "person" }, "A person is "),
      make("select", { id: "person", "data-key": "person", class: said ? undefined : "unsaid", onchange: (event) => setPerson(event.target.value || null) },
        said ? null : option(UNSAID, "not said yet: choose", now),
        option("", "each row", now),
        first.map((column) => option(column.name, `all rows with one ${column.name}`, now)))));
}

const RECIPIENTS = { public: "the public", agreement: "people bound by an agreement", enclave: "people in an enclave" };
let recipient = "", needed = new Set(); // answers that are not asked of the server yet

function needs() {
  const boxes = asked.columns.filter((column) => column.proposed !== "identifying").map((column) => make("label", { class: "need" },
    make("input", { type: "checkbox", checked: needed.has(column.name), "data-key": `need-${column.name}`,
      onchange: (event) => (event.target.checked ? needed.add(column.name) : needed.delete(column.name)) }),
    ` ${column.name} `, make("span", { class: "quiet" }, `${column.content}, ${whole(column.distinct)}`)));
  const named = asked.columns.length - boxes.length;
  return question("2. Which columns does the analysis need?",
    `${whole(boxes.length)} columns can be kept in some form; ${whole(named)} ${named === 1 ? "names" : "name"} people and cannot. With each is how many values it has.`,
    make("div", { class: "needs" }, boxes));
}

function receivers() {
  const found = make("span", { class: "quiet", role: "status" }, asked.recipients[recipient] ?? "");
  return question("3. Who receives it?", "Who receives a release decides what others can know beside it.",
    make("p", {}, make("label", { for: "recipient" }, "It is for "),
      make("select", { id: "recipient", "data-key": "recipient", class: recipient ? undefined : "unsaid", onchange: (event) => {
        recipient = event.target.value;
        keepFocus(() => render(document.getElementById("perspective")));
      } },
        recipient ? null : option("", "not said yet: choose", recipient),
        Object.entries(RECIPIENTS).map(([value, words]) => option(value, words, recipient))), " ", found),
    make("p", {}, make("button", { type: "button", class: "main", "data-key": "propose", disabled: !recipient, onclick: () => attempt(() =>
      ask("propose", { revision: studio.state.revision, recipient, need: [...needed] })) }, "Propose roles for this"),
      make("span", { class: "quiet" }, " Replaces the roles of all columns; undo takes it back.")));
}

const HEADER = ["Column", "Cells", "Distribution", "Distinct", "Missing", "Unique by it", "Role", "Proposed, and why"];

function keys() {
  const say = (key, words) => [make("kbd", {}, key), ` ${words} `];
  return make("p", { class: "quiet keys" }, "With a row chosen: ", say("i", "identifying,"), say("r", "removed,"), say("q", "quasi-identifier,"),
    say("s", "sensitive,"), say("k", "keep,"), say("w", "tells whose each row is;"), say("↑ ↓", "move."));
}

export function render(panel) {
  if (!asked || counted !== idColumn()) load();
  cells ??= scrolling("The table", "rows",
    (found) => make("tr", {}, make("th", { scope: "col" }, "#"), found.columns.map((name) => make("th", { scope: "col", class: `role-${roleOf(name)}` }, name))),
    (found, at) => make("tr", {}, make("td", { class: "position" }, whole(found.start + at + 1)), found.rows[at].map((text) => cell(text))));
  panel.replaceChildren(make("div", { "data-view": "start" },
    studio.notes.map((note) => make("p", { class: "note" }, note)),
    make("section", { class: "card" }, make("h2", {}, "Before any figure"),
      asked ? make("div", { class: "questions" }, person(), needs(), receivers()) : make("p", { class: "quiet" }, "Looking at the columns …")),
    asked ? make("section", { class: "card" }, make("h2", {}, "What is proposed for each column"), keys(),
      table(HEADER, grouped(), { id: "columns", figures: [3, 4, 5] })) : null,
    make("section", { class: "card" }, make("h2", {}, "Table"), cells.element)));
  cells.load();
}

export function update() {}

export function key(event) {
  const element = document.activeElement?.closest("[data-column]");
  if (!element) return false;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && event.target === element) {
    const all = [...document.querySelectorAll("[data-column]")];
    all[all.indexOf(element) + step]?.focus();
    return true;
  }
  if (KEYS[event.key]) {
    setRole(element.dataset.column, KEYS[event.key]);
    return true;
  }
  if (event.key === "w") {
    setPerson(element.dataset.column === idColumn() ? null : element.dataset.column);
    return true;
  }
  return false;
}
