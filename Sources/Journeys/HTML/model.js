/** The outcomes in display order, worst first; those of a run in progress occur in the live view only. */
const outcomes = [
  "failed", "flaky", "interrupted", "running", "waiting", "passed", "skipped", "pending", "unrun",
];

const participants = {
  person: "Person", script: "Script", browser: "Browser", provider: "Identity provider",
  toolkit: "Identity Toolkit", other: "Other",
};

/** Returns an outcome as shown. */
function nameOf(outcome) {
  return outcome === "unrun" ? "not run" : outcome;
}

/**
 * Builds files, journeys, attempts and steps from the events of a run, or of several shards.
 * `live` has what the live view adds: the listed journeys, and which of them run now.
 */
function readRun(events, live = null) {
  const run = {
    starts: [], ends: [], files: new Map(), journeys: new Map(), logs: [], exchanges: [], live,
  };
  if (live) live.list(run);
  for (const event of events) (readers[event.event] || readOther)(run, event);
  run.start = run.starts[0] || { target: {}, files: [], arguments: [] };
  if (live) live.prune(run);
  for (const journey of run.journeys.values()) finishJourney(journey, run);
  run.list = [...run.files.values()].flatMap((file) => [...fileRow(file), ...file.journeys]);
  run.counts = {};
  for (const outcome of outcomes) {
    run.counts[outcome] = run.list.filter((row) => kindOf(row) === outcome).length;
  }
  run.broken = run.list.filter((row) => row.isFile).length;
  run.duration = Math.max(0, ...run.ends.map((end) => end.duration || 0),
    ...(run.ends.length ? [] : run.list.map((row) => row.at + (row.duration || 0))));
  run.wasInterrupted = run.ends.some((end) => end.wasInterrupted) || !(run.ends.length || live);
  run.exit = run.ends.length ? Math.max(...run.ends.map((end) => end.exit)) : null;
  return run;
}

/** Returns the outcome of a journey, or "broken" for a file. */
function kindOf(row) {
  return row.isFile ? "broken" : row.outcome;
}

/** Returns a row for the failures at the top level of a file, if any. */
function fileRow(file) {
  if (!file.failures.length) return [];
  return [{
    id: file.name, name: ["the file itself"], own: "the file itself", file: file.name, line: 0,
    tags: [], isFile: true, outcome: "failed", at: file.at, duration: file.duration, attempts: [{
      number: 1, at: file.at, duration: file.duration, status: "failed", failures: file.failures,
      root: { children: [], depth: -1 }, steps: new Map(), ...noLists(),
    }],
  }];
}

const readers = {
  "run.start": (run, event) => run.starts.push(event),
  "run.end": (run, event) => run.ends.push(event),
  "file.start": (run, event) => { fileOf(run, event.file).at = event.at; },
  "file.end": (run, event) => {
    const file = fileOf(run, event.file);
    file.duration = event.duration;
    file.failures.push(...(event.failures || []));
  },
  "journey.start": (run, event) => {
    const journey = journeyOf(run, event);
    const attempt = attemptOf(journey, event, true);
    // Attempts of an earlier run have other times, so the picture of the workers leaves them out.
    if (!run.live || run.live.isCurrent(event)) {
      attempt.worker = `${Math.max(0, run.starts.length - 1)}.${event.worker}`;
    }
  },
  "journey.end": (run, event) => {
    const attempt = attemptOf(journeyOf(run, event), event);
    Object.assign(attempt, {
      status: event.status, duration: event.duration, failures: event.failures || [],
      willRetry: event.willRetry, reason: event.reason,
    });
  },
  "journey.result": (run, event) => { journeyOf(run, event).outcome = event.outcome; },
  "step.start": (run, event) => {
    const attempt = attemptOf(journeyOf(run, event), event);
    const parent = attempt.steps.get(event.parent) || attempt.root;
    const step = {
      type: "step", id: event.step, name: event.name, where: event.where, at: event.at, parent,
      depth: parent.depth + 1, children: [], status: "interrupted",
    };
    parent.children.push(step);
    attempt.steps.set(event.step, step);
  },
  "step.end": (run, event) => {
    const step = attemptOf(journeyOf(run, event), event).steps.get(event.step);
    if (step) Object.assign(step, { status: event.status, duration: event.duration });
  },
};

/** The lists of an attempt, by the events that they collect. */
const lists = {
  http: "exchanges", log: "logs", assert: "asserts", attachment: "attachments",
  "page.console": "console", "page.request": "requests",
};

function noLists() {
  return Object.fromEntries(Object.values(lists).map((name) => [name, []]));
}

/** Adds exchanges, pages, failed expectations, logs and evidence to their step, or to the run. */
function readOther(run, event) {
  if (event.event !== "page" && !lists[event.event]) return;
  // The member `type` of an attachment or request.
  const item = { ...event, kind: event.type, type: event.event };
  if (!event.journey) {
    if (item.type === "log") run.logs.push(item);
    if (item.type === "http") run.exchanges.push(item);
    return;
  }
  const attempt = attemptOf(journeyOf(run, event), event);
  if (joinsPicture(item, attempt)) return;
  const parent = attempt.steps.get(event.step) || attempt.root;
  item.depth = parent.depth + 1;
  item.parent = parent;
  if (belongsInTimeline(item)) parent.children.push(item);
  const list = attempt[lists[item.type]];
  if (list) list.push(item);
}

/** Puts the HTML of a page beside its picture, which comes before it. */
function joinsPicture(item, attempt) {
  if (item.type !== "attachment" || item.kind !== "text/html") return false;
  const last = attempt.attachments[attempt.attachments.length - 1];
  const isSame = last && last.at === item.at && last.name === item.name && last.url === item.url
    && (item.url !== undefined || item.title !== undefined) && !last.document;
  if (isSame) last.document = item;
  return Boolean(isSame);
}

/** Leaves out what a page loads and prints as long as it succeeds. */
function belongsInTimeline(item) {
  if (item.type === "page.console") return item.level === "error" || item.level === "warning";
  if (item.type === "page.request") return !item.status || item.status >= 400;
  return true;
}

function fileOf(run, name) {
  if (!run.files.has(name)) {
    run.files.set(name, { name, journeys: [], failures: [], at: 0, duration: null });
  }
  return run.files.get(name);
}

function journeyOf(run, event) {
  const known = run.journeys.get(event.journey);
  if (known) return known;
  const words = event.journey.split(" > ");
  const name = [...(event.name || words.slice(1))];
  // ` (run 2)` and ` #2` distinguish journeys of the same name.
  const plain = [event.file || words[0], ...name].join(" > ");
  if (name.length && event.journey.startsWith(plain)) {
    name[name.length - 1] += event.journey.slice(plain.length);
  }
  const journey = {
    id: event.journey, file: event.file || words[0], line: event.line, name,
    own: name[name.length - 1] || event.journey, tags: event.tags || [], attempts: [],
    outcome: null, at: event.at,
  };
  run.journeys.set(event.journey, journey);
  fileOf(run, journey.file).journeys.push(journey);
  return journey;
}

function attemptOf(journey, event, begins) {
  const number = event.attempt || 1;
  const known = journey.attempts.findLast((attempt) => attempt.number === number);
  if (known && !(begins && known.duration !== null)) return known;
  const attempt = {
    number, at: event.at, duration: null, status: "interrupted", failures: [],
    root: { children: [], depth: -1 }, steps: new Map(), ...noLists(),
  };
  journey.attempts.push(attempt);
  return attempt;
}

function finishJourney(journey, run) {
  const last = journey.attempts[journey.attempts.length - 1];
  const isOver = last && last.duration !== null;
  if (run.live) run.live.mark(journey, last);
  if (!journey.outcome) journey.outcome = isOver ? last.status : "interrupted";
  journey.duration = journey.attempts.reduce((sum, attempt) => sum + (attempt.duration ?? attempt.elapsed ?? 0), 0);
  journey.reason = journey.attempts.map((attempt) => attempt.reason).find((reason) => reason);
  const words = [journey.file, ...journey.name, ...journey.tags.map((tag) => `#${tag}`)];
  for (const attempt of journey.attempts) {
    attempt.end = endOf(attempt);
    sortByTime(attempt.root);
    for (const failure of attempt.failures) words.push(failure.message, failure.code || "");
    for (const exchange of attempt.exchanges) words.push(operationOf(exchange));
  }
  journey.words = [...new Set(words)].join("\n").toLowerCase();
}

function sortByTime(node) {
  // The sort is stable: simultaneous events keep their order.
  node.children.sort((one, other) => one.at - other.at);
  for (const child of node.children) if (child.type === "step") sortByTime(child);
}

/** Returns the end of an attempt, including everything it did. */
function endOf(attempt) {
  let end = attempt.at + (attempt.duration || attempt.elapsed || 0);
  const visit = (node) => {
    for (const child of node.children) {
      end = Math.max(end, child.at + (child.duration || 0));
      if (child.type === "step") visit(child);
    }
  };
  visit(attempt.root);
  // A step without an end lasts as long as its attempt.
  for (const step of attempt.steps.values()) step.duration ??= Math.max(0, end - step.at);
  return end;
}

/** Returns all items of an attempt in order, each step before its content. */
function flatten(node, list = []) {
  for (const child of node.children) {
    list.push(child);
    if (child.type === "step") flatten(child, list);
  }
  return list;
}

/** Returns the name of an exchange: its operation, or the path of its URL. */
function operationOf(exchange) {
  if (exchange.operation) return exchange.operation;
  return pathOf(exchange.url) || exchange.url;
}

function pathOf(url) {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url);
  return match ? match[1] || "/" : url.split("?")[0];
}

/** Whether an exchange failed: no response, or a refusal. */
function isRefused(exchange) {
  return !exchange.status || exchange.status >= 400 || refusalInside(exchange) !== "";
}

/** Returns the refusal in a backend's response with status 200, or "". */
function refusalInside(exchange) {
  if (exchange.status !== 200 || exchange.to !== "toolkit") return "";
  const body = answerOf(exchange);
  if (body.needConfirmation === true) return "needConfirmation";
  return typeof body.errorMessage === "string" ? body.errorMessage : "";
}

/** Returns the JSON object of a response, or an empty object. */
function answerOf(exchange) {
  try {
    return Object(JSON.parse(exchange.response.body.text));
  } catch {
    return {};
  }
}

/** Returns the backend's refusal or the reason for a missing response, or "". */
function refusalOf(exchange) {
  if (!isRefused(exchange)) return "";
  if (!exchange.status) return exchange.error || "no answer";
  const inside = refusalInside(exchange);
  if (inside) return inside;
  const body = answerOf(exchange);
  const told = body.error_description || (body.error && body.error.message) || body.error;
  return typeof told === "string" ? told : "";
}
