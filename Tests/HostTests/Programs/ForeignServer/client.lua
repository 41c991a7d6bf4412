-- A client of the foreign server, and its user.
local host = require "luath.host"
local oidc = require "luath.oidc"
local ui = require "luath.ui"

local foreign = { base = host.env "SERVER", back = "http://127.0.0.1/callback" }

--- A client of the issuer at a path; `more` has further options.
function foreign.client(path, more)
  local all = { issuer = foreign.base .. path, clientID = "app", redirectURI = foreign.back }
  for name, value in pairs(more or {}) do
    all[name] = value
  end
  return oidc.client(all)
end

--- A delegate that answers as the user of the server; `more` has further answers.
function foreign.ada(delegate, more)
  local all = { username = "ada@idp.example", password = "correct horse" }
  for name, value in pairs(more or {}) do
    all[name] = value
  end
  return ui[delegate](all)
end

return foreign
