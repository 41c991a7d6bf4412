var kept = "luath:flow";
var query = new URLSearchParams(location.search);
function fail(code, message) {
  show(message);
  return { error: { code: code, message: message } };
}
function start(flow) {
  // Checked before anybody signs in, and again where the sign-in is handed over.
  if (flow.appName && !flow.apn && flow.redirectUrl && !isAuthorized(flow.redirectUrl)) {
    return show(unauthorized(flow.redirectUrl).message);
  }
  var request = { providerId: flow.providerId, continueUri: location.origin + "/__/auth/handler" };
  if (flow.sessionId) request.sessionId = flow.sessionId;
  if (flow.tenantId) request.tenantId = flow.tenantId;
  if (flow.customParameters) request.customParameter = JSON.parse(flow.customParameters);
  if (flow.scopes) {
    request.oauthScope = JSON.stringify({ [flow.providerId]: flow.scopes });
  }
  fetch("/identitytoolkit.googleapis.com/v1/accounts:createAuthUri?key=" +
    encodeURIComponent(flow.apiKey), {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request)
    }).then(function (response) { return response.json(); }).then(function (answer) {
      if (!answer.authUri) {
        var message = answer.error ? answer.error.message : "createAuthUri gave no address";
        return handBack(flow, fail("auth/internal-error", message));
      }
      // Phones know their session id themselves, and have sent its hash.
      if (!flow.sessionId) flow.startedSession = answer.sessionId;
      sessionStorage.setItem(kept, JSON.stringify(flow));
      location.replace(answer.authUri);
    }).catch(function () {
      handBack(flow, fail("auth/network-request-failed", "The emulator could not be reached."));
    });
}
function finish(flow) {
  sessionStorage.removeItem(kept);
  handBack(flow, {
    urlResponse: location.href, sessionId: flow.startedSession || null,
    postBody: field.value || null
  });
}
function end() {
  var address = location.href, answer = {};
  // What was posted is in no address: it takes the place of a fragment.
  if (field.value) address = address.split("#")[0] + "#" + field.value;
  [location.search.slice(1), location.hash.slice(1), field.value].forEach(function (text) {
    new URLSearchParams(text).forEach(function (value, name) { answer[name] = value; });
  });
  function part(id) { return document.getElementById(id); }
  if (answer.error) {
    part("outcome").textContent = "The sign-in failed";
    part("reason").textContent = answer.error +
      (answer.error_description ? ": " + answer.error_description : "");
    part("reason").hidden = false;
    part("advice").textContent = "Close this page, and start again in the program.";
  } else if (!answer.code && !answer.id_token && !answer.SAMLResponse) {
    part("outcome").textContent = "There is no sign-in here";
    part("advice").textContent = "Identity providers send the browser to this page after a sign-in.";
  }
  if (answer.state) {
    part("address").value = address;
    part("handover").hidden = false;
  }
  // Codes in the address bar end in histories and screenshots. Programs that drive the browser read it.
  if (!navigator.webdriver) history.replaceState(null, "", location.pathname);
  part("end").hidden = false;
  part("busy").hidden = true;
}
var field = document.getElementById("posted");
var started = sessionStorage.getItem(kept);
if (query.get("apiKey") && query.get("providerId")) {
  start(flowOf(query));
} else if (started) {
  finish(JSON.parse(started));
} else {
  end();
}
