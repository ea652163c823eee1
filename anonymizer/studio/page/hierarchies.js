// Hierarchies: what each level makes of real values, cut points and groups that can be moved, and checks.

import { keepFocus, make, option, table, whole } from "./dom.js";
import { attempt, change, on, studio } from "./studio.js";
import { ask } from "./server.js";
import { cutEditor } from "./cuts.js";
import { groupEditor } from "./groups.js";

const PERIODS = ["hour", "day", "month", "quarter", "year", "decade"];
const OPEN = { low: "Earlier dates are in the first period.", high: "Later dates are in the last period.", both: "Dates beyond are in the first or the last period." };
let chosen = null;
let found = null;
let wanted = null; // what is being asked for: column and revision

on(["state"], () => { wanted = null; });

const quasi = () => Object.entries(studio.state.document.attributes ?? {}).filter(([, keys]) => keys.role === "quasi").map(([name]) => name);

async function load(panel) {
  const asked = `${studio.state.revision} ${chosen}`;
  if (wanted === asked) return;
  wanted = asked;
  const answer = await attempt(() => ask("hierarchy", { column: chosen }));
  if (wanted !== asked || !answer) return;
  found = answer;
  if (panel.querySelector("[data-view=hierarchies]")) keepFocus(() => render(panel));
}

const save = (spec, label) =>
  attempt(() => ask("set-hierarchy", { revision: studio.state.revision, column: chosen, spec, label }))
    .then((state) => { if (!state) { wanted = null; load(document.getElementById("perspective")); } });

function periods() {
  const { bounds, ...spec } = found.spec;
  const levels = spec.periods ?? ["day", "month", "quarter", "year", "decade"];
  return make("fieldset", {}, make("legend", {}, "Levels"), PERIODS.map((name) => {
    const box = make("input", { type: "checkbox", checked: levels.includes(name), "data-key": `period-${name}`, onchange: () => {
      const kept = PERIODS.filter((each) => (each === name ? box.checked : levels.includes(each)));
      save({ ...spec, periods: kept }, `${chosen}: ${kept.join(", ")}`);
    } });
    return make("label", {}, box, ` ${name} `);
  }), make("p", { class: "quiet", id: "periods" }, `${bounds ? "Dates are cut where you say; periods of the calendar take the place of that" : "Dates are cut where the calendar does"}: the levels are ${levels.join(", ")}${bounds ? " and the cuts above" : ""}, from ${spec.from} to ${spec.to}. ${OPEN[spec.open] ?? "A date beyond is not covered."}`));
}

function text() {
  const area = make("textarea", { rows: 8, "aria-label": "the rule as JSON", spellcheck: "false" });
  area.value = JSON.stringify(found.spec, null, 1);
  area.style.width = "100%";
  return make("details", {}, make("summary", {}, "The rule as text"), area, make("div", { class: "actions" },
    make("button", { type: "button", onclick: () => {
      let spec;
      try {
        spec = JSON.parse(area.value);
      } catch (error) {
        attempt(() => { throw new Error(`this is not JSON: ${error.message}`); });
        return;
      }
      save(spec, `${chosen}: rule`);
    } }, "Use it")));
}

function missing() {
  const { spec } = found;
  const labels = found.levels[1]?.bars.map((bar) => bar.label) ?? [];
  const now = spec.missing ?? "";
  const choices = [["", "apart, with a warning"], ["top", "apart until the top"], ...labels.map((label) => [label, `in the group ${label}`])];
  return make("p", {}, make("label", {}, `${whole(found.missing)} missing cells are kept `, make("select", { "data-key": "missing", onchange: (event) => {
    const changed = { ...spec, missing: event.target.value };
    if (!event.target.value) delete changed.missing;
    save(changed, `${chosen}: missing cells`);
  } }, choices.map(([value, words]) => option(value, words, now)))));
}

function editor() {
  if (!found.spec) return make("p", { class: "quiet" }, "The rows are listed in a file; edit them there, or let a rule be proposed: give the column another role and then 'quasi' again.");
  const parts = [];
  if (found.histogram) parts.push(cutEditor(found, save));
  if (found.groups) parts.push(groupEditor(found, save));
  if (found.spec.builder === "dates") parts.push(periods());
  if (!parts.length) parts.push(make("p", {}, `Made by the rule '${found.spec.builder}'.`));
  return make("div", {}, parts, missing(), text());
}

function preview() {
  const heights = found.levels.map((level, at) => `level ${at}: ${whole(level.labels)} values`);
  return make("section", { class: "card" }, make("h2", {}, "What becomes of real values"),
    table([...heights, "Rows"], found.values.map((each) => [...each.row.map((label) => label || "(missing)"), whole(each.count)]), { id: "preview", figures: [heights.length] }));
}

function checks() {
  const defects = found.defects;
  return make("section", { class: "card", id: "defects" }, make("h2", {}, "Checks"),
    defects.length ? make("ul", { role: "list" }, defects.map((each) => make("li", { class: `check ${each.severity === "error" ? "fix" : "decide"}` },
      make("span", { class: "mark" }, each.severity === "error" ? "✗" : "?"), make("span", {}, each.message))))
      : make("p", { class: "check fine" }, make("span", { class: "mark" }, "✓"), make("span", {}, "Every value of the column is covered, and the levels form a tree.")));
}

function reading() {
  const { type, format } = found.reading;
  const kinds = [["", "as the rule says"], ["text", "exact texts"], ["number", "numbers"], ["date", "dates"]];
  const kind = make("select", { "aria-label": "how cells are read", "data-key": "reading" }, kinds.map(([value, words]) => option(value, words, type ?? "")));
  const form = make("input", { type: "text", "aria-label": "format of dates", placeholder: "%d.%m.%Y", value: format ?? "", "data-key": "format" });
  const shown = make("div");
  const value = (each) => each.value ?? make("span", { class: "differs" }, "cannot be read");
  const fill = ({ examples, unread }) => shown.replaceChildren(
    table(["Cell", unread ? `Value (${whole(unread)} cannot be read)` : "Value"], examples.map((each) => [each.text, value(each)]), { id: "reading", class: undefined }));
  const stated = () => ({ type: kind.value || null, format: form.value || null });
  const preview = async () => {
    const answer = await attempt(() => ask("preview-reading", { column: chosen, ...stated() }));
    if (answer) fill(answer);
  };
  kind.addEventListener("change", preview);
  form.addEventListener("change", preview);
  fill(found.reading);
  const path = ["attributes", chosen];
  return make("section", { class: "card" }, make("h2", {}, "How cells are read"), make("div", { class: "actions" }, kind, form,
    make("button", { type: "button", "data-key": "use-reading", onclick: () => change([
      { path: [...path, "type"], value: stated().type }, { path: [...path, "format"], value: stated().format }], `${chosen}: read as ${kind.value || "the rule says"}`) }, "Use it")), shown);
}

function files() {
  const input = make("input", { type: "file", id: "arx", accept: ".csv", onchange: async () => {
    const content = await input.files[0].text();
    attempt(() => ask("import-hierarchy", { revision: studio.state.revision, column: chosen, text: content }));
  } });
  const place = make("span", { class: "quiet", role: "status" });
  return make("section", { class: "card" }, make("h2", {}, "ARX"), make("div", { class: "actions" },
    make("button", { type: "button", onclick: async () => {
      const answer = await attempt(() => ask("export-hierarchy", { column: chosen }));
      if (answer) place.textContent = answer.path;
    } }, "Write as ARX has it"), place,
    make("label", { for: "arx" }, "Take a hierarchy of ARX (CSV with semicolons): "), input));
}

function choose(panel, name) {
  if (name === chosen && wanted) return; // it is there, or on its way: a second answer would undo a move
  chosen = name;
  found = null;
  wanted = null;
  render(panel);
}

export function render(panel) {
  const names = quasi();
  if (!names.includes(chosen)) { chosen = names[0]; found = null; }
  load(panel);
  const list = make("div", { class: "actions", role: "group", "aria-label": "Quasi-identifiers" }, names.map((name) =>
    make("button", { type: "button", "aria-pressed": String(name === chosen), class: name === chosen ? "main" : undefined, "data-key": `hierarchy-${name}`, "data-hierarchy": name,
      onclick: () => choose(panel, name) }, name)));
  panel.replaceChildren(make("div", { "data-view": "hierarchies" }, list,
    found ? [make("section", { class: "card" }, make("h2", {}, found.column), editor()), preview(), make("div", { class: "columns" }, make("div", {}, checks(), reading()), files())]
      : make("p", { class: "quiet" }, "Looking …")));
}

export function update() {}
