// A table of any length, of which only the rows in view are asked for and drawn.

import { make, whole } from "./dom.js";
import { ask } from "./server.js";
import { latest } from "./studio.js";

const HEIGHT = 24;
const TALLEST = 12e6; // browsers draw nothing that is much taller; beyond, scrolling is scaled

export function cell(text, kind = "td") {
  if (text === "") return make(kind, { class: "missing" }, "missing");
  return make(kind, { title: text.length > 28 ? text : undefined }, text);
}

// `question` is asked for {start, count} and what `more` returns; `head` and `row` draw what comes back.
export function scrolling(label, question, head, row, { more = () => ({}), of = "Rows" } = {}) {
  const body = make("tbody");
  const header = make("thead");
  const table = make("table", {}, header, body);
  const tall = make("div", {}, table);
  const box = make("div", { class: "rows", tabindex: 0, role: "region", "aria-label": label, "data-key": `rows-${label}` }, tall);
  const place = make("p", { class: "quiet" });
  let total = 0;

  const count = () => Math.max(1, Math.ceil(box.clientHeight / HEIGHT) - 1);
  const height = () => Math.min(TALLEST, (total + 2) * HEIGHT);
  const first = () => {
    const room = Math.max(1, height() - box.clientHeight);
    const share = Math.min(1, box.scrollTop / room);
    return Math.round(share * Math.max(0, total - count() + 1));
  };

  const load = latest(async () => {
    const asked = more(); // what is drawn is what was asked for, whatever is chosen since
    const found = { ...asked, ...await ask(question, { ...asked, start: first(), count: count() }) };
    total = found.total;
    tall.style.height = `${height()}px`;
    header.replaceChildren(head(found));
    body.replaceChildren(...found.rows.map((_, at) => row(found, at)));
    const last = found.start + found.rows.length;
    place.textContent = total === 0 ? "None." : `${of} ${whole(Math.min(found.start + 1, total))} to ${whole(last)} of ${whole(total)}`;
  });

  box.addEventListener("scroll", load);
  new ResizeObserver(() => { if (box.isConnected) load(); }).observe(box); // not when it is taken off the page
  return { element: make("div", {}, box, place), load, top: () => { box.scrollTop = 0; load(); } };
}
