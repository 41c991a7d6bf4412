/** Shows the result of the run in text, numbers and a picture of its workers. */
function summary(run) {
  return el("section.summary.card", { "aria-label": "Summary" }, verdictPart(run), lanes(run),
    run.logs.length ? el("details", {}, el("summary", {}, "Said outside of journeys"),
      el("pre", {}, run.logs.map((log) => `${log.text}\n`))) : null);
}

function verdictPart(run) {
  return el("div.verdict", {}, el("h1", {}, verdict(run)), proportions(run),
    el("p.soft", {}, told(run)),
    run.starts.some((start) => start.showsSecrets)
      ? el("p.refusal", {}, "This report shows secrets (--show-secrets).") : null);
}

function verdict(run) {
  const journeys = run.list.filter((row) => !row.isFile);
  const total = journeys.length;
  const failed = journeys.filter((row) => row.outcome === "failed").length;
  const broken = run.broken;
  if (run.live) return run.live.verdict(run, journeys);
  const bad = [failed ? `${failed} of ${count(total, "journey")} failed` : null,
    broken ? count(broken, "broken file") : null].filter((part) => part);
  if (bad.length) return bad.join(", ");
  if (!total) return "No journey was run";
  if (run.wasInterrupted) return "Interrupted";
  const quiet = run.counts.skipped + run.counts.pending + run.counts.unrun;
  const good = run.counts.passed + run.counts.flaky;
  return quiet ? `${count(good, "journey")} passed` : `All ${count(total, "journey")} passed`;
}

function proportions(run) {
  const told = outcomes.filter((one) => run.counts[one])
    .map((one) => `${run.counts[one]} ${nameOf(one)}`);
  return el("div.proportions", { role: "img", "aria-label": told.join(", ") },
    outcomes.filter((outcome) => run.counts[outcome]).map((outcome) =>
      el("span", { class: `fill ${outcome}`, style: { "flex-grow": run.counts[outcome] } })));
}

function told(run) {
  if (run.live) return run.live.told(run);
  const exchanges = run.list.reduce((sum, row) =>
    sum + row.attempts.reduce((all, attempt) => all + attempt.exchanges.length, 0), 0);
  // Other shards run the rest of shared journeys.
  const planned = run.starts.reduce((sum, start) =>
    sum + (start.shard && start.shard.isShared ? 0 : start.journeys || 0), 0);
  const named = run.ends.reduce((sum, end) => sum + (end.notRun || []).length, 0);
  const missing = named
    || (run.wasInterrupted ? planned - run.list.filter((row) => !row.isFile).length : 0);
  const parts = [duration(run.duration), count(run.files.size, "file"),
    count(new Set(run.list.flatMap((row) =>
      row.attempts.map((one) => one.worker).filter((worker) => worker))).size, "worker"),
    exchanges ? count(exchanges, "exchange") : null, run.exit === null ? null : `exit ${run.exit}`,
    run.wasInterrupted ? "interrupted" : null, missing > 0 ? `${missing} did not run` : null];
  return parts.filter((part) => part).join(" · ");
}

/** Returns the facts about the run for the bar at the top. */
function runFacts(run) {
  const start = run.start;
  const facts = [["", moment(start.started)],
    ["project", start.target.projectID], ["on", start.target.name], ["seed", start.seed],
    ["luath", start.luath]];
  if (run.starts.length > 1) facts.push(["shards", run.starts.length]);
  else if (start.shard) facts.push(["shard", `${start.shard.index}/${start.shard.count}`]);
  if (start.retries) facts.push(["retries", start.retries]);
  return facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
}

/** Shows which journey each worker ran when. */
function lanes(run) {
  const workers = new Map();
  for (const row of run.list) {
    for (const attempt of row.attempts) {
      if (!attempt.worker) continue;
      if (!workers.has(attempt.worker)) workers.set(attempt.worker, []);
      workers.get(attempt.worker).push({ row, attempt });
    }
  }
  const names = [...workers.keys()]
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  if (!names.length) return null;
  const end = Math.max(0.001, ...[...workers.values()].flat().map(({ attempt }) => attempt.end));
  return el("div.lanes", { "aria-hidden": "true" }, names.slice(0, 12).map((name) =>
    el("div.lane", {}, el("span.soft.num", {}, laneName(name, run)),
      el("div.slots", {}, workers.get(name).map((slot) => laneSlot(slot, end))))),
  el("div.lane", {}, el("span"), el("div.axis", {}, ticks(end).map((tick) =>
    el("span", { style: { left: `${(tick / end) * 100}%` } }, tick ? duration(tick) : "0")))));
}

function laneName(name, run) {
  const [shard, worker] = name.split(".");
  return run.starts.length > 1 ? `${Number(shard) + 1}.${worker}` : worker;
}

function laneSlot({ row, attempt }, end) {
  const outcome = row.outcome === "flaky" && attempt.status === "passed" ? "flaky" : attempt.status;
  return el("a", {
    class: `fill ${outcome}`, tabindex: "-1",
    href: address({ journey: row.id, attempt: attempt.number }),
    title: `${row.own}: ${attempt.status}, ${duration(attempt.duration)}`,
    style: {
      left: `${(attempt.at / end) * 100}%`,
      width: `max(2px, ${((attempt.duration || 0) / end) * 100}% - 1px)`,
    },
  }, el("span.unseen", {}, row.own));
}
