// Before a table is open: a place to drop one, and what is wrong with one that cannot be read.

import { make, option } from "./dom.js";
import { complain, hear, studio } from "./studio.js";
import { ask, upload } from "./server.js";

let file = null; // the one that was dropped last

async function open(send, waiting) {
  const status = document.getElementById("opening");
  if (status) status.textContent = waiting;
  try {
    hear("state", await send());
  } catch (error) {
    if (error.fault) hear("state", { ...studio.state, fault: error.fault });
    else {
      if (status) status.textContent = "Choose another file.";
      complain(error);
    }
  }
}

function drop(chosen) {
  if (!chosen) return;
  file = chosen;
  document.getElementById("messages").replaceChildren();
  open(() => upload(file), `Reading ${file.name} …`);
}

function choose() {
  const input = make("input", { type: "file", id: "file", onchange: () => drop(input.files[0]) });
  return input;
}

// A table that was named on the command line is on the server; one that was dropped is sent once more.
const again = (stated) => open(() => (file ? upload(file, stated) : ask("mend", stated)), "Reading it again …");

function mending(fault) {
  const stated = { ...fault.stated };
  if (fault.encodings && !fault.encodings["utf-8"]) stated.encoding ??= Object.keys(fault.encodings)[0]; // as found, it was not read
  const lines = make("pre", { tabindex: 0, "aria-label": "The first lines" });
  const show = () => lines.replaceChildren((fault.texts[stated.encoding] ?? Object.values(fault.texts)[0] ?? []).join("\n"));
  const field = (key, label, choices) => (Object.keys(choices).length ? make("p", {}, make("label", { for: `mend-${key}` }, `${label} `),
    make("select", { id: `mend-${key}`, onchange: (event) => { stated[key] = event.target.value; show(); } },
      option("", "as found", stated[key] ?? ""), Object.entries(choices).map(([value, words]) => option(value, words, stated[key] ?? "")))) : null);
  const fields = [field("encoding", "The text is written in", fault.encodings), field("delimiter", "Cells are separated by a", fault.delimiters),
    fault.sheets.length > 1 ? field("sheet", "The sheet is", Object.fromEntries(fault.sheets.map((name) => [name, name]))) : null].filter(Boolean);
  show();
  return make("div", { id: "fault" }, make("h2", {}, `${fault.file} cannot be read yet`), make("p", { class: "note", role: "alert" }, fault.said),
    lines.textContent ? [make("h3", {}, "Its first lines"), lines] : null,
    fields.length ? [make("h3", {}, "Say how to read it"), ...fields, make("button", { type: "button", class: "main", id: "mend", onclick: () => again(stated) }, "Read it again")] : null,
    make("h3", {}, "Or choose the corrected file"));
}

export function welcome() {
  const { fault } = studio.state;
  const zone = make("div", { class: "welcome" },
    fault ? mending(fault) : [make("h2", {}, "Drop a table here"),
      make("p", {}, "CSV, Parquet, Excel and others: one row for each person, or several with a column that tells whose they are.")],
    make("p", {}, make("label", { for: "file" }, fault ? "Choose a file: " : "Or choose a file: "), choose()),
    make("p", { class: "quiet", id: "opening", role: "status" }, "It is copied into the folder, and leaves this machine never."));
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    drop(event.dataTransfer.files[0]);
  });
  return zone;
}
