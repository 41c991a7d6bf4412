const texts = new Set(textNodes().map(node => node.data));
// What is concealed already is no text of a picture.
const readable = fields().filter(e => getComputedStyle(e).webkitTextSecurity === "none");
for (const e of [...readable, ...buttons()]) texts.add(e.value);
for (const name of shownAttributes) {
  for (const e of elements(`[${name}]`)) texts.add(e.getAttribute(name));
}
return [...texts].filter(text => text.trim());
