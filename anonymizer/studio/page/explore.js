// Explore: thresholds, weights and level ranges, with the optimum proven anew at every move.

import { chart, draw, keepFocus, make, option, quality, say, section, share, signed, table, whole } from "./dom.js";
import { attempt, change, on, put, shown, studio, tryOut } from "./studio.js";
import { ask } from "./server.js";
import { kept } from "./kept.js";
import { showLevel } from "./level.js";
import { outcomes } from "./trials.js";

let hand = null; // levels chosen by hand, and what they cost

on(["state"], () => { hand = null; });

// --- sliders

const exact = (value) => Number(value.toPrecision(12)); // 0.07 is 7 %, not 7.000000000000001 %

// A share is written in percent; the policy has it as it is.
function slider({ name, label, meaning, low, high, step, value, path, words, share: percent = false }) {
  const key = `slider-${label}-${name}`;
  const unit = percent ? 100 : 1;
  const number = make("input", { type: "number", "aria-label": `${label} ${name}${percent ? ", in percent" : ""}`, "data-key": `${key}-number`, min: exact(low * unit), max: exact(high * unit), step: "any", value: exact(value * unit) });
  const range = low === null || low === undefined ? null : make("input", {
    type: "range", "aria-label": `${label} ${name}`, "aria-valuetext": percent ? share(value) : undefined, "data-key": key, "data-slider": name, min: low, max: high, step: step ?? "any", value,
    oninput: () => {
      number.value = exact(Number(range.value) * unit);
      if (percent) range.setAttribute("aria-valuetext", share(Number(range.value)));
      tryOut([{ path, value: Number(range.value) }]);
    },
    onchange: () => commit(Number(range.value)),
  });
  const commit = (given) => put(path, given, `${words} ${percent ? share(given) : given}`);
  number.addEventListener("change", () => commit(exact(Number(number.value) / unit)));
  return make("div", { class: "slider" }, make("span", {}, label === name ? name : `${label}: ${name}`), range ?? make("span"),
    make("span", { class: "amount" }, number, percent ? " %" : ""), meaning ? make("span", { class: "meaning" }, meaning) : null);
}

function models() {
  const made = studio.problem.models.flatMap((model, at) => model.parameters.map((parameter) => slider({
    ...parameter, label: model.name, path: ["risk", at, parameter.name], words: `${model.name} ${parameter.name} =`,
  })));
  const limit = studio.problem.suppression_limit;
  return make("section", { class: "card" }, make("h2", {}, "Risk accepted"),
    made,
    slider({ name: "suppressed", label: "at most", meaning: "of the records may be suppressed", low: 0, high: 1, step: 0.01, value: limit, share: true, path: ["release", "suppression_limit"], words: "suppression limit" }),
    layers(), addModel());
}

const LAYERS = [[false, "one scheme for all records"], [2, "up to 2 schemes"], [3, "up to 3 schemes"], [5, "up to 5 schemes"], [10, "up to 10 schemes"], [true, "as many schemes as help (layers)"]];
const SECONDS = 60; // the search in layers ends only when their bound is proven

function layers() {
  const now = studio.problem.most_layers;
  const choices = LAYERS.some(([value]) => value === now) ? LAYERS : [...LAYERS, [now, `up to ${now} schemes`]];
  const choose = (value, words) => change([{ path: ["release", "layers"], value: value || null },
    ...(value && !studio.state.document.search?.time_limit ? [{ path: ["search", "time_limit"], value: SECONDS }] : [])], words);
  return make("div", { class: "slider" }, make("label", { for: "layers" }, "Records have"),
    make("select", { id: "layers", "data-key": "layers", onchange: (event) => choose(...choices[Number(event.target.value)]) },
      choices.map(([value, words], at) => option(String(at), words, String(choices.findIndex(([each]) => each === now))))),
    make("span"), make("span", { class: "meaning" }, "more schemes keep more; few are easier to analyse"));
}

const ADDED = {
  "": null,
  "k-anonymity, k = 5": { model: "k-anonymity", k: 5 },
  "average risk at most 5 %": { model: "average", threshold: 0.05 },
};

function addModel() {
  const sensitive = Object.entries(studio.state.document.attributes ?? {}).filter(([, keys]) => keys.role === "sensitive").map(([name]) => name);
  const choices = { ...ADDED };
  for (const name of sensitive) choices[`distinct 2-diversity of ${name}`] = { model: "distinct-l", attribute: name, l: 2 };
  const place = studio.state.document.risk.length;
  return make("div", { class: "actions" },
    make("label", { for: "add-model" }, "Add a model: "),
    make("select", { id: "add-model", "data-key": "add-model", onchange: (event) => {
      const model = choices[event.target.value];
      if (model) put(["risk", place], model, `added ${event.target.value}`);
    } }, Object.keys(choices).map((name) => option(name, name || "choose", ""))),
    place > 1 ? studio.problem.models.map((model, at) => make("button", { type: "button", onclick: () => put(["risk", at], null, `removed ${model.name}`) }, `Remove ${model.name}`)) : null);
}

// --- what can be done next, as the explanation found it

function next() {
  return studio.explanation?.next.map((each) => section(each))
    ?? make("section", { class: "card" }, make("p", { class: "quiet" }, "Other schemes are being measured …"));
}

// --- the frontier

// The policy's own threshold, as a line with its words.
function mark(picture, circle, words) {
  const [x, y] = ["cx", "cy"].map((key) => Number(circle.getAttribute(key)));
  const right = x > picture.viewBox.baseVal.width / 2;
  circle.before(draw("line", { class: "own", x1: x, x2: x, y1: y, y2: picture.viewBox.baseVal.height - 48 }),
    draw("text", { class: "own", x: right ? x - 10 : x + 10, y: y - 9, "text-anchor": right ? "end" : "start", fill: "currentColor" }, words));
}

function frontier() {
  const box = make("section", { class: "card" }, make("h2", {}, "Quality at other thresholds"));
  const found = studio.frontier;
  if (studio.problem.layers) return null;
  if (!found) {
    box.append(make("p", { class: "quiet" }, "The optimum is proven at each of some thresholds …"));
    return box;
  }
  const picture = chart(found.chart);
  picture.setAttribute("role", "group"); // its points are buttons, which a picture cannot have
  picture.setAttribute("aria-label", "Quality at other thresholds");
  const place = studio.problem.models.findIndex((model) => model.name === found.model);
  const own = studio.problem.models[place]?.parameters[0].value;
  picture.querySelectorAll("circle").forEach((circle, at) => {
    const point = found.points[at];
    const chosen = point.value === own;
    const choose = () => put(["risk", place, found.parameter], point.value, `${found.model} ${found.parameter} = ${point.value}`);
    circle.classList.toggle("chosen", chosen);
    if (chosen) mark(picture, circle, `the policy: ${found.parameter} = ${point.value}`);
    circle.setAttribute("tabindex", "0");
    circle.setAttribute("role", "button");
    circle.setAttribute("data-key", `point-${point.value}`);
    circle.setAttribute("aria-label", `${found.parameter} = ${point.value}: quality ${quality(point.quality)}, ${point.verdict}${chosen ? ", chosen" : ""}`);
    circle.addEventListener("click", choose);
    circle.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
  });
  const none = found.infeasible.length ? ` No release at ${found.infeasible.join(", ")}.` : "";
  box.append(picture, make("p", { class: "quiet" }, `Each point is the best release at its threshold; between two, the line is at the tighter's quality. Choose another to move there.${none}`));
  return box;
}

// --- schemes by hand

const levels = () => hand?.levels ?? shown()?.scheme ?? {};
const departed = () => Object.keys(hand?.levels ?? {}).filter((name) => hand.levels[name] !== studio.solution?.scheme[name]);

async function stepTo(name, level) {
  const wanted = { ...levels(), [name]: level };
  const found = await attempt(() => ask("scheme", { levels: wanted }));
  if (!found) return;
  hand = { levels: wanted, found };
  if (!departed().length) hand = null;
  redraw();
  say(hand ? `${name}: quality ${quality(found.quality)}, ${signed(-found.distance)} from the optimum` : "back at the optimum");
}

function stepOf(name) {
  const steps = hand ? hand.found.steps : studio.explanation?.drivers;
  return steps?.find((each) => each.attribute === name);
}

function step(attribute, level, sign, what) {
  const cost = stepOf(attribute.name)?.[what];
  const target = level + sign;
  const there = target >= 0 && target < attribute.levels.length;
  const words = cost ? `quality ${signed(cost.quality_change)}, suppressed ${signed(cost.suppressed_change, 0)}${cost.possible ? "" : ", not allowed by the policy"}` : "";
  return make("span", { class: "step" },
    make("button", { type: "button", disabled: !there, "data-key": `${what}-${attribute.name}`, "aria-label": `${attribute.name} ${what}${words ? `: ${words}` : ""}`, title: words, onclick: () => stepTo(attribute.name, target) }, sign > 0 ? "+" : "−"),
    make("span", { class: `cost${cost && !cost.possible ? " refused" : ""}` }, there && cost ? signed(cost.quality_change) : " "));
}

function pin(attribute, level) {
  const pinned = attribute.low === attribute.high && attribute.levels.length > 1;
  const path = ["attributes", attribute.name];
  if (pinned) {
    return make("button", { type: "button", "data-key": `pin-${attribute.name}`, "aria-pressed": "true", onclick: () => change([
      { path: [...path, "min_level"], value: null }, { path: [...path, "max_level"], value: null }], `${attribute.name} set free`) }, "Unpin");
  }
  return make("button", { type: "button", "data-key": `pin-${attribute.name}`, "aria-pressed": "false", title: "Pin this and optimize the rest", onclick: () => change([
    { path: [...path, "min_level"], value: level }, { path: [...path, "max_level"], value: level }],
    `${attribute.name} pinned at ${attribute.levels[level].label}`) }, "Pin");
}

function range(attribute, key, value, other) {
  const path = ["attributes", attribute.name, key];
  const top = attribute.levels.length - 1;
  const rest = key === "min_level" ? 0 : top;
  return make("select", { "aria-label": `${key === "min_level" ? "least" : "highest"} level of ${attribute.name}`, "data-key": `${key}-${attribute.name}`,
    onchange: (event) => {
      const level = Number(event.target.value);
      put(path, level === rest ? null : level, `${attribute.name}: ${key === "min_level" ? "at least" : "at most"} ${attribute.levels[level].label}`);
    } },
  attribute.levels.map((level, at) => {
    const made = option(String(at), `${at}: ${level.label}`, String(value));
    made.disabled = key === "min_level" ? at > other : at < other;
    return made;
  }));
}

function weight(attribute) {
  if (!studio.problem.weighted) return null;
  const path = ["attributes", attribute.name, "weight"];
  const value = make("output", {}, attribute.weight.toFixed(1));
  const input = make("input", { type: "range", min: 0, max: 5, step: 0.1, value: attribute.weight, "aria-label": `weight of ${attribute.name}`, "data-key": `weight-${attribute.name}`,
    oninput: () => { value.textContent = Number(input.value).toFixed(1); tryOut([{ path, value: Number(input.value) }]); },
    onchange: () => put(path, Number(input.value) === 1 ? null : Number(input.value), `weight of ${attribute.name} ${input.value}`) });
  input.style.width = "5.5rem";
  return [input, " ", value];
}

function attributeRow(attribute) {
  const level = levels()[attribute.name];
  const best = shown()?.scheme[attribute.name];
  const loss = shown()?.attribute_loss?.[attribute.name];
  const known = level !== undefined;
  return { "data-attribute": attribute.name, cells: [attribute.name,
    known ? make("div", { class: "stepper" },
      step(attribute, level, -1, "finer"),
      make("button", { type: "button", class: `level${level !== best ? " departed" : ""}`, "data-level": level, "data-key": `level-${attribute.name}`, "aria-haspopup": "dialog", title: "every value and its count", onclick: () => showLevel(attribute.name, level, attribute.levels.length) }, attribute.levels[level].label),
      step(attribute, level, 1, "coarser")) : "…",
    known ? pin(attribute, level) : null,
    range(attribute, "min_level", attribute.low, attribute.high),
    range(attribute, "max_level", attribute.high, attribute.low),
    weight(attribute),
    loss === undefined ? "" : share(loss)] };
}

function byHand() {
  if (!hand) return make("p", { class: "quiet", id: "hand" }, "The scheme is the optimum. Step away with − and +; below each is the quality it gains or costs.");
  const { found } = hand;
  const names = departed();
  const pins = names.flatMap((name) => [
    { path: ["attributes", name, "min_level"], value: hand.levels[name] }, { path: ["attributes", name, "max_level"], value: hand.levels[name] }]);
  return make("div", { id: "hand" },
    make("p", {}, make("strong", {}, `By hand: quality ${quality(found.quality)}, ${quality(found.distance)} below the optimum`),
      `; ${whole(found.suppressed)} suppressed, highest risk ${share(found.highest)}, average ${share(found.average)}`,
      found.within_limit ? "" : ", above the suppression limit", found.allowed ? "" : ", outside the policy's level ranges", "."),
    make("div", { class: "actions" },
      make("button", { type: "button", class: "main", "data-key": "pin-all", onclick: () => change(pins, `pinned ${names.join(", ")}`) }, `Pin ${names.join(", ")} and optimize the rest`),
      make("button", { type: "button", "data-key": "back", onclick: () => { hand = null; redraw(); } }, "Back to the optimum")));
}

function scheme() {
  if (studio.problem.layers) return make("section", { class: "card" }, make("p", {}, "The policy asks for layers: records have one of several schemes, so that there is none to step through."));
  return make("section", { class: "card" }, make("h2", {}, "Scheme"), byHand(),
    table(["Attribute", "Level", "Pin", "Least level", "Highest level", studio.problem.weighted ? "Weight" : "", "Loss"], studio.problem.attributes.map(attributeRow)));
}

// ---

function redraw() {
  keepFocus(() => render(document.getElementById("perspective")));
}

export function render(panel) {
  if (!studio.problem) {
    panel.replaceChildren(make("p", { class: "quiet" }, studio.failure ? "Change the policy so that it can be solved." : "The table is being read …"));
    return;
  }
  const dragging = document.activeElement?.matches?.("input[type=range]") && studio.tried;
  if (dragging) { // a slider that moves must not be replaced under the pointer
    panel.querySelector("[data-part=scheme]")?.replaceChildren(scheme());
    return;
  }
  panel.replaceChildren(make("div", { "data-view": "explore" },
    make("div", { class: "columns" }, make("div", { "data-part": "models" }, models()), make("div", { "data-part": "frontier" }, frontier())),
    make("div", { "data-part": "scheme" }, scheme()),
    studio.frontier ? outcomes(studio.frontier.parameter, studio.problem.models.findIndex((model) => model.name === studio.frontier.model)) : null,
    kept(redraw), make("div", { class: "columns" }, next())));
}

export function update(panel) {
  if (panel.querySelector("[data-view=explore]") && studio.tried) {
    panel.querySelector("[data-part=scheme]").replaceChildren(scheme());
    return;
  }
  render(panel);
}
