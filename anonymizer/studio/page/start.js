// Start: what each column is, what is proposed for it, and the table itself.

import { draw, keepFocus, make, option, share, table, whole } from "./dom.js";
import { attempt, studio } from "./studio.js";
import { ask } from "./server.js";
import { cell, scrolling } from "./rows.js";

const ROLES = { identifying: "removed: it names people", removed: "removed to limit risk", quasi: "generalized", sensitive: "kept, sensitive", insensitive: "kept" };
const UNSAID = "(not said)";
const KEYS = { i: "identifying", r: "removed", q: "quasi", s: "sensitive", k: "insensitive" };

let columns = null; // once for a table and an id
let counted = null; // the id by which people are counted in them
let loading = false;
let chosen = null; // the column that one key acts on
let cells = null; // the table itself, as far as it is in view

async function load() {
  if (loading) return;
  loading = true;
  counted = idColumn();
  columns = (await attempt(() => ask("columns")))?.columns ?? [];
  loading = false;
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
  const most = Math.max(1, ...distribution.bars.map((bar) => bar.count));
  const step = width / Math.max(1, distribution.bars.length);
  const words = distribution.bars.map((bar) => `${bar.label}: ${whole(bar.count)}`).join("\n");
  return draw("svg", { class: "bars", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
    draw("title", {}, words),
    distribution.bars.map((bar, at) => {
      const tall = Math.max(1, (height - 1) * bar.count / most);
      return draw("rect", { x: at * step, y: height - tall, width: Math.max(1, step - 1), height: tall });
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
  return make("tr", {
    tabindex: 0, class: chosen === column.name ? "chosen" : undefined, "data-column": column.name,
    "data-key": `column-${column.name}`,
    onfocus: (event) => choose(event.currentTarget, column.name),
    onclick: (event) => choose(event.currentTarget, column.name),
  },
    make("td", {}, make("strong", {}, column.name), idColumn() === column.name ? make("span", { class: "quiet" }, " · tells whose each row is") : null),
    make("td", {}, column.content),
    make("td", {}, bars(column.distribution)),
    make("td", { class: "number" }, whole(column.distinct)),
    make("td", { class: "number" }, whole(column.missing)),
    make("td", { class: "number" }, share(column.unique)),
    make("td", {}, select(column.name)),
    make("td", { class: "why" }, differs ? make("span", { class: "differs" }, `proposed: ${column.proposed}; `) : null,
      `${column.reason} (${column.confidence === "given" ? "said so" : `${column.confidence} confidence`})`));
}

function choose(element, name) {
  chosen = name;
  for (const other of element.parentElement.children) other.classList.toggle("chosen", other === element);
}

function person() {
  const offered = columns.filter((column) => column.may_be_id || ["identifying", "removed"].includes(roleOf(column.name)) || idColumn() === column.name);
  const first = [...offered].sort((one, other) => other.may_be_id - one.may_be_id);
  const said = idColumn() !== null || studio.state.document.data?.rows_are_people === true;
  const now = said ? idColumn() ?? "" : UNSAID;
  return make("p", {}, make("label", { for: "person" }, "A person is "),
    make("select", { id: "person", "data-key": "person", onchange: (event) => setPerson(event.target.value || null) },
      said ? null : option(UNSAID, "not said yet: choose", now),
      option("", "each row", now),
      first.map((column) => option(column.name, `all rows with one ${column.name}`, now))));
}

const RECIPIENTS = { public: "the public", agreement: "people bound by an agreement", enclave: "people in an enclave" };
let recipient = "public", needed = new Set(); // answers that are not asked of the server yet

function receivers() {
  const needs = columns.filter((column) => !["identifying"].includes(column.proposed)).map((column) => make("label", { class: "need" },
    make("input", { type: "checkbox", checked: needed.has(column.name) || undefined, "data-key": `need-${column.name}`,
      onchange: (event) => event.target.checked ? needed.add(column.name) : needed.delete(column.name) }), ` ${column.name}`));
  return make("div", {},
    make("p", {}, make("label", { for: "recipient" }, "It is for "),
      make("select", { id: "recipient", "data-key": "recipient", onchange: (event) => { recipient = event.target.value; } },
        Object.entries(RECIPIENTS).map(([value, words]) => option(value, words, recipient)))),
    make("details", { open: needed.size > 0 || undefined }, make("summary", {}, "The analysis needs …"), make("p", {}, needs)),
    make("p", {}, make("button", { "data-key": "propose", onclick: () => attempt(() =>
      ask("propose", { revision: studio.state.revision, recipient, need: [...needed] })) }, "Propose roles for this"),
      make("span", { class: "quiet" }, " Replaces the roles of all columns; undo takes it back.")));
}

export function render(panel) {
  if (!columns || counted !== idColumn()) load();
  cells ??= scrolling("The table", "rows",
    (found) => make("tr", {}, make("th", { scope: "col" }, "#"), found.columns.map((name) => make("th", { scope: "col", class: `role-${roleOf(name)}` }, name))),
    (found, at) => make("tr", {}, make("td", { class: "position" }, whole(found.start + at + 1)), found.rows[at].map((text) => cell(text))));
  panel.replaceChildren(make("div", { "data-view": "start" },
    studio.notes.map((note) => make("p", { class: "note" }, note)),
    make("section", { class: "card" },
      make("h2", {}, "Columns"),
      columns ? person() : null,
      columns ? receivers() : null,
      make("p", { class: "quiet" }, "With a row chosen: ", make("kbd", {}, "i"), " identifying, ", make("kbd", {}, "r"), " removed, ", make("kbd", {}, "q"), " quasi-identifier, ",
        make("kbd", {}, "s"), " sensitive, ", make("kbd", {}, "k"), " keep, ", make("kbd", {}, "w"), " tells whose each row is; ", make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " move."),
      columns ? table(["Column", "Cells", "Distribution", "Distinct", "Missing", "Unique by it", "Role", "Proposed, and why"], columns.map(row), { id: "columns", figures: [3, 4, 5] })
        : make("p", { class: "quiet" }, "Looking at the columns …")),
    make("section", { class: "card" }, make("h2", {}, "Table"), cells.element)));
  cells.load();
}

export function update() {}

export function key(event) {
  const element = document.activeElement?.closest("[data-column]");
  if (!element) return false;
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (step && event.target === element) {
    element[step]?.focus();
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
