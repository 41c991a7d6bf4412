local Auth, luath, ui = require "luath.auth", require "luath", require "luath.ui"
local password, wrong = "luath-demo", "Wrong-Horse+7"
for _, id in ipairs { "microsoft.com", "google.com", "yahoo.com", "oidc.corp" } do
  local provider = Auth.OAuthProvider(id)
  local seen
  local person = ({ ["yahoo.com"] = "yuki@yahoo.example", ["oidc.corp"] = "barbara@corp.example" })[id]
    or "ada@contoso.example"
  provider:getCredential(function(page)
    local final = ui.show(ui.form { username = person, password = password }, page.url, page.redirectURI)
    print(page.url)
    print(final)
    return final
  end)
  local _, err = luath.try(provider.getCredential, provider, ui.form { username = person, password = wrong })
  assert(err.code == "webCredentialsRefused", tostring(err))
  assert(err.details.saved:find "failed%.html$", tostring(err.details.saved))
  print("saved", err.details.saved)
  provider:getCredential()
end
