const colours = [
  "#4f7df0", "#2f9e63", "#d99a1c", "#d5473a", "#a05fc0", "#2aa5a0", "#7c8db5", "#c2577f",
];

const kinds = [["journey", "Journeys"], ["step", "Steps"], ["endpoint", "Endpoints"]];

const columns = [
  ["name", "Name", (row) => row.name], ["count", "Count", (row) => row.count],
  ["failed", "Failed", (row) => row.failed], ["perSecond", "Per second", (row) => row.perSecond],
  ...["min", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"]
    .map((name) => [name, name, (row) => row.latency[name]]),
];

let report;

function start() {
  theme.start();
  report = pageData();
  const isOpen = report.model === "open";
  document.body.append(
    el("a.skip", { href: "#main" }, "Skip to the figures"),
    topBar("load", loadFacts(isOpen)),
    el("main", { id: "main", tabindex: "-1" }, el("h1", {}, headline()), tiles(isOpen),
      thresholdList(), plots(isOpen), spreads(),
      kinds.map(([kind, title]) => groupTable(kind, title)), agentTable(), phaseTable(), comparisonTable(), errorTable()));
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && !event.ctrlKey && !event.metaKey && !event.altKey) theme.toggle();
  });
}

function loadFacts(isOpen) {
  return [["", moment(report.started)], ["", report.files.join(", ")], ["on", report.target],
    ["users", report.vus], isOpen ? (report.rate ? ["rate", `${report.rate}/s`] : null) : ["rate", "as fast as they go"],
    report.stages ? ["stages", report.stages] : null, ["for", duration(report.planned)],
    report.warmUp ? ["warm-up", duration(report.warmUp)] : null, ["seed", report.seed], ["luath", report.luath]];
}

function headline() {
  const missed = report.thresholds.filter((threshold) => !threshold.met).length;
  if (missed) return `${missed} of ${count(report.thresholds.length, "threshold")} missed`;
  if (report.abortedBy) return `Ended early: ${report.abortedBy} was missed`;
  if (report.wasInterrupted) return `Interrupted after ${duration(report.duration)}`;
  const { ended, failed, dropped } = report.journeys;
  if (!report.thresholds.length && failed) return `${failed} of ${count(ended, "journey")} failed`;
  const some = report.thresholds.length ? `${count(report.thresholds.length, "threshold")} kept`
    : `${count(ended, "journey")} in ${duration(report.duration)}`;
  return dropped ? `${some}, but ${dropped.toLocaleString("en")} never began` : some;
}

function tiles(isOpen) {
  const { journeys, requests } = report;
  const share = requests.count ? (requests.failed / requests.count) * 100 : 0;
  return el("div.tiles", {},
    tile("Requests", `${number(requests.perSecond)}/s`, count(requests.count, "request")),
    tile("Journeys", `${number(journeys.perSecond)}/s`,
      `${count(journeys.ended, "journey")} ended`),
    journeys.ended ? tile("Journey p95", duration(journeys.latency.p95),
      `median ${duration(journeys.latency.p50)}`) : null,
    isOpen ? tile("Start delay p95", duration(journeys.startDelay.p95),
      `max ${duration(journeys.startDelay.max)}`, journeys.startDelay.p95 > 10) : null,
    tile("Failed", `${journeys.failed}`, `of ${count(journeys.ended, "journey")}`,
      journeys.failed > 0),
    journeys.interrupted ? tile("Interrupted", `${journeys.interrupted}`,
      "ended early") : null,
    tile("Failed requests", `${share.toFixed(share < 10 ? 2 : 1)} %`,
      `${requests.failed.toLocaleString("en")} of ${requests.count.toLocaleString("en")}`,
      share > 0),
    isOpen ? tile("Not begun", `${journeys.dropped}`, "no user was free",
      journeys.dropped > 0) : null);
}

function tile(name, value, more, isBad) {
  return el("div.tile.card", {}, el("p.soft", {}, name),
    el("p", { class: `value num ${isBad ? "bad" : ""}` }, value), el("p.soft.num", {}, more));
}

function number(value) {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function thresholdList() {
  if (!report.thresholds.length) return null;
  return el("ul.thresholds.card", { "aria-label": "Thresholds" },
    report.thresholds.map(({ met, text, value }) =>
      el("li", {}, icon(met ? "passed" : "failed"), el("code", {}, text),
        el("span", { class: met ? "soft num" : "refusal num" }, value === null
          ? "nothing to judge" : `${met ? "kept" : "missed"}: ${judged(text, value)}`))));
}

/** Formats a value in the unit of its threshold. */
function judged(text, value) {
  if (/(errors|dropped)\s*[<>]/.test(text)) return `${number(value)} %`;
  return /rate\s*[<>]/.test(text) ? `${number(value)}/s` : duration(value);
}

/** Plots the seconds, without the last one: it is incomplete and would look like a drop. */
function plots(isOpen) {
  const points = report.timeline.length > 2
    ? report.timeline.slice(0, Math.max(2, Math.floor(report.duration / 1000))) : report.timeline;
  if (!points.length) return el("p.nothing.card", {}, "Nothing was measured.");
  const ms = (value) => (value ? duration(value) : "0");
  return el("div.plots", {},
    plot("Latency of requests", [
      { name: "p50", key: "p50", colour: colours[0] },
      { name: "p95", key: "p95", colour: colours[2] },
      { name: "p99", key: "p99", colour: colours[3] }], points, { show: ms }),
    plot("Requests per second", [
      { name: "requests", key: "requests", colour: colours[0], area: true },
      { name: "failed", key: "failedRequests", colour: colours[3], area: true }], points,
    { show: number }),
    plot("Journeys per second", [
      ...(isOpen ? [{ name: "begun", key: "begun", colour: colours[6] }] : []),
      { name: "ended", key: "ended", colour: colours[1], area: true },
      { name: "failed", key: "failed", colour: colours[3], area: true }], points, { show: number }),
    plot("Users at work", [{ name: "users", key: "active", colour: colours[4], area: true }],
      points, { show: number, least: 1, whole: true }));
}

function spreads() {
  const curves = report.groups.filter((group) => group.kind === "endpoint" && group.bars.length)
    .sort((one, other) => other.count - one.count).slice(0, colours.length)
    .map((group, index) => ({ name: group.name, colour: colours[index],
      points: percentiles(group.bars) }));
  if (!curves.length) return null;
  return el("figure.plot.card", {}, el("figcaption", {}, el("h2", {}, "Latency by percentile"),
    el("div.keys", {}, curves.map((curve) => el("span.curve", {},
      el("span.swatch", { style: { background: curve.colour } }), curve.name)))), spread(curves));
}

function groupTable(kind, title) {
  const rows = report.groups.filter((group) => group.kind === kind);
  if (!rows.length) return null;
  const order = { by: null, falling: true };
  const table = el("table");
  const draw = () => {
    const value = (columns.find(([name]) => name === order.by) || [])[2];
    const side = order.falling ? -1 : 1;
    const compare = (one, other) => (one < other ? -side : one > other ? side : 0);
    const sorted = value
      ? [...rows].sort((one, other) => compare(value(one), value(other))) : rows;
    table.replaceChildren(tableHead(order, draw), el("tbody", {}, sorted.map(tableRow)));
  };
  draw();
  return el("section", {}, el("h2", {}, title),
    el("div.scroll.card", { tabindex: "0" }, table));
}

/** The agents of a run that several processes shared. */
function agentTable() {
  if (!report.agents) return null;
  const states = { done: "completed", left: "interrupted", lost: "lost", running: "still running" };
  const row = ({ agent, name, state, begun, ended, goneAt, missing }) => el("tr", {},
    el("th", { scope: "row" }, `${agent} (${name})`),
    el("td", { class: state === "lost" ? "bad" : "" }, goneAt === undefined ? states[state]
      : `${states[state]} after ${duration(goneAt)}`),
    [begun, ended, missing].map((value) =>
      el("td.num", {}, value === undefined ? "" : value.toLocaleString("en"))));
  return el("section", {}, el("h2", {}, "Agents"), el("div.scroll.card", { tabindex: "0" },
    el("table", {}, el("thead", {}, el("tr", {},
      ["Agent", "State"].map((title) => el("th", { scope: "col" }, title)),
      ["Begun", "Ended", "Due, but in no figure"].map((title) =>
        el("th.num", { scope: "col" }, title)))),
    el("tbody", {}, report.agents.map(row)))));
}

function tableHead(order, draw) {
  return el("thead", {}, el("tr", {}, columns.map(([name, title]) => {
    const isSorted = order.by === name;
    return el("th", { scope: "col", class: name === "name" ? "" : "num",
      "aria-sort": isSorted ? (order.falling ? "descending" : "ascending") : null },
    el("button", { type: "button", click: (event) => {
      order.falling = isSorted ? !order.falling : name !== "name";
      order.by = name;
      const table = event.currentTarget.closest("table");
      draw();
      table.querySelector("th[aria-sort] button").focus();
    } }, title, isSorted ? (order.falling ? " ↓" : " ↑") : ""));
  })));
}

function tableRow(row) {
  return el("tr", {}, el("th", { scope: "row" }, row.name,
    row.journey ? el("small.soft", {}, row.journey) : null),
  columns.slice(1).map(([name, , value]) => el("td", {
    class: `num ${name === "failed" && row.failed ? "bad" : ""}`,
    title: row.service && row.latency[name] !== row.service[name] && row.service[name] !== undefined
      ? `${duration(row.service[name])} from when it really began` : null,
  }, row.latency[name] === undefined ? number(value(row)) : duration(value(row)))));
}

function phaseTable() {
  const names = { blocked: "Waiting for a free connection", connect: "Connecting, with DNS and TLS",
    wait: "Waiting for the response", receive: "Receiving" };
  const rows = Object.entries(report.requests.phases || {});
  if (!rows.length) return null;
  const figures = ["mean", "p50", "p90", "p95", "p99", "max"];
  return el("section", {}, el("h2", {}, "Phases of requests"),
    el("div.scroll.card", { tabindex: "0" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Phase"),
        figures.map((name) => el("th.num", { scope: "col" }, name)))),
      el("tbody", {}, rows.map(([phase, latency]) => el("tr", {},
        el("th", { scope: "row" }, names[phase] || phase),
        figures.map((name) => el("td.num", {}, duration(latency[name])))))))));
}

function comparisonTable() {
  if (!report.comparison) return null;
  const figures = [["p50", duration], ["p95", duration], ["p99", duration], ["perSecond", number]];
  const cells = (row) => figures.flatMap(([name, show]) => {
    const { base, now } = row[name];
    const change = base ? (now / base - 1) * 100 : 0;
    return [show(base), show(now), base ? `${change < 0 ? "" : "+"}${change.toFixed(1)} %` : ""];
  });
  return el("section", {}, el("h2", {}, `Since ${report.comparison.file}`),
    el("div.scroll.card", { tabindex: "0" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Name"),
        figures.flatMap(([name]) => [`${name === "perSecond" ? "Per second" : name} was`, "is", ""])
          .map((title) => el("th.num", { scope: "col" }, title)))),
      el("tbody", {}, report.comparison.rows.map((row) => el("tr", {},
        el("th", { scope: "row" }, row.name), cells(row).map((text) => el("td.num", {}, text))))))));
}

function errorTable() {
  if (!report.errors.length) return null;
  return el("section", {}, el("h2", {}, "Failures"), el("div.scroll.card", { tabindex: "0" },
    el("table", {}, el("thead", {}, el("tr", {}, el("th.num", { scope: "col" }, "Count"),
      el("th", { scope: "col" }, "Message"))),
    el("tbody", {}, report.errors.map((error) => el("tr", {},
      el("td.num", {}, error.count.toLocaleString("en")), el("td.message", {}, error.message)))))));
}

start();
