(function () {
  var query = new URLSearchParams(location.search);
  var fragment = new URLSearchParams(location.hash.slice(1));
  function given(name) { return fragment.get(name) || query.get(name) || ""; }
  var storageKey = given("apiKey") + ":" + given("appName");
  var self = window.name || given("id");
  var above = given("pfname");
  var here = above + "/" + given("id");
  var token = given("rpctoken");
  var app;
  try { app = new URL(given("parent")).origin; } catch (e) { return; }
  var answers = {};
  var calls = 0;
  function post(service, args, number) {
    parent.postMessage("!_" + JSON.stringify({
      s: service, f: self, r: self, t: token, c: number, a: args, g: false
    }), app);
  }
  function call(name, argument, then) {
    var number = null;
    if (then) answers[number = ++calls] = then;
    post(here + ":" + above + ":" + name, [argument], number);
  }
  var services = {
    _g_ping: function () { return null; },
    _g_discover: function () { return Object.keys(services); },
    webStorageSupport: function () { return { status: "ACK", webStorageSupport: true }; }
  };
  function receive(text) {
    var message;
    try { message = JSON.parse(text); } catch (e) { return; }
    if (!message || message.t !== token || !Array.isArray(message.a)) return;
    if (message.s === "__cb") {
      var then = answers[message.a[0]];
      delete answers[message.a[0]];
      if (then) then(message.a[1]);
      return;
    }
    var start = above + ":" + here + ":";
    if (typeof message.s !== "string" || message.s.indexOf(start) !== 0 || !message.c) return;
    var name = message.s.slice(start.length);
    var known = Object.prototype.hasOwnProperty.call(services, name);
    post("__cb", [message.c, [known ? services[name]() : null]], null);
  }
  function tell(event) {
    call("authEvent", { type: "authEvent", authEvent: event }, function (results) {
      var last = results && results[results.length - 1];
      if (!last || last.status !== "ACK") console.warn("the app did not take the sign-in");
    });
  }
  function none(error) {
    return {
      type: "unknown", eventId: null, urlResponse: null, sessionId: null, postBody: null,
      tenantId: null, error: error
    };
  }
  // No other page receives a sign-in: messages go to `app` alone, so that a wrong `parent` gets none.
  var isOpen = isAuthorized(app);
  window.addEventListener("message", function (event) {
    if (event.source === parent && event.origin === app) {
      if (typeof event.data === "string" && event.data.indexOf("!_") === 0) {
        receive(event.data.slice(2));
      }
      return;
    }
    // From the pop-up, which is a page of this emulator.
    var data = event.data;
    if (!isOpen || event.origin !== location.origin || !data || data.eventType !== "sendAuthEvent") return;
    if (!data.data || data.data.storageKey !== storageKey) return;
    tell(data.data.authEvent);
  });
  call("_g_rpcReady", null);
  if (!isOpen) return tell(none(unauthorized(app)));
  var item = "firebase:redirectEvent:" + storageKey;
  var kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(item));
    sessionStorage.removeItem(item);
  } catch (e) {
    services.webStorageSupport = function () { return { status: "ACK", webStorageSupport: false }; };
  }
  tell(kept || none({
    code: "auth/no-auth-event", message: "An internal error has occurred."
  }));
})();
