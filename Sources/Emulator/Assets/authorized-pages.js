"use strict";
function isAuthorized(address) {
  var url;
  try { url = new URL(address); } catch (e) { return false; }
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  var list = document.querySelector("meta[name=authorized-domains]");
  if (!list || url.origin === location.origin) return true;
  return JSON.parse(list.content).some(function (domain) {
    if (url.hostname === domain) return true;
    return !/^[\d.]+$|^\[/.test(domain) && url.hostname.endsWith("." + domain);
  });
}
function unauthorized(address) {
  var place = address;
  try { place = new URL(address).hostname || address; } catch (e) {}
  return {
    code: "auth/unauthorized-domain",
    message: "The domain of " + place + " is not among the project's authorized domains."
  };
}
