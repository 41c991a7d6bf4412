local http = require "luath.http"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local address = emulator.origin .. "/"

--- With an emulator, requests to the hosts of the providers (Microsoft Graph, Yahoo, Google) go to
--- the emulator, so a script needs no other addresses.

---@param url _ the whole address, http or https
---@return HTTPResponse response
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.get()
  local provider = Auth.OAuthProvider "microsoft.com"
  provider.scopes = { "user.read" }
  local token = provider:getCredential().accessToken
  local me = http.get("https://graph.microsoft.com/v1.0/me", { bearer = token }):json()
  print(me.displayName, me.userPrincipalName)
end

---@param url _ the whole address, http or https
---@return HTTPResponse response
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.post()
  local answer = http.post(emulator.origin .. "/emulator/v1/people", {
    bearer = "owner", json = { email = "vera@contoso.example", password = "stars" },
  })
  print(answer.status)
  assert(answer.ok)
end

---@param url _ the whole address, http or https
---@return HTTPResponse response
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.put()
  local answer = http.put(emulator.origin .. "/emulator/v1/faults", {
    bearer = "owner", json = { faults = {} },
  })
  print(answer.status)
  assert(answer.ok)
end

---@param url _ the whole address, http or https
---@return HTTPResponse response
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.patch()
  local answer = http.patch(emulator.origin .. "/emulator/v1/clock", {
    bearer = "owner", json = { advanceSeconds = 60 },
  })
  print(answer.status)
  assert(answer.ok)
end

---@param url _ the whole address, http or https
---@return HTTPResponse response
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.delete()
  local project = require("luath.host").projectID
  local answer = http.delete(
    emulator.origin .. "/emulator/v1/projects/" .. project .. "/accounts", { bearer = "owner" })
  print(answer.status)
  assert(answer.ok)
end

---@param url _ the whole address, http or https
---@return HTTPResponse response without a body
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.head()
  print(http.head(address).status)
end

---@param method _ such as GET or PURGE
---@param url _ the whole address, http or https
---@return HTTPResponse response
---@error resolve when the host's name is not known
---@error connect when nothing answers there
---@error tls when the server's certificate is not to be believed
---@error timedOut when it takes longer than `timeout`
---@error broken when the connection ends in the middle of the answer
---@error tooLarge when the answer has more bytes than `limit`
---@error tooManyRedirects when there are more than `redirects`
---@error bodyRedirected when a redirect would send the body to another origin without `redirectBody`
function http.request()
  local answer = http.request("OPTIONS", address, { headers = { Origin = "https://app.example" } })
  print(answer.status)
end

---@param fields _ the values by name
---@return string text
function http.form()
  print(http.form { grant_type = "refresh_token", scope = "openid email" })
  assert(http.form { a = "x&y" } == "a=x%26y")
end

---@param text _ form fields, a query, or an address with one
---@return table<string, string> fields the first of each name
function http.parseForm()
  local fields = http.parseForm "https://app.example/callback?code=4%2FabC&state=xyz"
  print(fields.code, fields.state)
  assert(fields.code == "4/abC")
end

---@class HTTPResponse

---@return any value
---@error invalidJSON when the body is not JSON
function HTTPResponse:json()
  local list = http.get(emulator.origin .. "/emulator/v1/people", { bearer = "owner" }):json()
  print(#list.people)
end

---@param name _ the field's name
---@return string? value
function HTTPResponse:header()
  print(http.get(address):header "content-type")
end
