const norm = text => (text || "").replace(/\s+/g, " ").trim();
const up = e => e.parentElement
  || (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
const shown = e => {
  if (!e.isConnected || e.tagName === "INPUT" && e.type === "hidden") return false;
  if (e.checkVisibility && !e.checkVisibility({ checkVisibilityCSS: true })) return false;
  if (getComputedStyle(e).visibility !== "visible") return false;
  if (getComputedStyle(e).display === "contents") return [...e.children].some(shown);
  const box = e.getBoundingClientRect();
  return box.width > 0 && box.height > 0;
};
const concealed = e => {
  if (!shown(e)) return true;
  const box = e.getBoundingClientRect();
  if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return true;
  let opacity = 1;
  for (let n = e; n; n = up(n)) opacity *= Number(getComputedStyle(n).opacity);
  return opacity === 0;
};
const disabled = e => {
  if (e.matches(":disabled")) return true;
  for (let n = e; n; n = up(n)) if (n.getAttribute("aria-disabled") === "true") return true;
  return false;
};
const textOf = (node, top = true) => {
  if (node.nodeType === 3) return node.data;
  if (node.nodeType !== 1) return "";
  if (/^(script|style|noscript|template|select|textarea|head)$/i.test(node.tagName)) return "";
  const style = getComputedStyle(node);
  if (!top && (style.display === "none" || style.visibility === "hidden")) return "";
  if (!top && node.getAttribute("aria-hidden") === "true") return "";
  if (node.tagName === "IMG") return node.alt || "";
  if (node.tagName === "BR") return " ";
  const inside = [...(node.shadowRoot || node).childNodes].map(n => textOf(n, false)).join("");
  return style.display.startsWith("inline") ? inside : " " + inside + " ";
};
const roleOf = e => {
  const given = (e.getAttribute("role") || "").trim().split(/\s+/)[0];
  if (given) return given.toLowerCase();
  const type = (e.getAttribute("type") || "").toLowerCase();
  switch (e.tagName) {
    case "A": case "AREA": return e.hasAttribute("href") ? "link" : "";
    case "BUTTON": case "SUMMARY": return "button";
    case "INPUT":
      return {
        button: "button", submit: "button", reset: "button", image: "button",
        checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton",
        search: "searchbox", hidden: "", file: "", password: "textbox",
      }[type] ?? (e.hasAttribute("list") ? "combobox" : "textbox");
    case "TEXTAREA": return "textbox";
    case "SELECT": return e.multiple || e.size > 1 ? "listbox" : "combobox";
    case "OPTION": return "option";
    case "IMG": return e.getAttribute("alt") === "" ? "" : "img";
    case "H1": case "H2": case "H3": case "H4": case "H5": case "H6": return "heading";
    case "UL": case "OL": return "list";
    case "LI": return "listitem";
    case "TABLE": return "table";
    case "TR": return "row";
    case "TD": return "cell";
    case "TH": return "columnheader";
    case "DIALOG": return "dialog";
    case "FORM": return "form";
    case "NAV": return "navigation";
    case "MAIN": return "main";
    case "ARTICLE": return "article";
    case "FIELDSET": return "group";
    case "PROGRESS": return "progressbar";
    case "OUTPUT": return "status";
    case "P": return "paragraph";
    default: return "";
  }
};
const labelsOf = e => [...(e.labels || [])].map(l => norm(textOf(l))).filter(t => t).join(" ");
const namedByContent = /^(button|link|heading|option|tab|menuitem|checkbox|radio|switch|cell|row|columnheader|listitem|treeitem|menuitemcheckbox|menuitemradio)$/;
const nameOf = e => {
  const ids = norm(e.getAttribute("aria-labelledby"));
  if (ids) {
    const words = ids.split(" ").map(id => e.getRootNode().getElementById(id))
      .filter(n => n).map(n => norm(textOf(n))).filter(t => t).join(" ");
    if (words) return words;
  }
  const aria = norm(e.getAttribute("aria-label"));
  if (aria) return aria;
  const type = (e.getAttribute("type") || "").toLowerCase();
  if (e.tagName === "INPUT" && /^(submit|button|reset)$/.test(type)) {
    return norm(e.value) || norm(e.title) || { submit: "Submit", reset: "Reset" }[type] || "";
  }
  const labels = labelsOf(e);
  if (labels) return labels;
  if (e.tagName === "IMG" || type === "image") return norm(e.alt) || norm(e.title);
  if (e.tagName === "FIELDSET") {
    const legend = [...e.children].find(c => c.tagName === "LEGEND");
    if (legend) return norm(textOf(legend));
  }
  if (e.tagName !== "INPUT" && namedByContent.test(roleOf(e))) {
    const words = norm(textOf(e));
    if (words) return words;
  }
  return norm(e.title) || norm(e.getAttribute("placeholder")) || norm(e.getAttribute("alt"));
};
const every = (root, selector) => {
  const found = [...root.querySelectorAll(selector)];
  for (const host of root.querySelectorAll("*")) {
    if (host.shadowRoot) found.push(...every(host.shadowRoot, selector));
  }
  return found;
};
