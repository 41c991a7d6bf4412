/** The filter of the list: required words, allowed outcomes, order. */
const filter = { text: "", outcomes: new Set(), order: "file" };

function matches(row) {
  if (filter.outcomes.size && !filter.outcomes.has(kindOf(row))) return false;
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word);
  const text = row.words || `${row.file} ${row.own}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns the filtered rows in the chosen order. */
function visibleRows(run) {
  const rows = run.list.filter(matches);
  if (filter.order === "slow") rows.sort((one, other) => other.duration - one.duration);
  if (filter.order === "outcome") {
    rows.sort((one, other) => outcomes.indexOf(one.outcome) - outcomes.indexOf(other.outcome));
  }
  if (filter.order === "time") rows.sort((one, other) => one.at - other.at);
  return rows;
}

function filterBar(run, refresh) {
  const search = el("input", {
    type: "search", id: "search", placeholder: "Filter: name, #tag, error",
    autocomplete: "off", spellcheck: "false",
    input: () => { filter.text = search.value; refresh(); },
  });
  const order = el("select", {
    id: "order", change: () => { filter.order = order.value; refresh(); },
  }, [["file", "by file"], ["outcome", "worst first"], ["slow", "slowest first"],
    ["time", "as they began"]].map(([value, text]) => el("option", { value }, text)));
  order.value = filter.order;
  return el("form.filter", { role: "search", submit: (event) => event.preventDefault() },
    el("label.unseen", { for: "search" }, "Filter journeys"), search,
    el("label.unseen", { for: "order" }, "Order"), order,
    chips(run, refresh), el("p.soft", { id: "shown", role: "status" }));
}

function chips(run, refresh) {
  return el("div.chips", {}, outcomes.filter((outcome) => run.counts[outcome])
    .map((outcome) => chip(outcome, run.counts[outcome], refresh)),
  run.broken ? chip("broken", run.broken, refresh) : null);
}

function chip(outcome, number, refresh) {
  const button = el("button.chip", {
    type: "button", "aria-pressed": String(filter.outcomes.has(outcome)), "data-outcome": outcome, click: () => {
      if (!filter.outcomes.delete(outcome)) filter.outcomes.add(outcome);
      button.setAttribute("aria-pressed", String(filter.outcomes.has(outcome)));
      refresh();
    },
  }, icon(outcome === "broken" ? "failed" : outcome), el("b.num", {}, number), ` ${nameOf(outcome)}`);
  return button;
}

/** What the list shows: the order of its rows, and each row with the sign of what it shows,
 * and the journey that was scrolled into sight. */
const drawn = { shape: "", rows: new Map(), seen: null };

/** Draws what has changed in the list, and returns its rows. */
function drawList(run, selected) {
  const rows = visibleRows(run);
  const shape = JSON.stringify([filter.order, rows.map((row) => row.id)]);
  const signs = new Map(rows.map((row) => [row.id, signOfRow(row, row.id === selected)]));
  const before = drawn.rows;
  const link = (row) => {
    const known = before.get(row.id);
    const sign = signs.get(row.id);
    return known && known.sign === sign
      ? known : { sign, link: listRow(row, row.id === selected) };
  };
  drawn.rows = new Map(rows.map((row) => [row.id, link(row)]));
  const list = document.getElementById("list");
  if (shape === drawn.shape) {
    for (const [id, { link: fresh }] of drawn.rows) {
      if (before.get(id).link !== fresh) swap(before.get(id).link, fresh);
    }
  } else {
    const focused = list.contains(document.activeElement)
      && document.activeElement.getAttribute("href");
    list.replaceChildren(...groups(rows));
    const next = focused && list.querySelector(`[href="${CSS.escape(focused)}"]`);
    if (next) next.focus({ preventScroll: true });
  }
  drawn.shape = shape;
  const longest = Math.max(0.001, ...run.list.map((row) => row.duration || 0));
  list.style.setProperty("--longest", longest);
  return rows;
}

/** What a row of the list depends on. */
function signOfRow(row, isSelected) {
  return JSON.stringify([row.outcome, row.duration, row.name, row.tags, row.attempts.length,
    isSelected]);
}

/** Returns the rows by file, or in one list for other orders. */
function groups(rows) {
  const parts = [];
  let file = null;
  let group = null;
  for (const row of rows) {
    if (!group || (filter.order === "file" && row.file !== file)) {
      file = row.file;
      group = el("ul");
      if (filter.order === "file") {
        parts.push(el("h2.file", {}, el("span", {}, file), additions.fileTools(file)));
      }
      parts.push(group);
    }
    group.append(el("li", {}, drawn.rows.get(row.id).link));
  }
  if (!rows.length) parts.push(el("p.nothing", {}, "No journey is like that."));
  return parts;
}

function listRow(row, isSelected) {
  const blocks = row.name.slice(0, -1).join(" › ");
  return el("a.journey", {
    href: address({ journey: row.id }), "aria-current": isSelected ? "true" : null,
    title: `${nameOf(row.outcome)}: ${row.name.join(" › ")}`,
  }, icon(row.outcome), el("span.name", {}, blocks ? el("span.soft", {}, `${blocks} › `) : null,
    row.own, el("span.unseen", {}, `, ${nameOf(row.outcome)}`),
    row.attempts.length > 1 ? el("span.tag", {}, ` ×${row.attempts.length}`) : null,
    row.tags.map((tag) => el("span.tag", {}, ` #${tag}`))),
  el("span.took.num", {}, row.outcome === "skipped" || row.outcome === "pending"
    ? null : duration(row.duration || null),
    el("span.gauge", { style: { "--took": row.duration || 0 } })));
}

/** Returns the URL fragment of a view. */
function address(parts) {
  return `#${new URLSearchParams(parts)}`;
}
