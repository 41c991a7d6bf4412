/** The details of an exchange: URL, phases, headers, bodies, tokens. */
function exchangeDetail(exchange) {
  return el("div.exchange", {},
    el("p.address", {}, el("b", {}, exchange.method), " ", el("code", {}, masked(exchange.url))),
    exchange.error ? el("p.refusal", {}, exchange.error) : null,
    phaseTable(exchange),
    el("div.halves", {},
      half("Request", exchange.request, null),
      half("Response", exchange.response, exchange)),
    (exchange.tokens || []).map((token) => tokenCard(token)),
    el("p.tools", {}, copyButton("Copy as curl", () => curlOf(exchange))));
}

function phaseTable(exchange) {
  const spent = phasesOf(exchange);
  if (!spent.length) return null;
  return el("ul.phases", {}, spent.map(([name, ms]) =>
    el("li", {}, el("span", { class: `phase ${name}` }), phaseNames[name], " ",
      el("b.num", {}, duration(ms)))));
}

function half(title, message, answered) {
  if (!message) {
    return el("section", {}, el("h3", {}, title), el("p.soft", {}, "None came."));
  }
  const line = answered && answered.status
    ? `${answered.protocol || ""} ${answered.status}`.trim() : null;
  return el("section", {}, el("h3", {}, title, line ? el("span.soft", {}, `  ${line}`) : null),
    el("dl.headers", {}, (message.headers || []).map(([name, value]) =>
      [el("dt", {}, name), el("dd", {}, masked(value))])),
    bodyOf(message.body));
}

function bodyOf(body) {
  if (!body) return null;
  if (body.text === null || body.text === undefined) {
    return el("p.soft", {}, `${body.mimeType}, ${size(body.size)}, not shown`);
  }
  return [el("pre.body", { tabindex: "0" }, printed(body)), body.truncated
    ? el("p.soft", {}, `cut off; the whole is ${size(body.size)}`) : null];
}

function printed(body) {
  if (/json/.test(body.mimeType)) {
    try { return jsonTree(JSON.parse(body.text), 0); } catch { /* shown as it came */ }
  }
  if (/form-urlencoded/.test(body.mimeType)) {
    return [...new URLSearchParams(body.text)].map(([name, value]) =>
      [el("span.key", {}, name), " = ", masked(value), "\n"]).flat();
  }
  return masked(body.text);
}

/** Shows a value as indented JSON with syntax highlighting. */
function jsonTree(value, depth) {
  if (typeof value === "string") {
    return el("span.string", {}, '"', masked(JSON.stringify(value).slice(1, -1)), '"');
  }
  if (value === null || typeof value !== "object") return el("span.number", {}, String(value));
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (!entries.length) return isList ? "[]" : "{}";
  const pad = "  ".repeat(depth + 1);
  return [isList ? "[\n" : "{\n", entries.map(([key, inner], index) =>
    [pad, isList ? null : [el("span.key", {}, JSON.stringify(key)), ": "],
      jsonTree(inner, depth + 1), index < entries.length - 1 ? ",\n" : "\n"]).flat(9),
  "  ".repeat(depth), isList ? "]" : "}"].flat(9);
}

/** Highlights the labels of secrets, such as [password 1]. */
function masked(text) {
  const label = /(\[secret\]|%5Bsecret%5D|\[[A-Za-z]+(?: [A-Za-z]+)? \d+\]|•••)/i;
  return String(text).split(label).map((part, index) =>
    index % 2 ? el("span.masked", {}, part === "%5Bsecret%5D" ? "[secret]" : part) : part);
}

/** Returns a curl command for the request; the user must insert the secrets. */
function curlOf(exchange) {
  const quote = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${exchange.method} ${quote(exchange.url)}`];
  const request = exchange.request || {};
  for (const [name, value] of request.headers || []) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (request.body && request.body.text) lines.push(`--data-raw ${quote(request.body.text)}`);
  return lines.join(" \\\n  ");
}

function copyButton(label, make) {
  const button = el("button", { type: "button", click: async () => {
    const done = await copyText(make());
    button.textContent = done ? "Copied" : "Not allowed here";
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

/** Some browsers have no clipboard for pages from disk; then the text is copied from a selected field. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el("textarea", { "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

const times = new Set(["iat", "exp", "nbf", "auth_time", "updated_at"]);

const claimNames = {
  iss: "issuer", sub: "subject", aud: "audience", exp: "expires", iat: "issued", nbf: "not before",
  auth_time: "signed in", azp: "authorized party", tid: "tenant", oid: "object id",
  email_verified: "address verified", nonce: "tie to the sign-in",
};

/** Shows a token by its claims; the report never contains the signature. */
function tokenCard(token) {
  const header = token.header || {};
  return el("section.token", {}, el("h3", {}, token.kind,
    el("span.soft", {}, `  ${[header.alg, header.kid ? `key ${header.kid}` : null, header.typ]
      .filter((part) => part).join(" · ")} · signature removed`)),
  el("dl.claims", {}, Object.entries(token.claims || {}).map(([name, value]) =>
    [el("dt", {}, el("code", {}, name), el("small", {}, claimNames[name] || "")),
      el("dd", {}, claimValue(name, value))])));
}

function claimValue(name, value) {
  if (times.has(name) && typeof value === "number") {
    return [el("code.number", {}, value), el("span.soft", {},
      `  ${new Date(value * 1000).toISOString().replace(".000Z", "Z").replace("T", " ")}`)];
  }
  if (value !== null && typeof value === "object") return el("pre", {}, jsonTree(value, 0));
  return el("code", { class: typeof value === "string" ? "string" : "number" }, masked(value));
}

/** Returns each distinct token of an attempt with the first exchange that contains it. */
function tokensOf(attempt) {
  const seen = new Map();
  for (const exchange of attempt.exchanges) {
    for (const token of exchange.tokens || []) {
      const key = JSON.stringify([token.kind, token.claims]);
      if (!seen.has(key)) seen.set(key, { token, exchange });
    }
  }
  return [...seen.values()];
}

function tokens(attempt) {
  const found = tokensOf(attempt);
  if (!found.length) return el("p.nothing", {}, "No tokens were seen.");
  return el("div.tokens", {}, found.map(({ token, exchange }) => el("div.card.padded", {},
    el("p.soft", {}, `${operationOf(exchange)}, exchange ${exchange.exchange}`),
    tokenCard(token))));
}
