// Every value of a level with its records, as a dialog over the page.

import { make, table, whole } from "./dom.js";
import { attempt } from "./studio.js";
import { ask } from "./server.js";

const box = make("dialog", { id: "level", "aria-labelledby": "level-title" });

async function fill(column, level, levels) {
  const found = await attempt(() => ask("level", { column, level }));
  if (!found) return false;
  const to = (step, words) => make("button", { type: "button", disabled: level + step < 0 || level + step >= levels, onclick: () => fill(column, level + step, levels) }, words);
  const rest = [found.there > found.values.length ? `${whole(found.there - found.values.length)} more values occur.` : "",
    found.absent ? `${whole(found.absent)} values of the hierarchy do not occur.` : ""].join(" ").trim();
  box.replaceChildren(make("h2", { id: "level-title" }, `${column}, level ${level} of ${levels - 1}`),
    make("div", { class: "actions" }, to(-1, "Finer"), to(1, "Coarser"), make("button", { type: "button", autofocus: true, onclick: () => box.close() }, "Close")),
    make("div", { class: "values", tabindex: 0, role: "region", "aria-label": "Values" }, table(["Value", "Records", "Released"],
      found.values.map((each) => [each.label, whole(each.records), whole(each.released)]), { figures: [1, 2] })),
    make("p", { class: "quiet" }, rest));
  return true;
}

export async function showLevel(column, level, levels) {
  if (!box.isConnected) document.body.append(box);
  if (await fill(column, level, levels)) box.showModal();
}
