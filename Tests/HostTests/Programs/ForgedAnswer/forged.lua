local ways = require "ForgedAnswer.ways"
local barbara, corp, field, honest = ways.barbara, ways.corp, ways.field, ways.honest
local way = ways[given.way]
local used
corp:signIn(way(function(url) used = honest(url) return used end))
local function changed(name, value) return function(url)
  local final = honest(url)
  local fields = http.parseForm(final)
  fields[name] = value
  return final:match "^[^?#]*" .. "?" .. http.form(fields)
end end
local tokens = {
  -- The tab of another sign-in, and this one's with another state.
  { "webStateMismatch", function(url) return field(url, "redirect_uri") .. "?" .. used:match "?(.*)" end },
  { "webStateMismatch", changed("state", "forged") },
  -- A server in the place of the one that was asked (RFC 9207).
  { "wrongIssuer", changed("iss", "https://evil.example") },
  -- A code that was used.
  { "refused", changed("code", field(used, "code")) },
  { "refused", changed("code", "guessed") },
}
for index, case in ipairs(tokens) do
  local ok, err = pcall(corp.signIn, corp, way(case[2]))
  assert(not ok and err.code == case[1], index .. ": " .. tostring(ok or err))
  assert(not tostring(err):find("guessed", 1, true) and not tostring(err):find("forged", 1, true))
end
-- An ID token of another sign-in: its nonce is not this one's.
local function implicit(url)
  local other = corp:begin { responseType = "id_token", redirectURI = field(url, "redirect_uri") }
  local fields = http.parseForm(ui.show(barbara, other.url, other.redirectURI))
  fields.state = field(url, "state")
  return field(url, "redirect_uri") .. "#" .. http.form(fields)
end
local ok, err = pcall(corp.signIn, corp, way(implicit), { responseType = "id_token" })
assert(not ok and err.code == "wrongNonce", tostring(ok or err))
equal(corp:signIn(way(honest)).claims.email, "barbara@corp.example")
