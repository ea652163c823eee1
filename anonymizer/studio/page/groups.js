// Groups of categories: values are dragged from group to group, or moved by a menu that keys reach, too.

import { make, option, whole } from "./dom.js";

export function groupEditor(found, save) {
  const { rows, numbers } = found.groups;
  const levels = Math.max(1, found.groups.levels);
  let level = 1;
  const box = make("div");

  // parents[n] says which group of level n + 1 each member of level n is in
  const parents = Array.from({ length: levels }, () => new Map());
  for (const row of rows) {
    let member = row.value;
    for (let place = 0; place < levels; place += 1) {
      const group = row.groups[place] ?? member;
      parents[place].set(member, group);
      member = group;
    }
  }
  const count = new Map();
  for (const row of rows) count.set(row.value, row.count);

  const typed = (value) => (numbers && value !== "" && Number.isFinite(Number(value)) ? Number(value) : value);

  function keep(label) {
    const made = parents.map((parent, place) => {
      const groups = {};
      for (const [member, group] of parent) (groups[group] ??= []).push(place ? member : typed(member));
      return groups;
    });
    const nest = (below, level) => Object.fromEntries(Object.entries(level).map(([group, members]) =>
      [group, Object.fromEntries(members.map((each) => [each, below[each]]))]));
    const spec = { ...found.spec, groups: made.slice(1).reduce(nest, made[0]) };
    for (const key of ["values", "unlisted"]) delete spec[key];
    save(spec, label);
  }

  function put(member, group) {
    const place = level - 1;
    const old = parents[place].get(member);
    if (old === group) return;
    parents[place].set(member, group);
    for (let above = place + 1; above < levels; above += 1) {
      const known = new Set(parents[above - 1].values());
      for (const each of known) if (!parents[above].has(each)) parents[above].set(each, parents[above].get(old) ?? each);
      for (const each of [...parents[above].keys()]) if (!known.has(each)) parents[above].delete(each);
    }
    keep(`${found.column}: ${member} into ${group}`);
  }

  function chip(member, groups) {
    const many = level === 1 ? ` ${whole(count.get(member) ?? 0)}` : "";
    const menu = make("select", { "aria-label": `group of ${member}`, "data-key": `group-${level}-${member}`, onchange: (event) => put(member, event.target.value) },
      groups.map((group) => option(group, group, parents[level - 1].get(member))));
    const made = make("div", { class: "value", draggable: "true", "data-value": member,
      ondragstart: (event) => event.dataTransfer.setData("text/plain", member) }, member || "(missing)", make("span", { class: "quiet" }, many), " ", menu);
    return made;
  }

  function render() {
    const groups = [...new Set(parents[level - 1].values())];
    const name = make("input", { type: "text", "aria-label": "name of a new group", "data-key": "new-group" });
    box.replaceChildren(
      levels > 1 ? make("p", {}, make("label", {}, "Level ", make("select", { onchange: (event) => { level = Number(event.target.value); render(); } },
        Array.from({ length: levels }, (_, place) => option(String(place + 1), `${place + 1}`, String(level)))))) : "",
      make("div", { class: "groups" }, groups.map((group) => {
        const zone = make("section", { class: "group", "data-group": group, "aria-label": `group ${group}` }, make("h4", {}, group),
          [...parents[level - 1]].filter(([, of]) => of === group).map(([member]) => chip(member, groups)));
        zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
        zone.addEventListener("dragleave", () => zone.classList.remove("over"));
        zone.addEventListener("drop", (event) => { event.preventDefault(); put(event.dataTransfer.getData("text/plain"), group); });
        return zone;
      })),
      make("div", { class: "actions" }, name, make("button", { type: "button", onclick: () => {
        const text = name.value.trim();
        if (!text || groups.includes(text)) return;
        const zone = make("section", { class: "group", "data-group": text }, make("h4", {}, text), make("p", { class: "quiet" }, "Drag a value here."));
        zone.addEventListener("dragover", (event) => event.preventDefault());
        zone.addEventListener("drop", (event) => { event.preventDefault(); put(event.dataTransfer.getData("text/plain"), text); });
        box.querySelector(".groups").append(zone);
        for (const menu of box.querySelectorAll(".value select")) menu.append(option(text, text, null));
      } }, "New group"),
      make("button", { type: "button", onclick: () => {
        const top = new Map();
        for (const group of new Set(parents.at(-1).values())) top.set(group, group);
        parents.push(top);
        keep(`${found.column}: one level more`);
      } }, "Add a level above")));
  }
  render();
  return box;
}
