// What the page knows: the last of each event, and who wants to hear of them.

import { keepFocus, make } from "./dom.js";
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
  mended: null, // the panel on which it is mended
  working: null,
  notes: [],
  released: null,
  attacked: null,
  attacks: null,
  outcomes: null,
  evidence: null,
};

const listeners = new Map();

export function on(kinds, call) {
  for (const kind of kinds) listeners.set(kind, [...(listeners.get(kind) ?? []), call]);
}

export function tell(kind) {
  for (const call of listeners.get(kind) ?? []) call();
}

const OF_A_REVISION = ["problem", "solution", "explanation", "frontier", "released", "failure", "attacks", "outcomes"];

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
    Object.assign(studio, { solution: null, explanation: null, frontier: null, failure: null, tried: null, released: null, attacks: null, outcomes: null });
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
  evidence(content) { studio.evidence = content; },
  attacks(content) { studio.attacks = content; },
  outcomes(content) { studio.outcomes = content; },
  attacked(content) { studio.attacked = content; },
  failure(content) { Object.assign(studio, { failure: content.message, mended: content.panel }); },
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

// While a slider moves or a table is scrolled, one question is under way at a time, and only the newest waits.
export function latest(work, failed = complain) {
  let busy = false;
  let waiting = null;
  return async (given) => {
    waiting = { given };
    if (busy) return;
    busy = true;
    while (waiting) {
      const now = waiting;
      waiting = null;
      await Promise.resolve(now.given).then(work).catch(failed);
    }
    busy = false;
  };
}

let sequence = 0;

export const tryOut = latest((changes) => {
  sequence += 1;
  return ask("try", { revision: studio.state.revision, changes, sequence });
}, (error) => { if (error.status !== 409) complain(error); }); // a slider that was let go meanwhile has been written down

// The answer to a question about the solution, asked once for a revision; the view is rendered when it comes.
export function answerTo(question, view, render, also = () => "") {
  let found = null;
  let asked = null;
  on(["state"], () => { found = null; asked = null; });
  on(["released", "context", "attacks"], () => { asked = null; }); // files may have been written meanwhile
  return (panel) => {
    const wanted = `${studio.state.revision} ${also()}`;
    if (studio.solution && asked !== wanted) {
      asked = wanted;
      attempt(() => ask(question)).then((answer) => {
        if (asked !== wanted) return; // there is a newer question
        found = answer ?? found;
        if (panel.querySelector(`[data-view=${view}]`)) keepFocus(() => render(panel));
      });
    }
    return found;
  };
}

export const shown = () => studio.tried?.solution ?? studio.solution;
