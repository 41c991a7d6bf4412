/** What the server has sent: the events of each journey, file and run, and its messages. */
const live = {
  newest: 0,
  /** The events of the latest run of each subject, with the run's number. */
  subjects: new Map(),
  state: { phase: "idle", runsOnSave: false, changedFiles: 0, slow: [] },
  /** The listed files; null when the view shows a finished run. */
  files: null,
  /** The journeys of each file when it loaded last. */
  known: new Map(),
  selected: { run: 0, journeys: new Set() },
  projects: new Set(),
  isConnected: true,
  /** Why the last command was refused. */
  refusal: "",
  /** Whether a command to run is on its way. */
  isSending: false,
};

const messages = {
  state: (value) => {
    live.state = value;
    live.refusal = "";
    live.isSending = false;
  },
  files: (value) => {
    followShown(value);
    live.files = value;
    for (const file of value) if (!file.failure) live.known.set(file.file, file.journeys);
  },
  /** A file that failed loads again. */
  forgotten: (subject) => live.subjects.delete(subject),
  selected: ({ run: number, journeys }) => {
    live.selected = { run: number, journeys: new Set(journeys) };
  },
  projects: (value) => { live.projects = new Set(value); },
};

/** Takes an entry of the server: a message, or an event, which outdates those of earlier runs. */
function take(entry) {
  if (entry.message) {
    if (messages[entry.message]) messages[entry.message](entry.value);
    return;
  }
  const known = live.subjects.get(entry.about);
  const isNew = !known || known.run !== entry.run;
  if (isNew) live.subjects.set(entry.about, { run: entry.run, events: [] });
  const event = { ...entry.event, inRun: entry.run };
  // The clock of a running attempt is the browser's, because the server sends times of events only.
  if (event.event === "journey.start") event.seen = performance.now();
  live.subjects.get(entry.about).events.push(event);
}

/**
 * Follows the shown journey to its new name: that of the new journey of its line, or of the only new one of the file
 * if no other one is gone.
 */
function followShown(files) {
  const id = state.journey && withoutRepetition(state.journey);
  const has = (journeys, wanted) => journeys.some((journey) => journey.id === wanted);
  const file = files.find((one) => has(live.known.get(one.file) || [], id));
  if (!file || file.failure || has(file.journeys, id)) return;
  const before = live.known.get(file.file);
  const { line } = before.find((journey) => journey.id === id);
  const fresh = file.journeys.filter((journey) => !has(before, journey.id));
  const gone = before.filter((journey) => !has(file.journeys, journey.id));
  const next = fresh.find((journey) => journey.line === line)
    || (fresh.length === 1 && gone.length === 1 ? fresh[0] : null);
  if (!next) return;
  state.journey = next.id;
  // On a small screen without a chosen journey, the list is shown.
  if (location.hash || !matchMedia("(max-width: 900px)").matches) {
    history.replaceState(null, "", address({ journey: next.id, view: state.view }));
  }
}

function isBusy() {
  return live.state.phase === "running" || live.state.phase === "stopping";
}

/** Whether the view can run journeys, as opposed to one of a finished run. */
function canRun() {
  return live.state.phase !== "finished";
}

/** Whether the journeys of a run have begun, after its files were read. */
function hasBegun() {
  return isBusy() && Boolean(live.state.began);
}

/** Builds the run that the page shows, out of the latest runs of all journeys. */
function readLive() {
  const about = [...live.subjects].sort(([one], [other]) => Number(one !== "") - Number(other !== ""));
  return readRun(about.flatMap(([, subject]) => subject.events), canRun() ? additionsToRun : null);
}

/** The id of a journey without the number of its repetition. */
function withoutRepetition(id) {
  return id.replace(/ \(run \d+\)$/, "");
}

const additionsToRun = {
  /** Adds the listed journeys, in their order. */
  list(shown) {
    for (const { file, journeys } of live.files || []) {
      fileOf(shown, file);
      for (const journey of journeys) {
        journeyOf(shown, { ...journey, journey: journey.id, file, at: 0 });
      }
    }
  },

  /** Removes what is not listed any more, and adds why files do not load. */
  prune(shown) {
    if (!live.files) return;
    const files = new Map(live.files.map((file) => [file.file, file]));
    for (const [name, file] of shown.files) {
      const listed = files.get(name);
      if (!listed) shown.files.delete(name);
      else if (listed.failure) file.failures = [listed.failure];
      const ids = new Set(listed ? listed.journeys.map((journey) => journey.id) : []);
      for (const journey of file.journeys) {
        if (!ids.has(withoutRepetition(journey.id))) shown.journeys.delete(journey.id);
      }
      file.journeys = file.journeys.filter((journey) => shown.journeys.has(journey.id));
    }
  },

  isCurrent: (event) => event.inRun === live.selected.run,

  /** Sets the outcome of a journey that is not over. */
  mark(journey, last) {
    const subject = live.subjects.get(journey.id);
    const isCurrent = Boolean(subject) && subject.run === live.selected.run;
    if (hasBegun() && !isCurrent && live.selected.journeys.has(journey.id)) {
      journey.outcome = "waiting";
    } else if (!last) {
      journey.outcome = "unrun";
    } else if (isBusy() && isCurrent && !journey.outcome) {
      journey.outcome = "running";
      if (last.duration !== null) return;
      last.status = "running";
      const began = subject.events.findLast((event) => event.event === "journey.start");
      if (began) last.elapsed = performance.now() - began.seen;
      for (const step of last.steps.values()) {
        if (step.duration === undefined) step.status = "running";
      }
    }
  },

  /** Returns what to show in place of a journey that is not in the list; null for the first one. */
  insteadOf(asked, find) {
    const id = asked || state.journey;
    if (!id || !live.files || find(id)) return null;
    const file = live.files.find((one) => id === one.file || id.startsWith(`${one.file} > `));
    if (file && file.failure) return find(file.file);
    const isFile = !id.includes(" > ");
    if (isFile && !asked) return null;
    return {
      id, isGone: true, own: id.split(" > ").pop(), file: "", name: [id], outcome: "unrun",
      attempts: [], tags: [],
      note: isFile && file ? "This file loads again." : `This ${isFile ? "file" : "journey"} is gone.`,
    };
  },

  /** The title: the state of the run in progress, otherwise that of the list. */
  verdict(shown, journeys) {
    if (!hasBegun()) {
      return isBusy() || !live.files ? "Reading the files…" : verdictOfList(shown, journeys);
    }
    const ended = currentJourneys(shown).filter((journey) => journey.outcome !== "running");
    const failed = ended.filter((journey) => journey.outcome === "failed").length;
    const broken = live.files.filter(({ file }) => {
      const subject = live.subjects.get(`file ${file}`);
      return subject && subject.run === live.selected.run
        && shown.files.get(file).failures.length > 0;
    }).length;
    return [`${ended.length} of ${count(live.selected.journeys.size, "journey")} done`,
      failed ? `${failed} failed` : "", broken ? count(broken, "broken file") : ""]
      .filter((part) => part).join(", ");
  },

  /** The line below the title: what goes on, otherwise the outcome of the last run. */
  told(shown) {
    const slow = live.state.slow || [];
    if (!hasBegun() && slow.length) {
      return `Reading ${slow.join(", ")} takes long. Stop ends it.`;
    }
    if (isBusy()) {
      const running = currentJourneys(shown)
        .filter((journey) => journey.outcome === "running").map((journey) => journey.own);
      const time = hasBegun() ? duration(Math.max(0, Date.now() - live.state.began)) : "";
      return [time, running.slice(0, 3).join(", ")
        + (running.length > 3 ? ` and ${running.length - 3} more` : "")]
        .filter((part) => part).join(" · ");
    }
    const end = shown.ends[shown.ends.length - 1];
    if (!end) return "";
    const counts = outcomes.filter((one) => (end.counts || {})[one])
      .map((one) => `${end.counts[one]} ${nameOf(one)}`);
    const missing = (end.notRun || []).length;
    return [`Last run${end.wasInterrupted ? " interrupted" : ""}: ${counts.join(", ") || "nothing ran"}`,
      missing ? `${missing} did not run` : "", duration(end.duration), `exit ${end.exit}`]
      .filter((part) => part).join(" · ");
  },
};

/** The journeys that the run in progress, or the last one, has begun. */
function currentJourneys(shown) {
  return [...live.selected.journeys].filter((id) => {
    const subject = live.subjects.get(id);
    return subject && subject.run === live.selected.run;
  }).map((id) => shown.journeys.get(id)).filter((journey) => journey);
}

/** Describes the outcomes of all listed journeys. */
function verdictOfList(shown, journeys) {
  const total = journeys.length;
  const { counts, broken } = shown;
  if (!total && !broken) return "No journeys";
  if (total && counts.unrun === total && !broken) return `${count(total, "journey")}, none was run yet`;
  const good = counts.passed + counts.flaky;
  if (total && good === total && !broken) return `All ${count(total, "journey")} passed`;
  return [counts.failed ? `${counts.failed} of ${count(total, "journey")} failed` : "",
    broken ? count(broken, "broken file") : "",
    counts.interrupted ? `${counts.interrupted} interrupted` : "",
    total && !counts.failed ? `${good} of ${count(total, "journey")} passed` : ""]
    .filter((part) => part).join(", ");
}
