// Elements made by hand: all values are set as text or as properties, so that no cell is ever markup.

const SVG = "http://www.w3.org/2000/svg";

export function make(tag, properties = {}, ...children) {
  return finish(document.createElement(tag), properties, children);
}

export function draw(tag, properties = {}, ...children) {
  return finish(document.createElementNS(SVG, tag), properties, children);
}

function finish(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// A chart of the reports: parsed as XML, in which nothing runs, and then taken over.
export function chart(markup) {
  const parsed = new DOMParser().parseFromString(
    markup.replace("<svg", `<svg xmlns="${SVG}"`), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

// A table: the first cell of a row names it, and what is in a column of figures stands on the right. A row is its
// cells, or an object with its `cells`, its properties and a `group`, the heading of a run of rows. In a narrow
// window each row is a card, whose cells say of which column they are; roles keep it a table for who listens.
export function table(header, rows, { figures = [], ...properties } = {}) {
  const words = header.map((content) => (typeof content === "string" ? content : content.dataset?.name ?? ""));
  const place = (at) => ({ class: figures.includes(at) ? "number" : undefined, "data-of": words[at] || undefined });
  const line = ({ cells, ...own }) => make("tr", { role: "row", ...own }, cells.map((content, at) => (at
    ? make("td", { role: "cell", ...place(at) }, make("div", {}, content)) : make("th", { scope: "row", role: "rowheader" }, content))));
  const heading = (group) => make("tr", { role: "row", class: "heading" }, make("th", { colspan: header.length, scope: "rowgroup", role: "rowheader" }, group));
  const all = rows.map((row) => (Array.isArray(row) ? { cells: row } : row));
  return scroller(make("table", { class: "wide", role: "table", ...properties },
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, header.map((content, at) => make("th", { scope: "col", role: "columnheader", class: place(at).class }, content)))),
    make("tbody", { role: "rowgroup" }, all.map(({ group, ...row }) => [group ? heading(group) : null, line(row)]))));
}

// What is wider than its place is scrolled by keys too, and is a stop on the way of Tab only then.
let watching = null;
const watch = (entries) => entries.forEach(({ target }) => {
  if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
});

function scroller(content) {
  const box = make("div", { class: "scroll" }, content);
  watching ??= new ResizeObserver(watch);
  watching.observe(box);
  return box;
}

// A section of the reports: sentences, tables and pictures, some of which are folded.
export function section(found, { heading = "h2", beside = null, unfolded = false, ...properties } = {}) {
  const folded = (summary, content) => (summary ? make("details", {}, make("summary", {}, summary), content) : content);
  const said = ({ text, tone }) => (tone ? make("span", { class: tone }, text) : text);
  const pictures = (all) => make("div", { class: "charts" }, all.map((each) =>
    make("figure", {}, chart(each.chart), make("figcaption", { class: "quiet" }, each.caption, " ",
      make("button", { type: "button", class: "enlarge", "aria-label": `Enlarge: ${each.caption || found.title}`, onclick: () => enlarge(each, found.title) }, "Enlarge")))));
  const written = ({ header, rows, numeric, folded: summary }) =>
    folded(unfolded ? null : summary, table(header, rows.map((row) => row.map(said)), { figures: [...numeric.keys()].filter((at) => numeric[at]) }));
  return make("section", { class: "card", ...properties }, make(heading, {}, found.title, beside),
    found.sentences.map(({ text, tone }) => make("p", { class: tone || undefined }, text)),
    found.figures.map(written),
    found.pictures.length ? pictures(found.pictures) : null,
    found.folded.length ? folded(`${whole(found.folded.length)} more ${found.folded.length === 1 ? "picture" : "pictures"}`, pictures(found.folded)) : null);
}

function enlarge({ chart: markup, caption }, title) {
  showDialog(caption || title, make("div", { class: "enlarged", tabindex: 0, role: "region", "aria-label": caption || title }, chart(markup)));
}

// A dialog over the page; Escape closes it, and the focus goes back to where it was.
const dialog = () => document.getElementById("dialog") ?? document.body.appendChild(make("dialog", { id: "dialog", "aria-labelledby": "dialog-title" }));

export function showDialog(title, ...content) {
  const box = dialog();
  box.replaceChildren(make("div", { class: "head" }, make("h2", { id: "dialog-title" }, title), make("button", { type: "button", autofocus: true, onclick: () => box.close() }, "Close")), ...content);
  if (!box.open) box.showModal();
}

export function option(value, text, chosen) {
  const made = make("option", { value }, text);
  made.selected = value === chosen;
  return made;
}

export const whole = (number) => number.toLocaleString("en-US");

// As `percent` in errors.py: a test compares the two.
export function share(value) {
  if (value === null || value === undefined) return "not known";
  if (value < 0) return `-${share(-value)}`;
  const percent = 100 * value;
  if (value === 0 || value === 1) return `${percent} %`;
  if (percent.toFixed(1) === "100.0") return value > 1 ? "over 100 %" : "over 99.9 %";
  return percent >= 0.1 ? `${percent.toFixed(1)} %` : `${Number(percent.toPrecision(2))} %`;
}

export const quality = (value) => (value === null || value === undefined ? "–" : value.toFixed(4));

export function signed(value, digits = 4) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return "±0";
  return `${value > 0 ? "+" : "−"}${text}`;
}

// Text for who listens instead of looking.
export function say(text) {
  document.getElementById("said").textContent = text;
}

// Focus survives a new rendering: what has the same data-key gets it back.
export function keepFocus(render) {
  const key = document.activeElement?.closest?.("[data-key]")?.dataset.key;
  render();
  if (!key) return;
  const again = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (again && document.activeElement !== again) again.focus({ preventScroll: true });
}
