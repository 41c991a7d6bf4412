-- What a reader of the SDKs may type that is Lua, and the line that the error shows.
--
-- Each item is the wrong line and the line to write in its place; `given` is code before it. Every line is put back
-- into its script, which then runs. Given are Auth, auth, json, the provider p, and the e-mail and password of an account.
local list = "local list = auth:fetchProviders(email)"
local signedIn = "auth:signIn(p)"
local result = "local r = auth:signIn(p)"
local mistakes = {
  -- pcall.
  { "local ok, err = pcall(auth:signIn(p))", "local ok, err = pcall(auth.signIn, auth, p)" },
  { "pcall(auth.signIn(auth, p))", "pcall(auth.signIn, auth, p)" },
  { "pcall(auth:signIn{ with = p })", "pcall(auth.signIn, auth, { with = p })" },
  { "pcall(auth:signIn, p)", "pcall(auth.signIn, auth, p)" },
  {
    "if pcall(auth:fetchProviders(email)) then print(1) end",
    "if pcall(auth.fetchProviders, auth, email) then print(1) end",
  },
  { "pcall(json.decode(text))", "pcall(json.decode, text)", given = "local text = '{}'" },
  { "xpcall(auth:signOut(), print)", "xpcall(auth.signOut, print, auth)" },
  { "pcall(Auth.auth():signOut())", "pcall(Auth.auth().signOut, Auth.auth())" },
  { "local f = auth:signIn", "local f = function(...) return auth:signIn(...) end" },
  { "local status = auth:signOut(nil)", "local status = auth:signOut()" },
  { 'p:setScopes("User.Read", "Mail.Read")', 'p:setScopes{ "User.Read", "Mail.Read" }' },
  {
    "auth:signInWithEmail(email, { password = password })",
    "auth:signInWithEmail{ email = email, password = password }",
  },
  { "print(auth:currentUser)", "print(auth.currentUser)" },

  { "local { user } = auth:signIn(p)", "local user = auth:signIn(p).user" },
  {
    "local { user, credential } = auth:signIn(p)",
    "local result = auth:signIn(p); local user, credential = result.user, result.credential",
  },
  { "local f = async function() end", "local f = function() end" },

  -- Lists and texts.
  { "print(list.length)", "print(#list)", given = list },
  { "local n = auth:fetchProviders(email).count", "local n = #auth:fetchProviders(email)" },
  { "print(list.first)", "print(list[1])", given = list },
  { 'p.scopes.append("mail.read")', 'table.insert(p.scopes, "mail.read")' },
  { 'p.scopes:push("mail.read")', 'table.insert(p.scopes, "mail.read")' },
  { "list.forEach(print)", "for _, item in ipairs(list) do print(item) end", given = list },
  {
    "list:forEach(function(id)\n  print(id)\nend)", "for _, id in ipairs(list) do print(id) end", given = list,
  },
  {
    "local names = list:map(tostring)",
    "local names = {} for index, item in ipairs(list) do names[index] = tostring(item) end", given = list,
  },
  { "print(email.toUpperCase())", "print(email:upper())" },
  { "for id in list do print(id) end", "for _, id in ipairs(list) do print(id) end", given = list },
  { 'print("to " + email)', 'print("to " .. email)' },
  { 'print("to " + email + "!")', 'print("to " .. email .. "!")' },
  {
    'print("name " .. auth.currentUser.phoneNumber)', 'print("name " .. tostring(auth.currentUser.phoneNumber))',
    given = signedIn,
  },

  -- Sign-in.
  { "auth:signIn(email, password)", "auth:signIn{ email = email, password = password }" },
  { "auth:signIn(p.providerID)", "auth:signIn(p)" },
  { "local m = Auth.MicrosoftAuthProvider()", 'local m = Auth.OAuthProvider("microsoft.com")' },
  { "auth.signIn(p)", "auth:signIn(p)" },
  { "auth:signIn(p):next(print)", "local result = auth:signIn(p)\nprint(result)" },
  { "local r = auth:signIn(p):andThen(print)", "local result = auth:signIn(p)\nlocal r = print(result)" },
  { "auth:signIn(p):catch(print)", "local ok, err = pcall(auth.signIn, auth, p)\nif not ok then print(err) end" },

  -- Users and results.
  { "print(auth:currentUser())", "print(auth.currentUser)", given = signedIn },
  { "print(auth.currentUser:uid())", "print(auth.currentUser.uid)", given = signedIn },
  { "auth:reload()", "auth.currentUser:reload()", given = signedIn },
  { "r:reload()", "r.user:reload()", given = result },
  { "print(r.email)", "print(r.user.email)", given = result },
  { "r.user:signOut()", "auth:signOut()", given = result },

  -- A dot in place of a colon.
  { 'json:decode("{}")', 'json.decode("{}")' },
  { "Auth:auth()", "Auth.auth()" },
  {
    "local c = Auth.EmailAuthProvider:credential(email, password)",
    "local c = Auth.EmailAuthProvider.credential(email, password)",
  },
}

for index = 1, #mistakes do
  local mistake = mistakes[index]
  mistakes[index] = { code = mistake[1], write = mistake[2], given = mistake.given }
end
return mistakes
