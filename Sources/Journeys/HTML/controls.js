/** Sends a command to the server; shows why it is refused, if it is. */
async function send(command, body) {
  if (command === "run") {
    if (isBusy() || live.isSending) return refuse("A run is in progress. Stop it first, or wait.");
    live.isSending = true;
    // After a run the first failure is shown, and not what is gone.
    if (!location.hash && !run.list.some((row) => row.id === state.journey)) state.journey = null;
  }
  try {
    const reply = await fetch(command, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    live.refusal = reply.ok ? "" : (await reply.text()).trim();
    if (!reply.ok) live.isSending = false;
  } catch {
    live.refusal = "";
    live.isSending = false;
    live.isConnected = false;
  }
  showControls();
}

/** Shows why a command does nothing. */
function refuse(reason) {
  live.refusal = reason;
  showControls();
}

/** Whether the list leaves rows out. */
function isFiltered() {
  return filter.text.trim() !== "" || filter.outcomes.size > 0;
}

const commands = {
  all: () => send("run", isFiltered() ? {
    select: "journeys",
    journeys: shownRows.filter((row) => !row.isFile).map((row) => row.id),
    files: shownRows.filter((row) => row.isFile).map((row) => row.file),
  } : { select: "all" }),
  failed: () => send("run", { select: "failed" }),
  changed: () => send("run", { select: "changed" }),
  stop: () => send("stop", {}),
  save: () => send("watch", { isOn: !live.state.runsOnSave }),
  one: () => {
    const row = run.list.find((one) => one.id === state.journey);
    if (row) runRow(row);
    else refuse("This journey is gone. Select another one.");
  },
  file: () => {
    const row = run.list.find((one) => one.id === state.journey);
    if (row) send("run", { select: "file", file: row.file });
  },
  project: () => {
    const link = document.getElementById("project");
    if (link) link.click();
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
  set("all", isFiltered() ? `Run the ${shownRows.length} shown` : "Run all",
    isFree && !(isFiltered() && !shownRows.length));
  set("failed", failed ? `Failed ${failed}` : "Failed", isFree && failed > 0);
  const changed = live.state.changesAll ? "Changed: all" : `Changed ${live.state.changedFiles}`;
  set("changed", live.state.changedFiles ? changed : "Changed",
    isFree && live.state.changedFiles > 0);
  const isSlow = live.state.phase === "idle" && live.state.slow.length > 0;
  set("stop", "Stop", live.isConnected && (live.state.phase === "running" || isSlow));
  for (const button of document.querySelectorAll(".run-file")) button.disabled = !isFree;
  document.getElementById("on-save").checked = live.state.runsOnSave;
  const name = !live.isConnected ? "Not connected"
    : isSlow || !live.files ? "Reading the files…" : stateNames[live.state.phase];
  if (phase.textContent !== name) phase.textContent = name;
  phase.className = !live.isConnected ? "off" : isSlow ? "running" : live.state.phase;
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
  const isKept = live.projects.has(row.id) && live.isConnected;
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

/** The button that runs a file, beside its name in the list. */
function fileTools(file) {
  if (!canRun()) return null;
  return el("button.run-file", {
    type: "button", "data-file": file, disabled: isBusy() || !live.isConnected,
    click: () => send("run", { select: "file", file }),
  }, "Run", el("span.unseen", {}, ` ${file}`));
}
