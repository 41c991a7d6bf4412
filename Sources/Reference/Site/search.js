"use strict";
// Searches the entries of entries.js; all words must be found, names first.
const field = document.getElementById("search");
const found = document.getElementById("found");
let chosen = -1;

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const ranked = [];
  for (const entry of entries) {
    const name = entry[0].toLowerCase();
    const all = (name + " " + entry[1] + " " + entry[2]).toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    const last = name.split(/[.:]/).pop();
    const rank = last === words[0] ? 0 : last.startsWith(words[0]) ? 1 : name.includes(words[0]) ? 2 : 3;
    ranked.push([rank, entry]);
  }
  return ranked.sort((one, other) => one[0] - other[0]).slice(0, 40).map((pair) => pair[1]);
}

function show() {
  const results = search(field.value);
  chosen = -1;
  found.replaceChildren(...results.map((entry) => {
    const link = document.createElement("a");
    link.href = entry[3];
    const name = document.createElement("code");
    name.textContent = entry[1];
    const words = document.createElement("span");
    words.textContent = entry[2];
    link.append(name, words);
    link.addEventListener("click", () => { found.hidden = true; });
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  found.hidden = results.length === 0;
}

field.addEventListener("input", show);
field.addEventListener("focus", show);
field.addEventListener("keydown", (event) => {
  const links = [...found.querySelectorAll("a")];
  if (event.key === "Escape") {
    found.hidden = true;
  } else if (event.key === "Enter" && links.length > 0) {
    links[Math.max(chosen, 0)].click();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : links.length - 1)) % Math.max(links.length, 1);
    links.forEach((link, index) => link.classList.toggle("chosen", index === chosen));
  }
});
document.addEventListener("click", (event) => {
  if (!found.contains(event.target) && event.target !== field) found.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
