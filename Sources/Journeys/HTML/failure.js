const failureKinds = {
  assertion: "Check failed", error: "Error", hook: "Hook failed", timeout: "Time limit",
  task: "Task failed", stopped: "Stopped",
};

/** Shows why an attempt failed: message, place, both values, steps, last exchanges. */
function failureCard(failure, attempt, openExchange) {
  return el("section.failure.card", {},
    el("p.kind", {}, pill("failed", failureKinds[failure.kind] || failure.kind),
      failure.code ? el("code", {}, failure.code) : null,
      failure.file ? el("span.soft", {}, placeOf(failure)) : null),
    el("p.message", {}, short(failure.message)),
    failure.hint ? el("p.hint", {}, failure.hint) : null,
    sourceOf(failure), differences(failure),
    (failure.steps || []).length ? fact("In step", failure.steps.join(" › ")) : null,
    lastExchanges(failure, attempt, openExchange), traceback(failure));
}

/** Cuts a long text; the event file contains all of it. */
function short(text) {
  const limit = 20000;
  return text.length > limit
    ? `${text.slice(0, limit)}… (${text.length - limit} more characters)` : text;
}

function placeOf(place) {
  return place.line ? `${place.file}:${place.line}` : place.file;
}

function fact(name, ...value) {
  return el("p.fact", {}, el("span.soft", {}, name), " ", value);
}

/** Shows the source lines, the first one numbered and marked. */
function sourceOf(failure) {
  if (!failure.source) return null;
  const lines = failure.source.replace(/\s+$/, "").split("\n");
  const indent = Math.min(...lines.filter((line) => line.trim())
    .map((line) => line.length - line.trimStart().length));
  return el("pre.source", { tabindex: "0" }, lines.map((line, index) =>
    el("span", { class: index ? "line" : "line here" },
      el("span.gutter", {}, failure.line ? failure.line + index : ""), line.slice(indent), "\n")));
}

function differences(failure) {
  if ((failure.diff || []).length) {
    return el("div", {}, el("p.keys", {}, el("span.minus", {}, "− expected"), " ",
      el("span.plus", {}, "+ actual")),
    el("pre.diff", { tabindex: "0" }, failure.diff.map((line) => {
      const kind = { "-": "minus", "+": "plus" }[line[0]] || "same";
      return el("span", { class: `line ${kind}` }, line, "\n");
    })));
  }
  const has = (value) => value !== null && value !== undefined;
  if (!has(failure.expected) && !has(failure.actual)) return null;
  return el("div.values", {},
    has(failure.expected) ? el("div", {}, el("p.minus", {}, "expected"),
      el("pre", { tabindex: "0" }, short(failure.expected))) : null,
    has(failure.actual) ? el("div", {}, el("p.plus", {}, "actual"),
      el("pre", { tabindex: "0" }, short(failure.actual))) : null);
}

function lastExchanges(failure, attempt, openExchange) {
  const list = (failure.exchanges || [])
    .map((number) => attempt.exchanges.find((exchange) => exchange.exchange === number))
    .filter((exchange) => exchange);
  if (!list.length) return null;
  return el("div", {}, el("p.soft", {}, "Last exchanges"), el("ul.last", {}, list.map((exchange) =>
    el("li", {}, el("button", { type: "button", click: () => openExchange(exchange.exchange) },
      route(exchange), el("b", {}, operationOf(exchange)), statusOf(exchange))))));
}

function traceback(failure) {
  if (!(failure.traceback || []).length) return null;
  return el("details", {}, el("summary", {}, "Traceback"),
    el("pre", { tabindex: "0" }, failure.traceback.join("\n")));
}

/** Compares the attempts of a journey: all steps and exchanges, and where they differ. */
function compare(journey, openAttempt) {
  const rows = alignedRows(journey.attempts);
  return el("div.scroll.card", { tabindex: "0" }, el("table.compare", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "What"),
      journey.attempts.map((attempt) => el("th", { scope: "col" },
        el("button", { type: "button", click: () => openAttempt(attempt.number) },
          icon(attempt.status), `Attempt ${attempt.number}`),
        el("small.soft.num", {}, ` ${attempt.status}, ${duration(attempt.duration)}`))))),
    el("tbody", {}, rows.map((row) => el("tr", { class: row.differs ? "differs" : "" },
      el("th", { scope: "row", style: { "padding-left": `${12 + row.depth * 16}px` } },
        row.isStep ? el("b", {}, row.text) : row.text),
      row.cells.map((cell) =>
        el("td", {}, cell ? cellOf(cell) : el("span.soft", {}, "not reached"))))),
    el("tr", {}, el("th", { scope: "row" }, "Failures"), journey.attempts.map((attempt) =>
      el("td", {}, attempt.failures.length
        ? attempt.failures.map((failure) => el("p.refusal", {}, short(failure.message)))
        : el("span.soft", {}, "none")))))));
}

function cellOf(item) {
  return [item.type === "step" ? [icon(item.status), item.status] : statusOf(item), " ",
    el("span.soft.num", {}, duration(item.duration))];
}

/** Returns one row per step or exchange, in the order of the first attempt that has it. */
function alignedRows(attempts) {
  const rows = new Map();
  attempts.forEach((attempt, column) => {
    const seen = new Map();
    let after = null;
    for (const item of flatten(attempt.root)) {
      if (item.type !== "step" && item.type !== "http") continue;
      const text = item.type === "step" ? item.name : operationOf(item);
      const path = `${item.parent.key || ""}\n${item.type} ${text}`;
      const times = (seen.get(path) || 0) + 1;
      seen.set(path, times);
      item.key = `${path} ${times}`;
      if (!rows.has(item.key)) {
        insertAfter(rows, after, item.key, {
          text, depth: item.depth, isStep: item.type === "step", cells: attempts.map(() => null),
        });
      }
      rows.get(item.key).cells[column] = item;
      after = item.key;
    }
  });
  for (const row of rows.values()) {
    row.differs = new Set(row.cells.map((cell) => cell && String(cell.status))).size > 1;
  }
  return [...rows.values()];
}

function insertAfter(rows, after, key, row) {
  const entries = [...rows.entries()];
  const index = after === null ? 0 : entries.findIndex(([known]) => known === after) + 1;
  entries.splice(index, 0, [key, row]);
  rows.clear();
  for (const [name, value] of entries) rows.set(name, value);
}
