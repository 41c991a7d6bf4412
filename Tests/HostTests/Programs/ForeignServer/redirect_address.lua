local foreign = require "ForeignServer.client"
local client, ada, back = foreign.client, foreign.ada, foreign.back
local isBrowser = given.delegate == "webdriver"
-- Some servers refuse the address with status 200, and on pages without paragraphs.
local habits = isBrowser and {} or { whitelist = "redirect_uri", plain = "redirect_uri is not allowed" }
habits.answered = "redirect_uri"
habits.entra = "AADSTS50011: The redirect URI '" .. back .. "' specified in the request does not match"
habits.bare = "Invalid redirect uri"
habits.untitled = "The redirect_uri of the request is not registered."
for habit, words in pairs(habits) do
  local corp = client("/" .. habit)
  local err = refused("webRedirectNotRegistered", corp.signIn, corp, ada(given.delegate))
  assert(err.message:find(words, 1, true), habit .. ": " .. err.message)
  assert(err.hint:find("register", 1, true) and err.hint:find(back, 1, true), habit .. ": " .. err.hint)
end
local odd = client "/welcome"
refused("webPageUnusable", odd.signIn, odd, ada(given.delegate))
