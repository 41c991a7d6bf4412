let report;

const outcomes = {
  equal: ["passed", "equal"], different: ["failed", "different"], failed: ["flaky", "not compared"],
  skipped: ["skipped", "skipped"], notPlayed: ["pending", "not played"],
};

function start() {
  theme.start();
  report = pageData();
  document.body.append(
    el("a.skip", { href: "#main" }, "Skip to the differences"),
    topBar("compare", facts()),
    el("main", { id: "main", tabindex: "-1" }, el("h1", {}, headline()), tiles(), endings(),
      differences(), scenarioTable()));
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && !event.ctrlKey && !event.metaKey && !event.altKey) theme.toggle();
  });
}

function facts() {
  return [["", moment(report.started)], ["target", report.target.name],
    ["project", report.target.projectId], ["compared with", report.with.name], ["luath", report.luath]];
}

function headline() {
  const different = report.counts.different;
  if (different) return `${count(different, "scenario")} answered differently`;
  return report.counts.equal ? "All answers that were compared are equal" : "Nothing was compared";
}

function tiles() {
  return el("div.tiles", {}, Object.entries(outcomes).map(([name, [, words]]) =>
    el("div.tile.card", {}, el("p.soft", {}, words),
      el("p", { class: `value num ${name === "different" && report.counts[name] ? "bad" : ""}` },
        report.counts[name]))),
  el("div.tile.card", {}, el("p.soft", {}, "requests to the target"),
    el("p.value.num", {}, report.target.requests),
    el("p.soft.num", {}, `of ${report.budget} at most`)));
}

/** Formats why the run ended early, and what it left behind. */
function endings() {
  const left = [report.target, report.with].flatMap((server) =>
    server.left.map((words) => `left behind on ${server.name}: ${words}`));
  const early = { budget: "the budget of requests was used up", interrupted: "it was interrupted" };
  const lines = [early[report.ending], report.problem, ...left].filter((line) => line);
  return lines.length ? el("ul.card", {}, lines.map((line) => el("li", {}, line))) : null;
}

function differences() {
  if (!report.groups.length) return null;
  return el("section", {}, el("h2", {}, "Differences"), report.groups.map((group) =>
    el("div.card.difference", {},
      el("h3", {}, `${group.path} `,
        el("small", {}, `${group.operation}, ${count(group.scenarios.length, "scenario")}`)),
      el("pre", {}, `${report.target.name}: ${value(group, "target")}`),
      el("pre", {}, `${report.with.name}: ${value(group, "with")}`),
      el("p.soft.where", {}, group.scenarios.join(", ")))));
}

function value(row, name) {
  return name in row ? JSON.stringify(row[name], null, 2) : "(absent)";
}

function scenarioTable() {
  return el("section", {}, el("h2", {}, "Scenarios"), el("div.scroll.card", { tabindex: "0" }, el("table", {},
    el("thead", {}, el("tr", {}, ["", "Scenario", "About", "Rules", "Differs at"].map((title) =>
      el("th", {}, title)))),
    el("tbody", {}, report.scenarios.map((scenario) => {
      const [sign, words] = outcomes[scenario.outcome];
      const places = [...new Set(scenario.differences.map((one) => `${one.step}: ${one.path}`))];
      return el("tr", {}, el("td.outcome", {}, icon(sign), ` ${words}`), el("td", {}, scenario.name),
        el("td", {}, scenario.about), el("td", {}, scenario.rules.join(", ")),
        el("td", {}, scenario.reason || places.join(", ")));
    })))));
}

start();
