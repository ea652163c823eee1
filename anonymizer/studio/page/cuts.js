// Cut points on a histogram of numbers or dates: dragged, or moved with the arrow keys. A cut that is moved is
// moved at every level that has it, so that each level's cuts stay among those of the one below. Dates are days
// since 1970 here, and cut where one of the shortest periods starts.

import { draw, make, say } from "./dom.js";

const WIDTH = 900;
const LEFT = 60;
const RIGHT = 12;
const TALL = 120;
const BAND = 24;

const DAY = 86_400_000;
const MONTHS = { month: 1, quarter: 3, year: 12, decade: 120 };
const isoDay = (days) => new Date(days * DAY).toISOString().slice(0, 10);

function nearestStart(days, unit) {
  const months = MONTHS[unit];
  if (!months) return Math.round(days);
  const when = new Date(days * DAY);
  const number = when.getUTCFullYear() * 12 + when.getUTCMonth();
  const first = number - number % months;
  const starts = [first, first + months].map((month) => Date.UTC(Math.floor(month / 12), month % 12) / DAY);
  return days - starts[0] < starts[1] - days ? starts[0] : starts[1];
}

export function cutEditor(found, save) {
  const { low, high, counts, edges, whole, unit } = found.histogram;
  let levels = found.cuts.map((cuts) => [...cuts]);
  const span = WIDTH - LEFT - RIGHT;
  const at = (value) => LEFT + span * (value - low) / (high - low);
  const days = 30 * (MONTHS[unit] ?? 0) || 1;
  const step = whole ? days : 10 ** Math.floor(Math.log10((high - low) / 100));
  const rounded = (value) => (unit ? nearestStart(value, unit) : whole ? Math.round(value) : Number((Math.round(value / step) * step).toPrecision(10)));
  const most = Math.max(1, ...counts);
  const picture = draw("svg", { class: "cuts", role: "group", "aria-label": "Histogram with cut points" });
  const status = make("p", { class: "quiet", role: "status" });
  let held = null;

  const rank = (cut) => levels.filter((cuts) => cuts.includes(cut)).length;
  const shown = (value) => (unit ? isoDay(Math.floor(value)) : String(Number(value.toPrecision(10))));

  function legal(cut, wanted) {
    const others = levels[0].filter((each) => each !== cut);
    const below = Math.max(low, ...others.filter((each) => each < cut));
    const above = Math.min(high, ...others.filter((each) => each > cut));
    if (MONTHS[unit]) return rounded(wanted) > below && rounded(wanted) < above ? rounded(wanted) : cut;
    const least = below + step;
    const greatest = above - (whole && above === high ? 1 : step);
    return Math.min(Math.max(rounded(wanted), least), Math.max(least, greatest));
  }

  function move(cut, to) {
    levels = levels.map((cuts) => cuts.map((each) => (each === cut ? to : each)).sort((a, b) => a - b));
    return to;
  }

  function keep(label) {
    const bounds = levels.filter((cuts) => cuts.length);
    const spec = { ...found.spec, bounds: unit ? bounds.map((cuts) => cuts.map(isoDay)) : bounds };
    if (unit) spec.periods = [unit];
    delete spec.widths;
    delete spec.origin;
    if (!bounds.length) delete spec.bounds;
    save(spec, label);
  }

  function render(focus) {
    const height = TALL + levels.length * BAND + 28;
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    picture.replaceChildren(
      ...counts.map((count, number) => {
        const bar = Math.max(count ? 1 : 0, (TALL - 26) * count / most);
        return draw("rect", { class: "bar", x: at(edges[number]), y: TALL - bar, width: Math.max(1, at(edges[number + 1]) - at(edges[number]) - 1), height: bar },
          draw("title", {}, `${shown(edges[number])} to ${shown(edges[number + 1])}: ${count}`));
      }),
      ...levels.map((_, level) => draw("text", { x: 4, y: TALL + level * BAND + 17 }, `level ${level + 1}`)),
      ...levels.map((_, level) => draw("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: TALL + (level + 1) * BAND, y2: TALL + (level + 1) * BAND })),
      draw("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: TALL, y2: TALL }),
      ...levels.flatMap((cuts, level) => [low, ...cuts].map((start, number) => {
        const end = cuts[number] ?? high;
        const room = at(end) - at(start);
        const words = whole && end - start === 1 ? shown(start) : `${shown(start)}${unit ? " to " : "–"}${shown(whole ? end - 1 : end)}`;
        return room < words.length * 6.6 + 8 ? null : draw("text", { x: (at(start) + at(end)) / 2, y: TALL + level * BAND + 17, "text-anchor": "middle" }, words);
      })).filter(Boolean),
      draw("text", { x: LEFT, y: height - 4 }, shown(low)),
      draw("text", { x: WIDTH - RIGHT, y: height - 4, "text-anchor": "end" }, shown(whole ? high - 1 : high)),
      ...(levels[0] ?? []).map(handle));
    if (focus !== undefined) picture.querySelector(`[data-cut="${focus}"]`)?.focus();
  }

  function handle(cut) {
    const x = at(cut);
    const group = draw("g", {
      class: "cut", tabindex: 0, role: "slider", "data-cut": cut, "data-key": `cut-${cut}`, "aria-label": `cut point, kept up to level ${rank(cut)}`,
      "aria-valuenow": cut, "aria-valuemin": low, "aria-valuemax": high, "aria-valuetext": shown(cut),
      onpointerdown: (event) => {
        held = cut;
        picture.setPointerCapture(event.pointerId);
        event.preventDefault();
      },
      onkeydown: (event) => press(event, cut),
    },
      draw("line", { x1: x, x2: x, y1: 14, y2: TALL + rank(cut) * BAND }),
      draw("circle", { cx: x, cy: 12, r: 7 }),
      draw("title", {}, `${shown(cut)}, kept up to level ${rank(cut)}`));
    return group;
  }

  picture.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const box = picture.getBoundingClientRect();
    const wanted = low + ((event.clientX - box.left) * WIDTH / box.width - LEFT) / span * (high - low);
    const to = legal(held, wanted);
    if (to !== held) {
      held = move(held, to);
      status.textContent = `cut at ${shown(to)}`;
      render();
    }
  });
  picture.addEventListener("pointerup", () => {
    if (held === null) return;
    const cut = held;
    held = null;
    keep(`${found.column}: cut at ${shown(cut)}`);
  });
  picture.addEventListener("dblclick", (event) => {
    const box = picture.getBoundingClientRect();
    add(rounded(low + ((event.clientX - box.left) * WIDTH / box.width - LEFT) / span * (high - low)));
  });

  function add(value) {
    if (!(value > low && value < high) || levels[0]?.includes(value)) return;
    if (!levels.length) levels = [[]];
    levels[0] = [...levels[0], value].sort((a, b) => a - b);
    keep(`${found.column}: new cut at ${shown(value)}`);
  }

  function press(event, cut) {
    const moved = { ArrowLeft: -step, ArrowRight: step, PageDown: -10 * step, PageUp: 10 * step }[event.key];
    if (moved) {
      const to = legal(cut, cut + moved);
      move(cut, to);
      render(to);
      say(`cut at ${shown(to)}`);
    } else if (event.key === "Enter") {
      keep(`${found.column}: cut at ${shown(cut)}`);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      levels = levels.map((cuts) => cuts.filter((each) => each !== cut));
      keep(`${found.column}: without the cut at ${shown(cut)}`);
    } else if (event.key === "ArrowDown" && rank(cut) < levels.length) {
      levels[rank(cut)] = [...levels[rank(cut)], cut].sort((a, b) => a - b);
      keep(`${found.column}: cut at ${shown(cut)} kept longer`);
    } else if (event.key === "ArrowUp" && rank(cut) > 1) {
      const last = rank(cut) - 1;
      levels[last] = levels[last].filter((each) => each !== cut);
      keep(`${found.column}: cut at ${shown(cut)} gone earlier`);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  const number = make("input", { type: unit ? "date" : "number", "aria-label": "new cut point", "data-key": "new-cut", step: "any" });
  const written = () => (unit ? nearestStart(Date.parse(number.value) / DAY, unit) : Number(number.value));
  const tools = make("div", { class: "actions" },
    number, make("button", { type: "button", onclick: () => add(written()) }, "Add a cut"),
    make("button", { type: "button", onclick: () => {
      levels.push((levels.at(-1) ?? []).filter((_, place) => place % 2));
      keep(`${found.column}: one level more`);
    }, disabled: (levels.at(-1) ?? []).length < 2 }, "Add a level"),
    make("button", { type: "button", onclick: () => { levels.pop(); keep(`${found.column}: one level less`); }, disabled: levels.length < 2 }, "Remove the last level"));
  render();
  return make("div", {}, picture, status,
    make("p", { class: "quiet" }, "Drag a cut point; or choose one with Tab, move it with ", make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " and ", make("kbd", {}, "Enter"),
      ", keep it up to a higher level with ", make("kbd", {}, "↓"), ", a lower one with ", make("kbd", {}, "↑"), ", remove it with ", make("kbd", {}, "Delete"), ". A double click adds one."),
    tools);
}
