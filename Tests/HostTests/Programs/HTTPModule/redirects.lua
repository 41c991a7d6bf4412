local first, word = given.first, host.secret "WORD"
local headers = {
  Authorization = "Bearer a", Cookie = "a=b", ["X-Api-Key"] = "k", ["X-Goog-Api-Key"] = "k",
  ["X-Session-Token"] = "t", ["X-Note"] = "by " .. word, ["X-Basic"] = crypto.base64("a:" .. word),
  ["X-Database"] = "tulips&roses", ["X-Own"] = "a password that nobody named", Accept = "text/plain",
  ["User-Agent"] = "tool " .. word,
}
equal(http.get(first .. "/302", { headers = headers, redirects = 1 }).body, "here")
equal(http.get(first .. "/302", { bearer = "b", redirects = 1 }).body, "here")
for _, status in ipairs { "/307", "/308" } do
  local body = { json = { password = word }, redirects = 1 }
  local err = refused("bodyRedirected", http.post, first .. status, body)
  assert(err.hint:find("redirectBody = true", 1, true), err.hint)
  body.redirectBody = true
  equal(http.post(first .. status, body).body, "here")
end
equal(http.post(first .. "/302", { form = { a = "b" }, redirects = 1 }).body, "here")
