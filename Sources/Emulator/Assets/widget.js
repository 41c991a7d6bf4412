var flow = flowOf(new URLSearchParams(location.search));
if (!flow.appName && !flow.clientId && !flow.appId && !flow.apn && !flow.ibi) {
  show("The address of this page names no app: appName, clientId, appId, apn or ibi is missing.");
}
function digits(count) {
  var bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, function (byte) { return String(byte % 10); }).join("");
}
function field(id) { return document.getElementById(id); }
function finish(person) {
  var claims = {
    sub: person.sub || digits(40), iss: "", aud: "", exp: 0, iat: 0,
    name: person.name || undefined, screen_name: person.screenName || undefined,
    email: person.email || undefined, email_verified: field("verified").checked,
    picture: person.picture || undefined
  };
  var answer = new URLSearchParams({
    providerId: flow.providerId, id_token: JSON.stringify(claims)
  });
  if (field("attributes")) {
    var attributes;
    try { attributes = JSON.parse(field("attributes").value || "null"); } catch (e) {
      return show("The SAML attributes are not valid JSON.");
    }
    answer.set("SAMLResponse", JSON.stringify({ assertion: {
      subject: { nameId: person.email || claims.sub }, attributeStatements: attributes || undefined
    } }));
  }
  handBack(flow, {
    urlResponse: location.origin + location.pathname + "?" + String(answer).replace(/\+/g, "%20"),
    sessionId: "ValueNotUsedByAuthEmulator", postBody: ""
  });
}
document.querySelectorAll("[data-person]").forEach(function (button) {
  button.addEventListener("click", function () { finish(JSON.parse(button.dataset.person)); });
});
field("new").addEventListener("submit", function (event) {
  event.preventDefault();
  finish({
    email: field("email").value, name: field("name").value,
    screenName: field("screenName").value, picture: field("picture").value
  });
});
field("generate").addEventListener("click", function () {
  var number = digits(6);
  field("email").value = "user" + number + "@example.com";
  field("name").value = "User " + number;
  field("screenName").value = "user" + number;
  field("email").focus();
});
field("refuse").addEventListener("click", function () {
  handBack(flow, { error: {
    code: "auth/user-cancelled", message: "The user denied the sign-in."
  } });
});
