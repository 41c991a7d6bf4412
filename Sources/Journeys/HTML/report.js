/** The current view: journey, attempt, kind of view, exchange. */
const state = { journey: null, attempt: null, view: "timeline", exchange: null };

let run;
let shownRows = [];

/** What the live view adds to the page: a bar above the journeys, and tools of a journey. */
const additions = {
  bar: () => null, tools: () => null, fileTools: () => null,
  /** Called when the filter has changed, or the list. */
  listed: () => {},
};

/** Shows a run. */
function start(shown) {
  theme.start();
  run = shown;
  // When only the list fits on the screen, failures come first.
  if (matchMedia("(max-width: 900px)").matches) filter.order = "outcome";
  document.body.append(
    el("a.skip", { href: "#detail" }, "Skip to the journey"),
    topBar("journeys", runFacts(run), helpButton()), additions.bar() || "",
    el("main", { id: "main" }, summary(run),
      el("div.panes", {},
        el("nav.side", { "aria-label": "Journeys" },
          filterBar(run, showList), el("div", { id: "list" })),
        el("article", { id: "detail", tabindex: "-1", "aria-live": "off" }))),
    helpDialog());
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", onKey);
  follow();
}

/** Shows what the URL fragment names; without one, the first failure. */
function follow() {
  const { row, isNew } = choose();
  showList();
  showDetail(row, isNew);
}

/** Reads the URL fragment into the state, and returns the journey to show. */
function choose() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const find = (id) => run.list.find((one) => one.id === id);
  const asked = find(parts.get("journey"))
    || (run.live && run.live.insteadOf(parts.get("journey"), find));
  const isNew = !asked || asked.id !== state.journey;
  // A journey that was repaired in the live view stays in sight.
  const first = run.list.find((row) => row.outcome === "failed")
    || (run.live && find(state.journey)) || run.list[0];
  const row = asked || first;
  state.journey = row ? row.id : null;
  state.view = parts.get("view") || state.view;
  state.exchange = Number(parts.get("exchange")) || null;
  state.attempt = Number(parts.get("attempt"))
    || (row && row.attempts.length ? row.attempts[row.attempts.length - 1].number : 1);
  document.body.classList.toggle("chosen", Boolean(asked) && parts.has("journey"));
  return { row, isNew };
}

function go(parts) {
  const next = { journey: state.journey, attempt: state.attempt, view: state.view, ...parts };
  for (const name in next) if (next[name] === null) delete next[name];
  location.hash = address(next);
}

function showList() {
  const rows = drawList(run, state.journey);
  shownRows = rows;
  const shown = rows.filter((row) => !row.isFile).length;
  const all = run.list.length - run.broken;
  const broken = rows.length - shown;
  document.getElementById("shown").textContent = (rows.length === run.list.length
    ? count(all, "journey") : `${shown} of ${count(all, "journey")}`)
    + (broken ? `, ${count(broken, "broken file")}` : "");
  additions.listed();
  if (drawn.seen === state.journey) return;
  drawn.seen = state.journey;
  const current = document.querySelector("#list [aria-current]");
  if (current) keepInSight(current);
}

/** Scrolls the list only, not the page. */
function keepInSight(element) {
  const side = element.closest(".side");
  if (!side || side.scrollHeight <= side.clientHeight) return;
  const top = element.getBoundingClientRect().top - side.getBoundingClientRect().top;
  if (top < 150 || top > side.clientHeight - 50) side.scrollTop += top - side.clientHeight / 2;
}

function showDetail(row, isNew) {
  const detail = document.getElementById("detail");
  if (!row) {
    detail.replaceChildren(...run.logs.map((log) => el("pre", {}, log.text)));
    return;
  }
  if (row.isGone) {
    detail.replaceChildren(el("a.back.button", { href: "#" }, "← All journeys"),
      el("h2.title", {}, row.own), el("p.nothing", {}, row.note));
    return;
  }
  const attempt = row.attempts.find((one) => one.number === state.attempt) || row.attempts[0];
  detail.replaceChildren(...journeyHead(row, attempt));
  if (!attempt) {
    detail.append(el("p.nothing", {}, "This journey has not run yet."));
    return;
  }
  detail.append(...attempt.failures.map((failure) => failureCard(failure, attempt, openExchange)),
    failurePages(attempt) || "", viewTabs(row, attempt), viewOf(row, attempt));
  if (isNew) detail.scrollTop = 0;
  const opened = detail.querySelector(`button[data-exchange="${state.exchange}"]`);
  if (opened) opened.scrollIntoView({ block: "center" });
}

function journeyHead(row, attempt) {
  return [
    el("a.back.button", { href: "#" }, "← All journeys"),
    el("header.head", {},
      el("p.soft.crumbs", {}, [row.file, ...row.name.slice(0, -1)].join(" › ")),
      el("h2.title", {}, row.own),
      el("p.about", {},
        el("span", { class: `pill ${row.outcome}` }, icon(row.outcome), nameOf(row.outcome)),
        row.line ? el("code.soft", {}, `${row.file}:${row.line}`) : null,
        attempt && (attempt.duration !== null || attempt.elapsed)
          ? el("span.soft.num", {}, duration(attempt.duration ?? attempt.elapsed)) : null,
        attempt && attempt.worker
          ? el("span.soft", {}, `worker ${laneName(attempt.worker, run)}`) : null,
        row.tags.map((tag) => el("span.tag", {}, `#${tag}`))),
      row.reason ? el("p.hint", {}, row.reason) : null, additions.tools(row),
      row.attempts.length > 1 ? attemptBar(row, attempt) : null),
  ];
}

/** Returns the view of one attempt to show after a view of all. */
function viewBeside(view) {
  return view === "compare" ? "timeline" : view;
}

function attemptBar(row, shown) {
  return el("div.attempts", { role: "group", "aria-label": "Attempts" },
    row.attempts.map((attempt) => el("button", {
      type: "button", "aria-pressed": String(attempt === shown && state.view !== "compare"),
      click: () => go({ attempt: attempt.number, view: viewBeside(state.view) }),
    }, icon(attempt.status), `Attempt ${attempt.number}`)),
    el("button", {
      type: "button", id: "compare", "aria-pressed": String(state.view === "compare"),
      click: () => go({ view: "compare" }),
    }, "Side by side"));
}

const views = [
  ["timeline", "Timeline"], ["sequence", "Sequence"], ["tokens", "Tokens"], ["log", "Log"],
  ["pages", "Pages"],
];

function viewTabs(row, attempt) {
  if (state.view === "compare" && row.attempts.length > 1) return "";
  const shown = shownView(row);
  const numbers = {
    tokens: tokensOf(attempt).length, log: attempt.logs.length, pages: attempt.attachments.length,
  };
  const tabs = views.map(([view, name]) => el("button", {
    type: "button", role: "tab", id: `tab-${view}`, "aria-selected": String(view === shown),
    "aria-controls": "view", tabindex: view === shown ? "0" : "-1", click: () => openView(view),
  }, name, numbers[view] ? el("span.soft.num", {}, numbers[view]) : null));
  const list = el("div.tabs", { role: "tablist", "aria-label": "Views" }, tabs);
  list.addEventListener("keydown", (event) => {
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!side) return;
    const index = views.findIndex(([view]) => view === shown) + side;
    openView(views[(index + views.length) % views.length][0], true);
    event.preventDefault();
  });
  return list;
}

function openView(view, keepsFocus) {
  go({ view, exchange: null });
  follow();
  if (keepsFocus) document.getElementById(`tab-${view}`).focus();
}

function shownView(row) {
  const known = views.some(([view]) => view === state.view);
  return known || (state.view === "compare" && row.attempts.length > 1) ? state.view : "timeline";
}

function viewOf(row, attempt) {
  const view = shownView(row);
  if (view === "compare") {
    return compare(row, (number) => go({ attempt: number, view: "timeline" }));
  }
  const made = {
    timeline: () => timeline(attempt, (exchange) => exchange.exchange === state.exchange),
    sequence: () => sequence(attempt, openExchange),
    tokens: () => tokens(attempt),
    log: () => logView(attempt),
    pages: () => evidence(attempt),
  }[view]();
  return el("div", { id: "view", role: "tabpanel", "aria-labelledby": `tab-${view}` }, made);
}

function logView(attempt) {
  if (!attempt.logs.length) return el("p.nothing", {}, "Nothing was printed.");
  return el("ol.printed.card", {}, attempt.logs.map((log) => el("li", { class: log.level },
    el("span.soft.num", {}, duration(log.at - attempt.at)), el("pre", {}, log.text))));
}

function openExchange(number) {
  go({ view: "timeline", exchange: number });
  // If the URL is unchanged, there is no hashchange event.
  follow();
}
