/** What the server has sent: the events of each journey, file and run, and its messages. */
const live = {
  newest: 0,
  /** The events of the latest run of each subject, with the run's number. */
  subjects: new Map(),
  state: { phase: "idle", runsOnSave: false, changedFiles: 0 },
  /** The listed files; null when the view shows a finished run. */
  files: null,
  selected: { run: 0, journeys: new Set() },
  projects: new Set(),
  isConnected: true,
  /** Why the last command was refused. */
  refusal: "",
};

const messages = {
  state: (value) => { live.state = value; },
  files: (value) => { live.files = value; },
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

function isBusy() {
  return live.state.phase === "running" || live.state.phase === "stopping";
}

/** Whether the view can run journeys, as opposed to one of a finished run. */
function canRun() {
  return live.state.phase !== "finished";
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
    if (isBusy() && !isCurrent && live.selected.journeys.has(journey.id)) {
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

  /** The title while a run is in progress, and before the first one; otherwise "". */
  verdict(shown, total) {
    if (isBusy()) {
      const open = shown.counts.running + shown.counts.waiting;
      const chosen = live.selected.journeys.size;
      const failed = shown.counts.failed + shown.broken;
      return `${chosen - Math.min(open, chosen)} of ${count(chosen, "journey")} done`
        + (failed ? `, ${failed} failed` : "");
    }
    const isUntouched = total && shown.counts.unrun === total && !shown.broken;
    return isUntouched ? `${count(total, "journey")}, none was run yet` : "";
  },
};

/** Sends a command to the server; shows why it is refused, if it is. */
async function send(command, body) {
  try {
    const reply = await fetch(command, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    live.refusal = reply.ok ? "" : (await reply.text()).trim();
  } catch {
    live.refusal = "";
    live.isConnected = false;
  }
  showControls();
}

const commands = {
  all: () => send("run", { select: "all" }),
  failed: () => send("run", { select: "failed" }),
  changed: () => send("run", { select: "changed" }),
  stop: () => send("stop", {}),
  save: () => send("watch", { isOn: !live.state.runsOnSave }),
  one: () => {
    const row = run.list.find((one) => one.id === state.journey);
    if (row) runRow(row);
  },
};

function runRow(row) {
  send("run", row.isFile
    ? { select: "file", file: row.file } : { select: "journeys", journeys: [row.id] });
}

/** The bar with the commands; none in a view of a finished run. */
function controlBar() {
  if (!canRun()) return null;
  const button = (name, text) =>
    el("button", { type: "button", id: `do-${name}`, click: () => commands[name]() }, text);
  return el("section.controls", { "aria-label": "Run" },
    el("div.runs", {}, button("all", "Run all"), button("failed", "Failed"),
      button("changed", "Changed"), button("stop", "Stop"),
      el("label.onsave", {}, el("input", {
        type: "checkbox", id: "on-save", change: () => commands.save(),
      }), "Run on save"),
      el("p", { id: "phase", role: "status" })),
    el("div", { id: "problem", role: "alert" }));
}

const stateNames = { idle: "Ready", running: "Running", stopping: "Stopping" };

/** Updates the bar to the state. */
function showControls() {
  const phase = document.getElementById("phase");
  if (!phase) return;
  const failed = run.counts.failed + run.broken;
  const isFree = live.isConnected && !isBusy();
  const set = (name, text, isOn) => {
    const button = document.getElementById(`do-${name}`);
    button.disabled = !isOn;
    if (button.textContent !== text) button.textContent = text;
  };
  set("all", "Run all", isFree);
  set("failed", failed ? `Failed ${failed}` : "Failed", isFree && failed > 0);
  set("changed", live.state.changedFiles ? `Changed ${live.state.changedFiles}` : "Changed",
    isFree && live.state.changedFiles > 0);
  set("stop", "Stop", live.isConnected && live.state.phase === "running");
  document.getElementById("on-save").checked = live.state.runsOnSave;
  const name = live.isConnected ? stateNames[live.state.phase] : "Not connected";
  if (phase.textContent !== name) phase.textContent = name;
  phase.className = live.isConnected ? live.state.phase : "off";
  const problem = live.isConnected
    ? live.refusal || live.state.problem || ""
    : "luath has ended, or cannot be reached. Start it again and open its new address.";
  const hint = live.isConnected && !live.refusal && live.state.hint;
  const region = document.getElementById("problem");
  if (region.dataset.text === `${problem}\n${hint || ""}`) return;
  region.dataset.text = `${problem}\n${hint || ""}`;
  region.replaceChildren(...(problem ? [el("p", {}, problem)] : []),
    ...(problem && hint ? [el("p.hint", {}, hint)] : []));
}

/** The tools of a journey: run it, and open the page of its emulated project. */
function journeyTools(row) {
  if (!canRun()) return null;
  const isKept = live.projects.has(row.id);
  return el("p.tools", {},
    el("button", {
      type: "button", id: "do-one", disabled: isBusy() || !live.isConnected,
      click: () => runRow(row),
    }, row.isFile ? "Run this file" : "Run this journey"),
    isKept ? el("a.button", {
      id: "project", href: `project?${new URLSearchParams({ journey: row.id })}`,
      target: "_blank", rel: "noopener",
    }, "Open its project") : null);
}
