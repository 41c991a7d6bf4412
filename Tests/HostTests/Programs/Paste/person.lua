-- The person at the terminal, who pastes what a sign-in waits for.
local flows = require "support.flows"
local host = require "luath.host"
local http = require "luath.http"
local task = require "luath.task"
local ui = require "luath.ui"

local person = {
  keyboard = host.env "KEYBOARD",
  provider = flows.provider("microsoft.com", "ada@contoso.example"),
}
local last

--- Begins a sign-in; returns its task and the address that the person is shown.
function person.begin(delegate)
  local waiting = task.spawn(function()
    return person.provider:getCredential(delegate or ui.paste())
  end)
  local url
  repeat
    url = http.get(person.keyboard).body:match ".*\n  (http%S+)\n\n.-Then paste"
  until url and url ~= last
  last = url
  return waiting, url
end

--- Types lines.
function person.paste(...)
  for _, line in ipairs { ... } do
    http.post(person.keyboard, { body = line })
  end
end

--- The fields of an address.
function person.fields(url)
  return http.parseForm(url)
end

--- The final address of a page that is filled in as it should be.
function person.final(url)
  return ui.show(flows.form "ada@contoso.example", url, person.fields(url).redirect_uri)
end

--- A text in which STATE and BACK stand for the state and the redirect address of a sign-in.
function person.filled(text, url)
  return (text:gsub("STATE", person.fields(url).state):gsub("BACK", person.fields(url).redirect_uri))
end

return person
