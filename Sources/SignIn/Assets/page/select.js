const [e, wanted] = arguments;
const norm = text => (text || "").replace(/\s+/g, " ").trim();
const options = [...e.options].filter(o => !o.disabled);
const chosen = wanted.map(w =>
  options.find(o => o.value === w) || options.find(o => norm(o.label) === norm(w)));
if (chosen.some(o => !o)) return { options: options.map(o => norm(o.label)).slice(0, 30) };
if (chosen.length > 1 && !e.multiple) return { single: true };
e.focus();
for (const option of e.options) {
  if (e.multiple || chosen.includes(option)) option.selected = chosen.includes(option);
}
e.dispatchEvent(new Event("input", { bubbles: true }));
e.dispatchEvent(new Event("change", { bubbles: true }));
return { chosen: chosen.length };
