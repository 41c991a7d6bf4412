const origins = arguments[0];
if (window.luathWatches) return;
window.luathWatches = true;
addEventListener("submit", event => {
  if (event.defaultPrevented) return;
  const form = event.target, button = event.submitter;
  const get = (name, fallback) => button && button.hasAttribute("form" + name)
    ? button["form" + name[0].toUpperCase() + name.slice(1)] : fallback;
  const action = new URL(get("action", form.getAttribute("action") || "") || location.href,
    document.baseURI);
  const method = String(get("method", form.getAttribute("method") || "get")).toLowerCase();
  if (method === "get" || !origins.includes(action.origin)) {
    event.preventDefault();
    window.luathStopped = method === "get" ? "address" : action.origin;
  }
});
