-- Delegates that bring a page back with whatever final address `answer` makes of its address.
local emulator = require "luath.emulator"
local flows = require "support.flows"
local host = require "luath.host"
local http = require "luath.http"
local oidc = require "luath.oidc"
local task = require "luath.task"
local ui = require "luath.ui"

local keyboard = host.env "KEYBOARD"
local visited, seen = {}, 0

local ways = {
  corp = oidc.client {
    issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/callback",
  },
  barbara = flows.form "barbara@corp.example",
}

--- A field of an address.
function ways.field(url, name)
  return http.parseForm(url)[name]
end

--- The final address of a page that is filled in as it should be.
function ways.honest(url)
  return ui.show(ways.barbara, url, ways.field(url, "redirect_uri"))
end

local function visit(address)
  local back, fragment = address:match "^([^#]*)#(.*)$"
  if fragment then
    return http.post(back:match "^[^?]*" .. "/fragment", { form = { address = "#" .. fragment } })
  end
  return http.get(address)
end

function ways.browser(answer)
  return ui.browser { open = function(url)
    task.spawn(function()
      visited[#visited + 1] = visit(answer(url)).status
    end)
  end }
end

function ways.paste(answer)
  task.spawn(function()
    local shown, url
    repeat
      shown = http.get(keyboard).body
      url = shown:sub(seen + 1):match "\n  (http%S+)\n.-Then paste"
    until url
    seen = #shown
    http.post(keyboard, { body = answer(url) })
  end)
  return ui.paste()
end

return ways
