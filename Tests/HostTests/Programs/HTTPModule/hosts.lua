local page = http.get "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
equal(page.status, 200)
equal(http.get("https://accounts.google.com/.well-known/openid-configuration").status, 200)
equal(http.get("https://api.login.yahoo.com/.well-known/openid-configuration").status, 200)
equal(http.get("https://graph.microsoft.com/v1.0/other").status, 404)
