// Every value of a level with its records, as a dialog over the page.

import { make, showDialog, table, whole } from "./dom.js";
import { attempt } from "./studio.js";
import { ask } from "./server.js";

export async function showLevel(column, level, levels) {
  const found = await attempt(() => ask("level", { column, level }));
  if (!found) return;
  const to = (step, words) => make("button", { type: "button", disabled: level + step < 0 || level + step >= levels, onclick: () => showLevel(column, level + step, levels) }, words);
  const rest = [found.there > found.values.length ? `${whole(found.there - found.values.length)} more values occur.` : "",
    found.absent ? `${whole(found.absent)} values of the hierarchy do not occur.` : ""].join(" ").trim();
  showDialog(`${column}, level ${level} of ${levels - 1}`, make("div", { class: "actions" }, to(-1, "Finer"), to(1, "Coarser")),
    make("div", { class: "values", tabindex: 0, role: "region", "aria-label": "Values" }, table(["Value", "Records", "Released"],
      found.values.map((each) => [each.label, whole(each.records), whole(each.released)]), { figures: [1, 2] })),
    make("p", { class: "quiet" }, rest));
}
