// The strip: what the release would be now, always in view.

import { make, quality, share, signed, whole } from "./dom.js";
import { attempt, on, shown, studio } from "./studio.js";
import { ask } from "./server.js";
import { undo } from "./policy.js";

const WORDS = {
  reading: "reading the table", searching: "searching", explaining: "explaining", frontier: "other thresholds",
  compiling: "compiling, once on this machine", releasing: "writing the release", verifying: "verifying", analysing: "making the stated analyses", attacking: "looking as an attacker does", deciding: "writing the decision page", trying: "attacking the release", comparing: "analysing at each threshold",
};

function figure(name, text, more, state) {
  return make("div", { class: "figure", "data-figure": name, "data-state": state },
    make("dt", {}, name), make("dd", {}, text), make("dd", { class: "more" }, more ?? ""));
}

function proof(now) {
  if (now.proven) return ["proven optimal", "proven"];
  if (now.layers) return [`${now.layers} layers, gap ${quality(now.gap)}`, "gap"];
  return [now.gap > 0 ? `gap ${quality(now.gap)}` : "not proven", "gap"];
}

function effort(now) {
  if (now.schemes === null) return "";
  return `${whole(now.evaluated)} of ${whole(now.schemes)} schemes evaluated, ${now.milliseconds.toFixed(0)} ms`;
}

function difference(now, before) {
  if (!before) return "";
  return `quality ${signed(now.quality - before.quality)}, suppressed ${signed(now.suppressed - before.suppressed, 0)}`;
}

function render() {
  const strip = document.getElementById("strip");
  strip.hidden = !studio.state.open;
  const now = shown();
  const trying = Boolean(studio.tried);
  strip.dataset.sequence = studio.tried?.sequence ?? "";
  strip.dataset.revision = !trying && now ? studio.state.revision : "";
  strip.classList.toggle("old", !now && !studio.failure);
  const last = trying ? "trying out, not written down" : studio.state.label;
  if (studio.failure && !trying) {
    strip.replaceChildren(
      make("p", { class: "failure", role: "alert" }, studio.failure),
      make("p", { class: "actions" }, studio.mended ? make("a", { class: "button", href: `#${studio.mended}` }, `Open ${studio.mended[0].toUpperCase()}${studio.mended.slice(1)}`) : null,
        studio.state.undo ? make("button", { type: "button", "data-key": "undo-failure", onclick: undo }, `Undo: ${studio.state.undo}`) : null), activity());
    return;
  }
  if (!now) {
    const kept = [...strip.querySelectorAll("dl")]; // figures of before stay, faded, so that nothing jumps
    strip.replaceChildren(...kept, activity());
    return;
  }
  const people = now.people === now.records ? "each row a person" : `${whole(now.people)} people`;
  const before = trying ? studio.solution : studio.previous;
  const [words, state] = proof(now);
  strip.replaceChildren(
    make("dl", {},
      figure("Quality", quality(now.quality), "1 is untouched"),
      figure("Highest risk", share(now.highest), now.highest ? `one person in ${Math.round(1 / now.highest)}` : "nobody is released"),
      figure("Average risk", share(now.average), ""),
      figure("Rows", whole(now.records), people),
      figure("Suppressed", whole(now.suppressed), share(now.suppressed / now.records)),
      figure("Proof", words, effort(now), state),
      figure("Last step", last ?? "", difference(now, before))),
    activity());
}

function activity() {
  const work = studio.working;
  if (!work) return make("div", { class: "activity" });
  const gap = work.gap === null || work.gap === undefined ? "" : `, gap ${quality(work.gap)}`;
  return make("div", { class: "activity", role: "status" },
    make("progress", { "aria-label": "Progress", ...(work.share === undefined ? {} : { max: 1, value: work.share }) }),
    make("span", {}, `${WORDS[work.what] ?? work.what}${work.step ? `: ${work.step}` : ""}${gap}`),
    make("button", { type: "button", "data-key": "cancel", onclick: () => attempt(() => ask("cancel")) }, "Cancel"));
}

export function start() {
  on(["state", "solution", "tried", "working", "idle", "failure"], render);
}
