local one = provider("microsoft.com", "ada@contoso.example")
for path, code in pairs { ["/maze"] = "webContextTimedOut", ["/circle"] = "webContextTimedOut",
  ["/blank"] = "webPageUnusable", ["/again"] = "webCredentialsRefused",
  ["/nowhere"] = "webSignInUserInteractionFailure" } do
  refused(code, ui.show, form "ada@contoso.example", given.pages .. path, "http://127.0.0.1:8910/callback")
end
local ok, err = pcall(ui.show, form "ada@contoso.example", "http://127.0.0.1:1/", "http://127.0.0.1:8910/callback")
equal(err.code, "webNetworkRequestFailed")
mistake("http or https", ui.show, form "a", "mailto:x", "http://127.0.0.1/")
mistake("http or https", ui.show, form "a", "http://127.0.0.1/", "x")
