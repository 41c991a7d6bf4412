const shown = new Map(arguments[0]);
const undo = window.luathUndo || [];
Object.defineProperty(window, "luathUndo", { value: undo, configurable: true });
const style = (e, name, value) => {
  const isBare = !e.hasAttribute("style");
  const before = [e.style.getPropertyValue(name), e.style.getPropertyPriority(name)];
  e.style.setProperty(name, value, "important");
  undo.push(() => {
    e.style.setProperty(name, ...before);
    // Chromium removes only an attribute that was read after its change.
    if (isBare && !e.getAttribute("style")) e.removeAttribute("style");
  });
};
for (const node of textNodes()) {
  const before = node.data;
  if (!shown.has(before)) continue;
  node.data = shown.get(before);
  undo.push(() => { if (node.data === shown.get(before)) node.data = before; });
}
for (const name of shownAttributes) {
  for (const e of elements(`[${name}]`)) {
    const before = e.getAttribute(name);
    if (!shown.has(before)) continue;
    e.setAttribute(name, shown.get(before));
    undo.push(() => { if (e.getAttribute(name) === shown.get(before)) e.setAttribute(name, before); });
  }
}
for (const e of buttons()) {
  const before = e.value;
  if (!shown.has(before)) continue;
  e.value = shown.get(before);
  undo.push(() => { if (e.value === shown.get(before)) e.value = before; });
}
const isName = e => e.type === "email" || [e.name, e.id, e.autocomplete].some(word =>
  /^(user|user-?name|login|login-?(hint|fmt)|e-?mail|account|identifier)$/i.test(word || ""));
for (const e of fields()) {
  if (!isName(e) || shown.has(e.value)) style(e, "-webkit-text-security", "disc");
}
for (const e of foreign) style(e, "visibility", "hidden");
