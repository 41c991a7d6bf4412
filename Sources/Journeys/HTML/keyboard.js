const keys = [
  ["j", "next journey"], ["k", "journey before"], ["n", "next that failed or is flaky"],
  ["/", "filter"], ["1 – 5", "timeline, sequence, tokens, log, pages"], ["c", "attempts side by side"],
  ["t", "light or dark"], ["Esc", "clear and leave the filter, back to the list"], ["?", "these keys"],
];

function helpDialog() {
  const dialog = el("dialog", { id: "help", "aria-label": "Keyboard" }, el("h2", {}, "Keyboard"),
    el("dl", {}, keys.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
    el("button", { type: "button", click: () => dialog.close() }, "Close"));
  return dialog;
}

function helpButton() {
  return el("button", {
    type: "button", id: "keys", click: () => document.getElementById("help").showModal(),
  }, "?", el("span.unseen", {}, " Keyboard"));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    if (field) leaveFilter(field);
    else location.hash = "";
    // The browser would clear the field by itself, without an event.
    event.preventDefault();
    return;
  }
  if (field) {
    if (field.id === "search" && (event.key === "ArrowDown" || event.key === "Enter")) {
      const first = document.querySelector("#list a");
      if (first) first.focus();
      event.preventDefault();
    }
    return;
  }
  const inList = event.target.closest("#list");
  const action = actions[event.key] || (inList && { ArrowDown: () => focusBeside(1),
    ArrowUp: () => focusBeside(-1) }[event.key]);
  if (!action) return;
  action();
  event.preventDefault();
}

function leaveFilter(field) {
  if (field.id === "search" && field.value) {
    field.value = "";
    filter.text = "";
    showList();
  }
  field.blur();
}

const actions = {
  j: () => moveBy(1),
  k: () => moveBy(-1),
  n: () => moveTo((row) => row.outcome === "failed" || row.outcome === "flaky"),
  t: () => theme.toggle(),
  c: () => go({ view: "compare" }),
  "/": () => document.getElementById("search").focus(),
  "?": () => document.getElementById("help").showModal(),
  1: () => openView("timeline"), 2: () => openView("sequence"),
  3: () => openView("tokens"), 4: () => openView("log"), 5: () => openView("pages"),
};

function moveBy(side) {
  const index = shownRows.findIndex((row) => row.id === state.journey);
  const next = shownRows[index < 0 ? 0 : Math.min(shownRows.length - 1, Math.max(0, index + side))];
  if (next) location.hash = address({ journey: next.id, view: state.view });
}

function moveTo(isWanted) {
  const index = shownRows.findIndex((row) => row.id === state.journey);
  const next = [...shownRows.slice(index + 1), ...shownRows.slice(0, index + 1)].find(isWanted);
  if (next) location.hash = address({ journey: next.id, view: state.view });
}

function focusBeside(side) {
  const links = [...document.querySelectorAll("#list a")];
  const next = links[links.indexOf(document.activeElement) + side];
  if (next) next.focus();
  else if (side < 0) document.getElementById("search").focus();
}
