const phases = ["blocked", "dns", "connect", "tls", "send", "wait", "receive"];

const phaseNames = {
  blocked: "waiting for a connection", dns: "looking up the name", connect: "connecting",
  tls: "TLS handshake", send: "sending", wait: "waiting for the answer", receive: "receiving",
};

/** Shows the waterfall of an attempt: steps with their exchanges, page actions, logs and failures. */
function timeline(attempt, isOpen) {
  const items = flatten(attempt.root);
  if (!items.length) {
    return el("p.nothing", {}, {
      interrupted: "The attempt was stopped before it did anything that is recorded here.",
      running: "Nothing was recorded yet.",
    }[attempt.status] || "Nothing was recorded in this attempt.");
  }
  const scale = { from: attempt.at, span: Math.max(attempt.end - attempt.at, 0.001) };
  return el("div.timeline", { role: "list" }, axis(scale),
    items.map((item) => timelineRow(item, scale, isOpen)), legend());
}

function axis(scale) {
  return el("div.axis", { "aria-hidden": "true" }, ticks(scale.span).map((tick) =>
    el("span", { style: { left: `${(tick / scale.span) * 100}%` } }, tick ? duration(tick) : "0")));
}

function timelineRow(item, scale, isOpen) {
  if (item.type === "http") return exchangeRow(item, scale, isOpen);
  if (item.type === "attachment") return attachmentRow(item, scale);
  const labels = {
    step: stepLabel, page: pageLabel, assert: assertLabel, log: logLabel,
    "page.console": consoleLabel, "page.request": requestLabel,
  };
  return el("div", {
    class: `row ${item.type.replace("page.", "")} ${item.status || item.level || ""}`,
    role: "listitem",
  }, el("div.label", { style: indent(item) }, labels[item.type](item)),
  el("div.track", {}, item.type === "step" ? bar(item, scale, "band") : spot(item, scale)),
  item.type === "page" ? messageText(item) : null);
}

function indent(item) {
  return { "padding-left": `${8 + item.depth * 16}px` };
}

function stepLabel(step) {
  return [icon(step.status), el("b", {}, step.name), el("span.unseen", {}, `, ${step.status}`),
    step.where
      ? el("small.where", { title: step.where }, /:\d+$/.exec(step.where) || step.where) : null,
    el("span.time.num", {}, step.status === "running" ? "…" : duration(step.duration))];
}

function pageLabel(page) {
  return [route(page), el("span.said", {},
    el("i", {}, page.action), " ", withoutOrigin(page.detail.split("\n")[0]))];
}

/** An e-mail or SMS has its text below the first line of the detail. */
function messageText(page) {
  const lines = page.detail.split("\n").slice(1);
  return lines.length ? el("details.message", {}, el("summary", {}, "Text"),
    el("pre", {}, lines.join("\n"))) : null;
}

function assertLabel(assert) {
  return [icon("failed"), el("span.said", {},
    assert.soft ? "soft check failed: " : "check failed: ", assert.failure.message)];
}

function logLabel(log) {
  return [el("code.said", {}, log.text)];
}

function consoleLabel(line) {
  return [el("span", { class: `pill ${line.level === "error" ? "bad" : "warn"}` },
    consoleName(line)), el("code.said", {}, masked(line.text))];
}

function requestLabel(request) {
  return [el("span.route", {}, "page"), el("span.said", {}, el("i", {}, request.method), " ",
    masked(withoutOrigin(request.url))), requestStatus(request)];
}

/** Returns sender and receiver, shortened for a row. */
function route(item) {
  const names = { toolkit: "backend", provider: "provider" };
  return el("span.route", {
    title: `${participants[item.from] || item.from} to ${participants[item.to] || item.to}`,
  }, `${names[item.from] || item.from} → ${names[item.to] || item.to}`);
}

function exchangeRow(exchange, scale, isOpen) {
  return openableRow(exchange, `http ${isRefused(exchange) ? "failed" : ""}`, isOpen(exchange), [
    route(exchange), el("b", {}, operationOf(exchange)), statusOf(exchange),
    (exchange.tokens || []).length
      ? el("span.pill", {}, count(exchange.tokens.length, "token")) : null,
    el("span.time.num", {}, duration(exchange.duration)),
  ], phaseBar(exchange, scale), () => exchangeDetail(exchange));
}

function attachmentRow(attachment, scale) {
  return openableRow(attachment, "attachment", false, [
    el("span.pill", {}, attachmentKind(attachment)), el("b", {}, attachment.name),
    attachment.title ? el("span.said.soft", {}, attachment.title) : null,
  ], spot(attachment, scale), () => attachmentDetail(attachment));
}

/** A row that opens to its details, which are made when they are first shown. */
function openableRow(item, kind, isOpen, label, track, makeDetail) {
  const row = el("div", { class: `row ${kind}`, role: "listitem" });
  const detail = el("div.inside", { hidden: true });
  const button = el("button.label", {
    type: "button", style: indent(item), "aria-expanded": "false",
    "data-exchange": item.exchange,
    click: () => show(button.getAttribute("aria-expanded") !== "true"),
  }, label);
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    detail.hidden = !open;
    if (open && !detail.childNodes.length) detail.append(makeDetail());
  };
  row.append(button, el("div.track", {}, track), detail);
  if (isOpen) show(true);
  return row;
}

function statusOf(exchange) {
  const text = [exchange.status || "no answer", exchange.status ? refusalOf(exchange) : ""]
    .filter((word) => word).join(" ");
  const kind = isRefused(exchange) ? "bad" : exchange.status >= 300 ? "" : "good";
  return el("span", { class: `pill ${kind} status` }, text);
}

function place(item, scale) {
  const left = Math.min(100, Math.max(0, ((item.at - scale.from) / scale.span) * 100));
  const width = Math.min(100 - left, ((item.duration || 0) / scale.span) * 100);
  return { left: `${left}%`, width: `${width}%` };
}

function bar(item, scale, kind) {
  return el("span", { class: kind, style: place(item, scale), title: duration(item.duration) });
}

/** A point in time. */
function spot(item, scale) {
  return el("span.spot", { style: { left: place(item, scale).left } });
}

/** The bar of an exchange, colored by phase. */
function phaseBar(exchange, scale) {
  const spent = phasesOf(exchange);
  const total = spent.reduce((sum, [, ms]) => sum + ms, 0);
  const told = spent.map(([name, ms]) => `${phaseNames[name]} ${duration(ms)}`).join(", ");
  return el("span.bar", { style: place(exchange, scale), title: told },
    total ? spent.map(([name, ms]) =>
      el("span", { class: `phase ${name}`, style: { "flex-grow": ms / total } }))
      : el("span.phase.wait", { style: { "flex-grow": 1 } }));
}

function phasesOf(exchange) {
  const timings = exchange.timings || {};
  return phases.map((name) => [name, timings[name] || 0]).filter(([, ms]) => ms > 0);
}

function legend() {
  return el("div.legend", {}, phases.map((name) =>
    el("span", {}, el("span", { class: `phase ${name}` }), phaseNames[name])));
}
