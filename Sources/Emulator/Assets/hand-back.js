function show(text) {
  var place = document.getElementById("problem");
  place.textContent = text;
  place.hidden = false;
  place.focus();
}
function toFrame(flow, event) {
  var frames = window.opener ? window.opener.frames : [];
  for (var i = 0; i < frames.length; i++) {
    var query;
    // Frames of other origins are none of ours, and say so by throwing.
    try { query = new URLSearchParams(frames[i].location.search); } catch (e) { continue; }
    if (query.get("apiKey") !== flow.apiKey || query.get("appName") !== flow.appName) continue;
    frames[i].postMessage({
      eventType: "sendAuthEvent", eventId: String(Math.floor(Math.random() * 1e20)),
      data: { authEvent: event, storageKey: flow.apiKey + ":" + flow.appName }
    }, location.origin);
    return true;
  }
  return false;
}
function toAndroid(flow, event) {
  var enc = encodeURIComponent;
  location.assign("intent://firebase.auth/#Intent;scheme=genericidp;package=" + enc(flow.apn) +
    ";S.authType=" + enc(event.type) + ";S.eventId=" + enc(event.eventId) +
    (event.error ? ";S.firebaseError=" + enc(JSON.stringify(event.error))
      : ";S.link=" + enc(event.urlResponse)) +
    ";B.encryptionEnabled=false;S.browser_fallback_url=" +
    enc(location.origin + "/__/auth/handler") + ";end;");
}
function toApple(flow, event) {
  var base = flow.clientId ? flow.clientId.split(".").reverse().join(".") + "://firebaseauth"
    : flow.appId ? "app-" + flow.appId.replace(/:/g, "-") + "://firebaseauth"
    : flow.ibi + "://google";
  var callback = new URLSearchParams({ authType: event.type, eventId: event.eventId });
  if (event.error) callback.set("firebaseError", JSON.stringify(event.error));
  else callback.set("link", event.urlResponse);
  openApp(base + "/link?deep_link_id=" +
    encodeURIComponent(location.origin + "/__/auth/callback?" + callback));
}
// Leads to an app's own scheme: to no web page, and to nothing that the browser would run or show here.
function openApp(address) {
  var scheme = (/^([a-z][a-z0-9+.-]*):/i.exec(address) || [])[1];
  var browsers =
    /^(javascript|vbscript|data|blob|about|file|filesystem|view-source|https?|wss?|ftp)$/i;
  if (!scheme || browsers.test(scheme)) {
    return show("The address of this page does not name how to open the app: clientId, appId or "
      + "ibi is missing.");
  }
  location.assign(address);
}
function handBack(flow, event) {
  event = Object.assign({
    type: flow.authType, eventId: flow.eventId, urlResponse: null, sessionId: null,
    postBody: null, tenantId: flow.tenantId, error: null
  }, event);
  if (flow.apn) return toAndroid(flow, event);
  if (!flow.appName) return toApple(flow, event);
  if (/popup/i.test(flow.authType)) {
    if (!toFrame(flow, event)) {
      show("The app that opened this window cannot be reached. Close the window and try again.");
    }
    return;
  }
  if (!flow.redirectUrl) {
    return show("The address of this page has no redirectUrl, to which the sign-in could return.");
  }
  if (!isAuthorized(flow.redirectUrl)) return show(unauthorized(flow.redirectUrl).message);
  sessionStorage.setItem("firebase:redirectEvent:" + flow.apiKey + ":" + flow.appName,
    JSON.stringify(event));
  location.assign(flow.redirectUrl);
}
function flowOf(query) {
  var flow = {};
  ["apiKey", "appName", "authType", "providerId", "redirectUrl", "scopes", "eventId", "apn",
    "ibi", "clientId", "appId", "sessionId", "customParameters"].forEach(function (name) {
      flow[name] = query.get(name) || null;
    });
  flow.tenantId = query.get("tid") || query.get("tenantId") || null;
  return flow;
}
