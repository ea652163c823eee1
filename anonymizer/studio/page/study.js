// Linked tables: a diagram of tables and keys, what is asked for, run and release.

import { draw, make, option, say, section, table, whole } from "./dom.js";
import { ask } from "./server.js";

const ROLES = { quasi: "generalized", insensitive: "kept", sensitive: "kept, worth knowing", removed: "removed", identifying: "removed, names the person" };
const WIDTH = 190, HEIGHT = 58, GAP = 34;
let state = null, released = null;

async function doing(what, name, body = {}) {
  const messages = document.getElementById("messages");
  messages.replaceChildren(make("p", {}, `${what} …`));
  say(what);
  try {
    const found = await ask(name, body);
    messages.replaceChildren();
    return found;
  } catch (error) {
    messages.replaceChildren(make("p", { class: "failure" }, error.message));
    return null;
  }
}

async function renew(what, name, body) {
  const found = await doing(what, name, body);
  if (found) [state, released] = [found, null];
  render();
}

const change = (path, value) => renew("Changing the policy", "change", { changes: [{ path, value }] });

async function release() {
  released = (await doing("Releasing and verifying", "release")) ?? released;
  render();
}

// Tables by how far they are from the people, each below the one that it belongs to.
function diagram() {
  const depth = (each) => (each.parent ? 1 + depth(state.tables.find(({ name }) => name === each.parent)) : 0);
  const rows = [];
  const place = new Map(state.tables.map((each) => {
    const at = depth(each);
    (rows[at] ??= []).push(each);
    return [each.name, { x: (rows[at].length - 1) * (WIDTH + GAP), y: at * (HEIGHT + GAP) }];
  }));
  const size = [Math.max(...rows.map((row) => row.length)) * (WIDTH + GAP), rows.length * (HEIGHT + GAP)];
  const middle = ({ x }) => x + WIDTH / 2;
  const lines = state.tables.filter(({ parent }) => parent).map((each) => {
    const [from, to] = [place.get(each.parent), place.get(each.name)];
    return draw("path", { d: `M${middle(from)} ${from.y + HEIGHT} L${middle(to)} ${to.y}`, stroke: "currentColor", fill: "none" });
  });
  const boxes = state.tables.map((each) => {
    const { x, y } = place.get(each.name);
    const rows = state.rows?.[each.name];
    const counted = rows ? `${whole(rows.released)} of ${whole(rows.rows)} rows` : each.parent ? "events" : "people";
    const key = each.key ? `key ${each.key}, of ${each.id}` : `${each.parent ? "of" : "id"} ${each.id}`;
    const text = (line, at, weight) => draw("text", { x: x + 10, y: y + at, fill: "currentColor", "font-size": 12, "font-weight": weight }, line);
    return draw("g", {}, draw("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 6, fill: "none", stroke: "currentColor" }),
      text(each.name, 18, 700), text(key, 34), text(counted, 50));
  });
  return draw("svg", { width: size[0], height: size[1], viewBox: `-1 -1 ${size[0] + 2} ${size[1] + 2}`, role: "img", "aria-label": "Tables and their keys" }, lines, boxes);
}

const field = (label, input) => make("label", {}, `${label} `, input, " ");

function asked() {
  const number = (path, value, properties) => make("input", { type: "number", value, ...properties, onchange: (event) => change(path, Number(event.target.value)) });
  const power = make("select", { onchange: ({ target }) => change(["risk", 0, "power"], target.value === "profile" ? "profile" : Number(target.value)) },
    [...new Set([0, 1, 2, 3, state.risk.power, "profile"])].map((each) => option(String(each), each === "profile" ? "all of them" : String(each), String(state.risk.power))));
  const suppress = make("select", { onchange: ({ target }) => change(["risk", 0, "suppress"], target.value) },
    option("people", "whole people", state.risk.suppress), option("events", "single events too", state.risk.suppress));
  return make("section", { class: "card" }, make("h2", {}, "What is promised"),
    make("p", {}, field("Everybody shares their row and", power), field("of their events with at least k =", number(["risk", 0, "k"], state.risk.k, { min: 1 })), "people."),
    make("p", {}, field("Dropped are", suppress), field("and at most this share of the people:", number(["release", "suppression_limit"], state.limit, { min: 0, max: 1, step: 0.01 }))));
}

function columns() {
  const rows = state.tables.flatMap((each) => each.columns.map((column, at) => {
    const path = each.parent ? ["tables", each.name, "attributes", column.name] : ["attributes", column.name];
    const choices = [column.role, "insensitive", "removed"].filter((role, place, all) => all.indexOf(role) === place);
    const role = column.is_key ? "a key, replaced by random ones"
      : make("select", { "aria-label": `role of ${each.name}.${column.name}`, onchange: ({ target }) => change(path, { role: target.value }) },
        choices.map((role) => option(role, ROLES[role], column.role)));
    return { group: at ? undefined : each.name, cells: [column.name, role] };
  }));
  return make("section", { class: "card" }, make("h2", {}, "Columns"),
    make("p", { class: "quiet" }, `Hierarchies, levels and all else are in ${state.file}; edit it, then run again.`),
    table(["column", "what becomes of it"], rows));
}

function checks() {
  if (!released) return null;
  const marks = new Map([[true, "holds"], [false, "fails"], [null, "not checked"]]);
  return make("section", { class: "card" }, make("h2", {}, released.passed ? "Released and verified" : "Released, and not verified"),
    make("p", {}, Object.values(released.files).join(", ")),
    make("details", { open: !released.passed }, make("summary", {}, `${whole(released.checks.length)} checks`),
      table(["claim", "", "detail"], released.checks.map(({ claim, holds, detail }) => [claim, marks.get(holds), detail]))));
}

function render() {
  if (!state) return;
  document.getElementById("source").textContent = state.file;
  document.getElementById("tools").replaceChildren(
    make("button", { class: state.sections ? "" : "main", onclick: () => renew("Searching", "run") }, "Run"),
    make("button", { class: state.sections ? "main" : "", disabled: !state.sections, onclick: release }, "Release"));
  document.getElementById("perspective").replaceChildren(...[
    make("section", { class: "card" }, make("h2", {}, "Tables and keys"), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tables and keys" }, diagram())),
    checks(), ...(state.sections ?? []).map((each) => section(each)), asked(), columns(),
  ].filter(Boolean));
}

renew("Opening", "state");
