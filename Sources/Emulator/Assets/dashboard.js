"use strict";
(() => {
  const status = document.getElementById("live");
  const pause = document.getElementById("pause");
  const regions = () => document.querySelectorAll("[data-live]");
  if (!status || !window.EventSource || regions().length === 0) return;

  let paused = false, busy = false, waiting = false;

  const say = (text, kind) => {
    if (status.textContent !== text) status.textContent = text;
    status.className = kind;
  };

  // A region keeps its element, and the focus stays on the link it was on.
  const put = (fresh) => {
    for (const region of regions()) {
      const next = fresh.getElementById(region.id);
      if (!next || next.innerHTML === region.innerHTML) continue;
      const focused = region.contains(document.activeElement) ? document.activeElement : null;
      const address = focused && focused.getAttribute("href");
      region.replaceChildren(...document.importNode(next, true).childNodes);
      if (address) region.querySelector(`a[href="${CSS.escape(address)}"]`)?.focus();
    }
  };

  const refresh = async () => {
    if (paused || document.hidden) { waiting = true; return; }
    if (busy) { waiting = true; return; }
    busy = true;
    waiting = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) put(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // The stream reports the error.
    }
    setTimeout(() => { busy = false; if (waiting) refresh(); }, 400);
  };

  const events = new EventSource("/emulator/ui/stream");
  events.onopen = () => { say(paused ? "Paused" : "Live", paused ? "" : "on"); refresh(); };
  events.onerror = () => say("Not connected", "off");
  events.addEventListener("change", refresh);
  document.addEventListener("visibilitychange", () => { if (waiting) refresh(); });
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Resume" : "Pause";
    say(paused ? "Paused" : "Live", paused ? "" : "on");
    if (!paused) refresh();
  });
})();
