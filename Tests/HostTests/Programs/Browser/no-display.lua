local one = provider("microsoft.com", "ada@contoso.example", { prompt = "consent" })
local err = refused("webBrowserUnavailable", one.getCredential, one,
  ui.browser { open = function() return false end })
equal(err.rawValue, 18143)
refused("webBrowserUnavailable", one.getCredential, one, ui.browser())
