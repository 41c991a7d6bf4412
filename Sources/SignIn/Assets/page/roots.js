const roots = [];
const foreign = [];
const enter = root => {
  roots.push(root);
  for (const e of root.querySelectorAll("*")) {
    if (e.shadowRoot) enter(e.shadowRoot);
    if (!/^(IFRAME|FRAME|OBJECT|EMBED)$/.test(e.tagName)) continue;
    let inside = null;
    try { inside = e.contentDocument; } catch { /* of another site */ }
    if (inside) enter(inside); else foreign.push(e);
  }
};
enter(document);
const textNodes = () => roots.flatMap(root => {
  const walker = (root.ownerDocument || root).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    const isCode = parent && /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/i.test(parent.tagName);
    if (!isCode && walker.currentNode.data.trim()) found.push(walker.currentNode);
  }
  return found;
});
const elements = selector => roots.flatMap(root => [...root.querySelectorAll(selector)]);
const shownAttributes = ["placeholder", "alt", "label", "title", "aria-label"];
const fields = () => elements("input,textarea").filter(e =>
  !/^(submit|button|reset|checkbox|radio|range|image|file|hidden|color)$/.test(e.type));
const buttons = () => elements("input").filter(e => /^(submit|button|reset)$/.test(e.type));
