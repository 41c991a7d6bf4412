const chain = arguments[0];
const matcher = (wanted, exact) => {
  const text = norm(wanted);
  const low = text.toLowerCase();
  return words => exact ? norm(words) === text : norm(words).toLowerCase().includes(low);
};
const smallest = (root, fits) => {
  const found = [];
  const visit = e => {
    if (/^(script|style|noscript|template|head)$/i.test(e.tagName)) return false;
    const isButton = e.tagName === "INPUT" && /^(submit|button|reset)$/i.test(e.type);
    if (isButton) {
      if (!fits(e.value)) return false;
      found.push(e);
      return true;
    }
    let inside = false;
    const inner = e.shadowRoot ? [...e.shadowRoot.children, ...e.children] : [...e.children];
    for (const child of inner) inside = visit(child) || inside;
    if (inside) return true;
    if (!fits(textOf(e))) return false;
    found.push(e);
    return true;
  };
  for (const child of root.children) visit(child);
  return found;
};
const within = (root, locator) => {
  const fits = matcher(locator.value, locator.exact);
  switch (locator.by) {
    case "css": return every(root, locator.value);
    case "testId":
      return every(root, "[data-testid],[data-test-id],[data-test]").filter(e =>
        ["data-testid", "data-test-id", "data-test"]
          .some(name => e.getAttribute(name) === locator.value));
    case "placeholder":
      return every(root, "[placeholder]").filter(e => fits(e.getAttribute("placeholder")));
    case "label":
      return every(root, "input,select,textarea,meter,progress,output,[contenteditable],[role]")
        .filter(e => !/^(button|link|)$/.test(roleOf(e)) || /^(file|password)$/.test(e.type))
        .filter(e => {
          const words = labelsOf(e);
          return fits(nameOf(e)) && (words || e.hasAttribute("aria-label")
            || e.hasAttribute("aria-labelledby"));
        });
    case "role": {
      const named = locator.name == null ? () => true : matcher(locator.name, locator.exact);
      return every(root, "*").filter(e =>
        roleOf(e) === locator.value.toLowerCase() && shown(e) && named(nameOf(e)));
    }
    case "text": return smallest(root, fits);
  }
  return [];
};
const inOrder = (a, b) =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
let roots = [arguments[1] || document];
let hidden = 0;
for (const locator of chain) {
  let all;
  try {
    all = [...new Set(roots.flatMap(root => within(root, locator)))];
  } catch (problem) {
    return { problem: String(problem.message) };
  }
  all.sort(inOrder);
  const seen = all.filter(shown);
  hidden = all.length - seen.length;
  roots = seen.length ? seen : all;
  if (locator.nth != null) {
    roots = roots.slice(locator.nth - 1, locator.nth);
    if (!roots.length) hidden = 0;
  }
  if (!roots.length) return { found: [], total: 0, hidden: 0 };
}
const state = e => ({
  element: e, visible: shown(e), enabled: !disabled(e), readOnly: e.readOnly === true,
  tag: e.tagName.toLowerCase(), type: (e.type || "").toLowerCase(),
  editable: e.isContentEditable, checked: e.checked === true
    || e.getAttribute("aria-checked") === "true",
  words: norm(nameOf(e) || textOf(e)).slice(0, 60),
});
const visible = roots.filter(shown);
const list = visible.length ? visible : roots;
return {
  found: list.slice(0, 200).map(state), total: visible.length,
  hidden: list.length - visible.length,
};
