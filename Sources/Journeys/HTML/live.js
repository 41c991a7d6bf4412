/** The live view: the page of the report, with the events that the server sends while journeys run. */
additions.bar = controlBar;
additions.tools = journeyTools;
additions.fileTools = fileTools;
additions.listed = showControls;

/** What the detail shows, to leave it alone while other journeys run. */
let shownDetail = "";

function signOf(row) {
  const subject = row && live.subjects.get(row.id);
  return JSON.stringify([row && row.id, row && row.outcome, row && row.attempts.length,
    subject && [subject.run, subject.events.length], row && live.projects.has(row.id), isBusy(),
    row && row.isFile && row.attempts[0].failures, live.isConnected, row && row.note,
    row && row.outcome === "running" && Math.floor(performance.now() / 1000)]);
}

/** Draws what has changed. */
function update() {
  run = readLive();
  document.querySelector(".facts").replaceChildren(...factList(runFacts(run)));
  drawSummary();
  swap(document.querySelector(".chips"), chips(run, showList));
  const { row, isNew } = choose();
  showList();
  const sign = signOf(row);
  if (isNew || sign !== shownDetail) drawDetail(row, isNew);
  shownDetail = sign;
  showControls();
  document.title = `${verdict(run)} – luath`;
}

/** When the picture of the workers was drawn, of which each journey is a part. */
let summaryDrawn = 0;

function drawSummary() {
  const head = document.querySelector(".summary");
  const now = performance.now();
  if (isBusy() && run.list.length > 200 && now - summaryDrawn < 1000) {
    swap(head.querySelector(".verdict"), verdictPart(run));
    return;
  }
  summaryDrawn = now;
  const isOpen = head.querySelector("details[open]") !== null;
  const fresh = summary(run);
  if (isOpen && fresh.querySelector("details")) fresh.querySelector("details").open = true;
  swap(head, fresh);
}

/** Draws a journey again; the focus stays on the button where it was. */
function drawDetail(row, isNew) {
  const focused = document.activeElement;
  const id = document.getElementById("detail").contains(focused) ? focused.id : "";
  showDetail(row, isNew);
  const next = id && document.getElementById(id);
  if (next) next.focus({ preventScroll: true });
}

/** Lets the clock and the bars of running journeys go on. */
function tick() {
  if (isBusy() && !document.querySelector("dialog[open]")) update();
}

function pause(ms) {
  return new Promise((done) => { setTimeout(done, ms); });
}

/** Fetches the entries after the last known one; the server responds when there are some. */
async function fetchEntries() {
  let reply;
  let total = 0;
  do {
    const response = await fetch(`events?after=${live.newest}`, { cache: "no-store" });
    if (!response.ok) throw new Error(`the server returned ${response.status}`);
    reply = await response.json();
    for (const entry of reply.entries) take(entry);
    live.newest = reply.newest;
    total += reply.entries.length;
  } while (reply.more);
  return total > 0;
}

/** Follows the server for as long as the page is open. */
async function listen() {
  for (;;) {
    const wasConnected = live.isConnected;
    let hasNews = false;
    try {
      hasNews = await fetchEntries();
      live.isConnected = true;
    } catch {
      live.isConnected = false;
    }
    const began = performance.now();
    if (hasNews || live.isConnected !== wasConnected) update();
    // Drawn ten times a second at most, and for at most a third of the time.
    await pause(Math.max(live.isConnected ? 100 : 1000, 2 * (performance.now() - began)));
  }
}

const liveKeys = [
  ["a", "run all, or those that the filter shows", "all"], ["r", "run this journey", "one"],
  ["R", "run its file", "file"], ["f", "run those that failed", "failed"],
  ["e", "run those of changed files", "changed"], ["s", "stop", "stop"],
  ["w", "run on save, or not", "save"], ["o", "open its project", "project"],
];

async function openLive() {
  try {
    await fetchEntries();
  } catch {
    live.isConnected = false;
  }
  if (canRun()) {
    for (const [key, what, command] of liveKeys) {
      keys.splice(keys.length - 3, 0, [key, what]);
      actions[key] = () => {
        const button = document.getElementById(`do-${command}`);
        if (!button || !button.disabled || (isBusy() && command !== "stop")) commands[command]();
      };
    }
  }
  document.body.classList.add("live");
  start(readLive());
  shownDetail = signOf(run.list.find((row) => row.id === state.journey));
  showControls();
  setInterval(tick, 1000);
  listen();
}

openLive();
