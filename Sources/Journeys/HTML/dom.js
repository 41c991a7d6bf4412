"use strict";

/**
 * Creates an element: el("a.name", { href: "#" }, "text", child).
 * Texts are set as text, never as markup; functions become event listeners; null is ignored.
 */
function el(spec, attributes, ...children) {
  const [name, ...classes] = spec.split(".");
  return furnish(document.createElement(name || "div"), classes, attributes, children);
}

/** Creates an SVG element. */
function svg(spec, attributes, ...children) {
  const [name, ...classes] = spec.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  return furnish(element, classes, attributes, children);
}

function furnish(element, classes, attributes, children) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "style") for (const one in value) element.style.setProperty(one, value[one]);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(String(child)));
  }
  return element;
}

/** Makes characters visible that change the text direction. */
function visible(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`);
}

/** Formats milliseconds in a suitable unit. */
function duration(ms) {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "";
  if (ms === 0) return "0 ms";
  if (ms < 0.1) return `${(ms * 1000).toFixed(0)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}

/** Returns about `wanted` round numbers from 0 to the span. */
function ticks(span, wanted = 5) {
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= rough);
  const list = [];
  for (let index = 0; index * step <= span * 0.94; index += 1) list.push(index * step);
  return list;
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Shortens URLs of this machine to their paths, because ports are irrelevant. */
function withoutOrigin(text) {
  const origin = /https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(?=\/)/g;
  return String(text || "").replace(origin, "");
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats an RFC 3339 time in the local style; returns invalid ones unchanged. */
function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

const iconPaths = {
  passed: "M3.5 8.5l3 3 6-7",
  failed: "M4 4l8 8M12 4l-8 8",
  flaky: "M3 8a5 5 0 0 1 8.6-3.4L13 6M13 2.6V6H9.6M13 8a5 5 0 0 1-8.6 3.4L3 10M3 13.4V10h3.4",
  skipped: "M3 8h10",
  pending: "M8 4v4l2.6 2M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0",
  interrupted: "M5 4v8M11 4v8",
  running: "M14 8A6 6 0 1 1 8 2",
  waiting: "M3 8h.01M8 8h.01M13 8h.01",
  unrun: "M13 8A5 5 0 1 1 3 8a5 5 0 0 1 10 0",
};

/** The icon of an outcome; hidden from screen readers, because the text next to it says the same. */
function icon(outcome) {
  return svg("svg", { class: `icon ${outcome}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", {
      d: iconPaths[outcome] || iconPaths.skipped, fill: "none", stroke: "currentColor",
      "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round",
    }));
}

function pill(outcome, text) {
  return el("span", { class: `pill ${outcome}` }, text || outcome);
}

/** Parses the page's data element, in which `</` and `<!--` are escaped as JSON. */
function pageData() {
  return JSON.parse(document.getElementById("data").textContent);
}

/** luath's logo, the same as on the emulator's pages. */
function mark() {
  return svg("svg", { width: 24, height: 24, viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("rect", { width: 24, height: 24, rx: 7, fill: "#4338ca" }),
    svg("path", { fill: "#ffd166",
      d: "M4 15c4-1 5-6 8-7 2-.6 3 .2 4 1l4 1-3.4 1.6C16 14 14 17 9 17H5" }),
    svg("circle", { cx: 15.2, cy: 9.8, r: 1, fill: "#312e81" }));
}

/** The color theme: light, dark or that of the system. The choice is stored if the browser allows it. */
const theme = {
  system: window.matchMedia("(prefers-color-scheme: dark)"),
  chosen: null,
  start() {
    try { this.chosen = localStorage.getItem("luath-theme"); } catch { this.chosen = null; }
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  },
  get isDark() {
    return this.chosen ? this.chosen === "dark" : this.system.matches;
  },
  apply() {
    document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
  },
  toggle() {
    this.chosen = this.isDark ? "light" : "dark";
    try { localStorage.setItem("luath-theme", this.chosen); } catch { /* from disk, some refuse */ }
    this.apply();
  },
};

function themeButton() {
  return el("button", { type: "button", id: "theme", click: () => theme.toggle(), title: "t" },
    svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
      svg("circle", {
        cx: 8, cy: 8, r: 6, fill: "none", stroke: "currentColor", "stroke-width": 1.6,
      }),
      svg("path", { d: "M8 2a6 6 0 0 1 0 12z", fill: "currentColor" })),
    el("span.unseen", {}, "Light or dark"));
}

/** The bar at the top: kind of page, facts and tools. */
function topBar(kind, facts, ...tools) {
  return el("header.top", {},
    el("div.brand", {}, mark(), "luath ", el("small", {}, kind)),
    el("div.facts", {}, factList(facts)),
    el("div.tools", {}, tools, themeButton()));
}

function factList(facts) {
  return facts.filter((fact) => fact).map(([name, value]) =>
    el("span", {}, `${name} `, el("b", {}, value)));
}

/** Replaces an element; the focus stays on the link or button where it was. */
function swap(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const sign = focused && ["id", "href", "data-outcome"]
    .find((name) => focused.getAttribute(name));
  const selector = sign && `[${sign}="${CSS.escape(focused.getAttribute(sign))}"]`;
  old.replaceWith(fresh);
  const next = selector && (fresh.matches(selector) ? fresh : fresh.querySelector(selector));
  if (next) next.focus({ preventScroll: true });
}
