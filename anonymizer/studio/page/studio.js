// What the page knows: the last of each event, and who wants to hear of them.

import { make } from "./dom.js";
import { ask } from "./server.js";

export const studio = {
  state: { open: false },
  problem: null,
  solution: null,
  previous: null,
  tried: null,
  explanation: null,
  frontier: null,
  failure: null,
  working: null,
  notes: [],
  released: null,
};

const listeners = new Map();

export function on(kinds, call) {
  for (const kind of kinds) listeners.set(kind, [...(listeners.get(kind) ?? []), call]);
}

export function tell(kind) {
  for (const call of listeners.get(kind) ?? []) call();
}

const OF_A_REVISION = ["problem", "solution", "explanation", "frontier", "released", "failure"];

export function hear(kind, content) {
  if (OF_A_REVISION.includes(kind) && content.revision !== studio.state.revision) return; // of an older policy
  const handler = HEARD[kind];
  if (handler) handler(content);
  tell(kind);
}

const HEARD = {
  state(content) {
    const news = content.revision !== studio.state.revision;
    studio.state = content;
    if (!news) return;
    if (studio.solution) studio.previous = studio.solution;
    Object.assign(studio, { solution: null, explanation: null, frontier: null, failure: null, tried: null, released: null });
  },
  problem(content) { studio.problem = content; },
  solution(content) {
    Object.assign(studio, { solution: content.solution, notes: content.notes, failure: null, tried: null });
  },
  explanation(content) { studio.explanation = content.explanation; },
  frontier(content) { studio.frontier = content.frontier; },
  tried(content) {
    if (content.sequence === sequence) studio.tried = content;
  },
  working(content) { studio.working = content; },
  idle() { studio.working = null; },
  released(content) { studio.released = content; },
  failure(content) { studio.failure = content.message; },
};

// Messages for the user; a refused change leaves everything as it was.
export function complain(error) {
  const box = document.getElementById("messages");
  const close = make("button", { type: "button", onclick: () => box.replaceChildren() }, "Close");
  box.replaceChildren(make("p", { class: "message", role: "alert" }, error.message ?? String(error), close));
}

export async function attempt(work) {
  try {
    const found = await work();
    document.getElementById("messages").replaceChildren();
    return found;
  } catch (error) {
    complain(error);
    if (error.status === 409) hear("state", await ask("state"));
    else tell("state"); // controls go back to what holds
    return null;
  }
}

export const change = (changes, label) =>
  attempt(() => ask("change", { revision: studio.state.revision, changes, label }));

export const put = (path, value, label) => change([{ path, value }], label);

// While a slider moves, one question is under way at a time, and only the newest waits.
let sequence = 0;
let busy = false;
let next = null;

export async function tryOut(changes) {
  next = changes;
  if (busy) return;
  busy = true;
  while (next) {
    const now = next;
    next = null;
    sequence += 1;
    try {
      await ask("try", { revision: studio.state.revision, changes: now, sequence });
    } catch (error) {
      complain(error);
    }
  }
  busy = false;
}

export const shown = () => studio.tried?.solution ?? studio.solution;
