// The page: perspectives as tabs, keys for everything, and the events that keep it up to date.

import { keepFocus, make, say } from "./dom.js";
import { complain, hear, on, studio } from "./studio.js";
import { listen } from "./server.js";
import { welcome } from "./welcome.js";
import * as start from "./start.js";
import * as hierarchies from "./hierarchies.js";
import * as explore from "./explore.js";
import * as rows from "./rows.js";
import * as utility from "./utility.js";
import * as risk from "./risk.js";
import * as release from "./release.js";
import * as policy from "./policy.js";
import * as strip from "./strip.js";

const PERSPECTIVES = [
  { id: "start", name: "Start", view: start },
  { id: "hierarchies", name: "Hierarchies", view: hierarchies },
  { id: "explore", name: "Explore", view: explore },
  { id: "rows", name: "Rows", view: rows },
  { id: "utility", name: "Utility", view: utility },
  { id: "risk", name: "Risk", view: risk },
  { id: "release", name: "Release", view: release },
];
const named = () => PERSPECTIVES.find((each) => `#${each.id}` === location.hash);
let current = named() ?? PERSPECTIVES[0];

function show(perspective, focus = false) {
  current = perspective;
  history.replaceState(null, "", `#${perspective.id}`);
  renderTabs();
  render();
  if (focus) document.getElementById(`tab-${perspective.id}`)?.focus();
}

function renderTabs() {
  const tabs = document.getElementById("tabs");
  tabs.hidden = !studio.state.open;
  tabs.replaceChildren(...PERSPECTIVES.map((each, number) => make("button", {
    type: "button", role: "tab", id: `tab-${each.id}`, "aria-selected": String(each === current),
    "aria-controls": "perspective", tabindex: each === current ? 0 : -1, title: `${each.name} (${number + 1})`,
    onclick: () => show(each),
  }, each.name)));
}

function render() {
  const panel = document.getElementById("perspective");
  panel.setAttribute("aria-labelledby", `tab-${current.id}`);
  document.getElementById("source").textContent = studio.state.open ? studio.state.table : "";
  if (!studio.state.open) {
    if (panel.dataset.fault === JSON.stringify(studio.state.fault ?? null)) return; // a file may be being chosen
    panel.dataset.fault = JSON.stringify(studio.state.fault ?? null);
    panel.replaceChildren(welcome());
    return;
  }
  keepFocus(() => current.view.render(panel));
}

const typing = (target) => target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");

document.addEventListener("keydown", (event) => {
  if (event.target.getAttribute?.("role") === "tab" && /^Arrow(Left|Right)$/.test(event.key)) {
    const step = event.key === "ArrowRight" ? 1 : PERSPECTIVES.length - 1;
    const place = (PERSPECTIVES.indexOf(current) + step) % PERSPECTIVES.length;
    show(PERSPECTIVES[place], true);
    event.preventDefault();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing(event.target)) {
    event.preventDefault();
    if (event.shiftKey) policy.redo();
    else policy.undo();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || !studio.state.open) return;
  if (current.view.key?.(event)) {
    event.preventDefault();
    return;
  }
  const chosen = PERSPECTIVES[Number(event.key) - 1];
  if (chosen) show(chosen, true);
  else if (event.key === "u") policy.undo();
  else if (event.key === "r") policy.redo();
  else if (event.key === "p") policy.toggle();
});

// A link leads to a perspective, or to a place of the one that is shown.
window.addEventListener("hashchange", () => {
  const perspective = named();
  const place = perspective ? null : document.querySelector(location.hash || "#perspective");
  if (perspective && perspective !== current) show(perspective, true);
  else if (place) {
    history.replaceState(null, "", `#${current.id}`);
    place.scrollIntoView();
    place.focus();
  }
});

strip.start();
policy.start();
on(["state"], () => { renderTabs(); render(); });
on(["problem", "solution", "explanation", "frontier", "tried", "failure", "released", "context", "attacks", "outcomes"], () => {
  if (studio.state.open) keepFocus(() => current.view.update?.(document.getElementById("perspective")));
});
on(["solution"], () => say(`Optimum found: quality ${studio.solution.quality.toFixed(4)}`));
renderTabs();
listen((kind, content) => hear(kind, content), (message) => complain({ message }));
