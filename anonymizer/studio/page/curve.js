// The share of the people above each risk: risks on a logarithmic axis, the table's line and the release's.

import { draw, make } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT] = [540, 220, 48, 30, 30];
const TICKS = [0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

// Points are by falling risk, from 1 on; `x` says where a risk stands.
export function drawCurve(points, ...more) {
  const least = points.at(-1).risk;
  const x = (risk) => LEFT + (WIDTH - LEFT - RIGHT) * Math.log(risk / least) / Math.log(1 / least);
  const y = (value) => 8 + (HEIGHT - BOTTOM - 8) * (1 - value);
  const line = (key) => points.map((point, at) => `${at ? "L" : "M"}${x(point.risk).toFixed(1)} ${y(point[key]).toFixed(1)}`).join(" ");
  const ticks = TICKS.filter((risk) => risk >= least && (least >= 0.01 || Number.isInteger(Math.log10(risk))));
  const picture = draw("svg", { class: "chart curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, role: "img" },
    draw("title", {}, "The share of the people above each risk, before and after"),
    [0, 0.25, 0.5, 0.75, 1].map((value) => [draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }), draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end", fill: "currentColor" }, `${100 * value} %`)]),
    ticks.map((risk) => draw("text", { x: x(risk), y: HEIGHT - 12, "text-anchor": "middle", fill: "currentColor" }, `${100 * risk} %`)),
    draw("path", { d: line("before"), class: "before" }), draw("path", { d: line("after"), class: "after" }), ...more);
  return { picture, x, top: 8, bottom: HEIGHT - BOTTOM };
}

export const legend = () =>
  make("p", { class: "legend" }, make("span", { class: "swatch-before" }, "table"), make("span", { class: "swatch-after" }, "release"));
