if (!document.body || !/^https?:$/.test(location.protocol)) {
  return { url: location.href, state: document.readyState };
}
const forms = every(document, "form");
const buttons = "button,[role=button],input";
const controls = every(document, "input,select,textarea," + buttons);
const choices = every(document, "[role=option],[role=menuitem],[role=radio],[role=listitem]")
  .filter(e => !e.querySelector("a,input," + buttons) && shown(e)
    && (e.tabIndex >= 0 || e.onclick || getComputedStyle(e).cursor === "pointer"));
const describe = e => {
  const isRole = !/^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(e.tagName);
  return {
    element: e, form: forms.indexOf(isRole ? e.closest("form") : e.form),
    tag: isRole ? "button" : e.tagName.toLowerCase(),
    type: isRole ? "button" : (e.getAttribute("type") || "").toLowerCase(),
    name: e.getAttribute("name") || "", id: e.id || "",
    value: isRole ? "" : e.tagName === "BUTTON" ? e.getAttribute("value") || "" : e.value || "",
    inputMode: e.inputMode || "", maximum: e.maxLength >= 0 ? e.maxLength : null,
    autocomplete: (e.getAttribute("autocomplete") || "").toLowerCase(),
    label: isRole && !e.getAttribute("aria-label") ? norm(textOf(e)).slice(0, 200)
      : nameOf(e).slice(0, 200),
    names: e.matches(buttons) ? [e.title, e.alt, ...[...e.querySelectorAll("img,svg title")]
      .slice(0, 20).map(p => p.alt || p.textContent)].map(norm) : [],
    checked: e.checked === true, disabled: disabled(e), readOnly: e.readOnly === true,
    required: e.required === true || e.getAttribute("aria-required") === "true",
    concealed: e.type === "checkbox" || e.type === "radio"
      ? !shown(e) && ![...(e.labels || [])].some(shown) : concealed(e),
    several: e.multiple === true,
    formAction: e.getAttribute("formaction"), formMethod: e.getAttribute("formmethod"),
    options: e.tagName !== "SELECT" ? [] : [...e.options].slice(0, 300).map(o => ({
      value: o.value, text: norm(o.text), selected: o.selected, disabled: o.disabled,
    })),
  };
};
const marks = /error|alert|invalid|danger|feedback|problem/i;
const spoken = every(document, "[role=alert],[aria-live=assertive]");
const boxes = every(document, "[class],[id]").filter(e =>
  !/^(HTML|BODY|FORM|INPUT|BUTTON|MAIN|SELECT|TEXTAREA)$/.test(e.tagName)
  && marks.test(`${e.getAttribute("class") || ""} ${e.id}`));
const alert = [...spoken, ...boxes].find(e => shown(e) && norm(textOf(e)));
const heading = every(document, "h1,h2").find(e => shown(e) && norm(textOf(e)));
const blocks = "p,li,dt,dd,pre,code,td,th";
const paragraphs = every(document, blocks).filter(e => !e.closest("form,nav,footer")
  && !e.parentElement.closest(blocks) && shown(e) && norm(textOf(e))).slice(0, 20);
const remark = paragraphs.map(e => norm(textOf(e))
  + (/^(DT|TH)$/.test(e.tagName) ? ":" : "")).join(" ");
const loose = () => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let text = "";
  for (let count = 0; count < 2000 && text.length < 2000 && walker.nextNode(); count += 1) {
    const parent = walker.currentNode.parentElement;
    const aside = "form,nav,footer,script,style,noscript,template,select,textarea";
    if (parent && !parent.closest(aside) && shown(parent)) text += walker.currentNode.data;
    if (parent && !getComputedStyle(parent).display.startsWith("inline")) text += " ";
  }
  return norm(text).slice(0, 2000);
};
const navigation = performance.getEntriesByType("navigation")[0];
return {
  url: location.href, base: document.baseURI, state: document.readyState,
  root: document.documentElement, status: navigation ? navigation.responseStatus || 0 : 0,
  title: norm(document.title), heading: heading ? norm(textOf(heading)).slice(0, 200) : "",
  message: alert ? norm(textOf(alert)).slice(0, 400) : null,
  remark: remark ? remark.slice(0, 400) : null,
  loose: !alert && !remark || document.body.textContent.includes("AADSTS50011") ? loose() : null,
  stopped: window.luathStopped || null,
  forms: forms.map(f => ({
    element: f, name: f.getAttribute("name") || "", id: f.id || "",
    role: f.getAttribute("role") || "", action: f.getAttribute("action"),
    method: f.getAttribute("method"), encoding: f.getAttribute("enctype"),
  })),
  controls: [...new Set([...controls, ...choices])].map(describe),
  links: every(document, "a[href]").filter(shown).slice(0, 400).map(a => ({
    element: a, address: a.href, text: (norm(textOf(a)) || nameOf(a)).slice(0, 200),
  })),
};
