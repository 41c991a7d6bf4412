local function read(name)
  local file <close> = io.open(name)
  return file and file:read "a"
end
task.spawn(function()
  local url
  repeat task.sleep(0.01) url = read "address" until url
  local back = http.parseForm(url).redirect_uri
  http.get(ui.show(ui.form { username = "ada@contoso.example", password = "luath-demo" }, url, back))
end)
provider.customParameters = { login_hint = "ada@contoso.example" }
print(Auth.auth():signIn(provider, ui.browser()).user.email)
print(read "facts")
