const [e, value] = arguments;
e.focus();
if (e.isContentEditable) e.textContent = value;
else {
  const type = e.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(type.prototype, "value").set.call(e, value);
}
e.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
e.dispatchEvent(new Event("change", { bubbles: true }));
