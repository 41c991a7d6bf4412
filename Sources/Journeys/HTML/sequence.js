const drawing = { top: 58, line: 30, band: 28 };

/** Draws a sequence diagram of the messages; a click on an arrow opens its exchange. */
function sequence(attempt, openExchange) {
  const messages = messagesOf(attempt);
  if (!messages.some((message) => message.from)) {
    return el("p.nothing", {}, "Nobody talked to anybody in this attempt.");
  }
  const columns = columnsOf(messages);
  const { x, half } = columns[columns.length - 1];
  const width = x + half + 18;
  const picture = svg("svg", {
    class: "diagram", role: "group", "aria-label": "Sequence diagram",
    xmlns: "http://www.w3.org/2000/svg",
  });
  let y = drawing.top;
  const bands = [];
  const lines = [];
  for (const message of messages) {
    y += message.kind === "step" ? drawing.band : drawing.line;
    if (message.kind === "step") {
      bands.push(bandOf(message, y, width));
    } else {
      lines.push(messageOf(message, y, columns, openExchange));
    }
  }
  const height = y + 26;
  picture.append(heads(columns), lifelines(columns, height), ...bands, ...lines);
  const measures = { width, height, viewBox: `0 0 ${width} ${height}` };
  for (const name in measures) picture.setAttribute(name, measures[name]);
  return el("figure.sequence", {}, el("div.scroll", { tabindex: "0" }, picture),
    el("figcaption", {}, "Dashed arrows are answers. ",
      copyButton("Copy as Mermaid", () => mermaid(messages, columns))));
}

/** Returns requests, responses, page actions, steps and failed expectations in order of time. */
function messagesOf(attempt) {
  const messages = [];
  for (const item of flatten(attempt.root)) {
    if (item.type === "http") messages.push(...requestAndAnswer(item));
    if (item.type === "page") {
      messages.push({ kind: "page", at: item.at, from: item.from, to: item.to,
        text: `${item.action} ${withoutOrigin(item.detail.split("\n")[0])}`.trim() });
    }
    if (item.type === "step") {
      messages.push({ kind: "step", at: item.at, text: item.name, status: item.status,
        depth: item.depth });
    }
    if (item.type === "assert") {
      messages.push({ kind: "note", at: item.at, on: "script", text: item.failure.message });
    }
  }
  return messages.map((message, index) => ({ message, index }))
    .sort((one, other) => one.message.at - other.message.at || one.index - other.index)
    .map(({ message }) => message);
}

function requestAndAnswer(exchange) {
  const { from, to, at } = exchange;
  const number = exchange.exchange;
  const kinds = (isAnswer) => [...new Set((exchange.tokens || [])
    .filter((token) => Boolean(token.answer) === isAnswer).map((token) => token.kind))];
  const ask = { kind: "ask", at, from, to, number,
    text: exchange.operation || `${exchange.method} ${pathOf(exchange.url)}`,
    tokens: kinds(false) };
  const text = exchange.status
    ? [exchange.status, refusalOf(exchange), whereTo(exchange)].filter((word) => word).join(" ")
    : exchange.error || "no answer";
  return [ask, {
    kind: "answer", at: at + (exchange.duration || 0), from: to, to: from, number, text,
    isRefused: isRefused(exchange), tokens: kinds(true),
  }];
}

function whereTo(exchange) {
  if (!(exchange.status >= 300 && exchange.status < 400) || !exchange.response) return "";
  const header = (exchange.response.headers || [])
    .find(([name]) => name.toLowerCase() === "location");
  return header ? `to ${pathOf(header[1])}` : "";
}

function columnsOf(messages) {
  const used = new Set(messages.flatMap((message) => [message.from, message.to, message.on]));
  const names = Object.keys(participants).filter((name) => used.has(name));
  // As wide as possible, but wide enough for the names.
  const room = document.getElementById("detail").clientWidth - 40;
  const step = Math.min(230, Math.max(132, room / names.length));
  const half = Math.min(78, step / 2 - 6);
  return names.map((name, index) => ({ name, half, x: 18 + half + index * step }));
}

function heads(columns) {
  return svg("g", {}, columns.map(({ name, half, x }) => svg("g.head", {},
    svg("rect", { x: x - half, y: 10, width: half * 2, height: 32, rx: 9 }),
    svg("text", { x, y: 31, "text-anchor": "middle" }, participants[name]))));
}

function lifelines(columns, height) {
  return svg("g", {}, columns.map(({ x }) =>
    svg("line.life", { x1: x, x2: x, y1: 42, y2: height - 6 })));
}

function bandOf(step, y, width) {
  const x = 8 + Math.max(0, step.depth) * 14;
  return svg("g", { class: `band ${step.status}` },
    svg("rect", { x, y: y - 17, width: width - x - 8, height: 23, rx: 6 }),
    svg("text", { x: x + 10, y: y - 1 }, step.text));
}

function messageOf(message, y, columns, openExchange) {
  const x = (name) => columns.find((column) => column.name === name).x;
  if (message.kind === "note") {
    return svg("g.note", {}, svg("circle", { cx: x(message.on), cy: y - 4, r: 5 }),
      svg("text", { x: x(message.on) + 12, y }, message.text.split("\n")[0]));
  }
  const from = x(message.from);
  const to = x(message.to);
  const kind = `message ${message.kind} ${message.isRefused ? "refused" : ""}`;
  const group = svg("g", { class: kind },
    svg("title", {},
      `${participants[message.from]} to ${participants[message.to]}: ${message.text}`),
    svg("rect.target", { x: Math.min(from, to), y: y - 18, height: 26,
      width: Math.max(Math.abs(to - from), 150) }),
    from === to ? loop(from, y) : arrow(from, to, y), labelOf(message, from, to, y));
  if (message.number) {
    const open = () => openExchange(message.number);
    group.addEventListener("click", open);
    group.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
    if (message.kind === "ask") {
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("data-exchange", message.number);
    }
  }
  return group;
}

function arrow(from, to, y) {
  const side = Math.sign(to - from);
  return [svg("line", { x1: from, x2: to - side * 2, y1: y + 4, y2: y + 4 }),
    svg("path.tip", { d: `M${to} ${y + 4}l${-side * 8} -4.2v8.4z` })];
}

function loop(x, y) {
  return [svg("path", { d: `M${x} ${y - 8}h18v12h-15`, fill: "none" }),
    svg("path.tip", { d: `M${x} ${y + 4}l8 -4.2v8.4z` })];
}

/** The label is at the start of the arrow and may be longer than it. */
function labelOf(message, from, to, y) {
  const right = to < from;
  const words = message.tokens && message.tokens.length
    ? `${message.text}  ${message.tokens.join(", ")}` : message.text;
  const short = words.length > 64 ? `${words.slice(0, 63)}…` : words;
  const text = message.kind === "ask" ? `${message.number}  ${short}` : short;
  if (from === to) return svg("text", { x: from + 24, y: y + 1 }, text);
  return svg("text", { x: Math.min(from, to) + (right ? 14 : 10), y: y - 2 }, text);
}

/** Returns the diagram in Mermaid syntax, for a wiki or an issue. */
function mermaid(messages, columns) {
  const clean = (text) => String(text).replace(/[;#\n]/g, " ");
  const lines = ["sequenceDiagram",
    ...columns.map(({ name }) => `  participant ${name} as ${participants[name]}`)];
  const first = columns[0].name;
  const last = columns[columns.length - 1].name;
  for (const message of messages) {
    const text = clean(message.text);
    if (message.kind === "step") lines.push(`  Note over ${first},${last}: ${text}`);
    else if (message.kind === "note") lines.push(`  Note right of ${message.on}: ✕ ${text}`);
    else {
      const line = message.kind === "answer" ? "-->>" : "->>";
      lines.push(`  ${message.from}${line}${message.to}: ${text}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
