-- JavaScript with promises, requests and names of errors, and the whole code that the error shows.
--
-- Each item is the wrong code, and what follows `write ` in the hint. `at` is the code under which the caret stands,
-- `line` its line if that is not 1. No call may be missing in what is written.
local promise = "then"
local conflict = "auth/account-exists-with-different-credential"
local mistakes = {
  -- One line for each link of a chain.
  {
    "signIn(a).then((r) => linkWithCredential(r.user, c)).then(() => console.log(1));",
    "local r = signIn(a)\nAuth.linkWithCredential(r.user, c)\nprint(1)", at = promise,
  },
  {
    "signInWithPopup(auth, p).then(() => deleteUser(u)).then(() => signOut(auth));",
    "Auth.signInWithPopup(auth, p)\nAuth.deleteUser(u)\nAuth.signOut(auth)", at = promise,
  },
  {
    "auth.signIn(c).then(function(r) {\n  return r.user.link(d);\n"
      .. "}).then(function(linked) {\n  console.log(linked);\n});",
    "local r = auth:signIn(c)\nlocal linked = r.user:link(d)\nprint(linked)", at = promise,
  },
  {
    "auth.signIn(c).then((r) => r.user.link(d)).then((r) => f(r)).catch((e) => g(e)).finally(() => h());",
    "local ok, e = pcall(function()\n  local r = auth:signIn(c)\n  local r = r.user:link(d)\n  f(r)\nend)\n"
      .. "if not ok then g(e) end\nh()", at = promise,
  },
  {
    "const user = await auth.signIn(c).then((r) => r.user);",
    "local r = auth:signIn(c)\nlocal user = r.user", at = "const",
  },
  {
    "auth.signIn(c).then(({ user, credential }) => {\n  f(user);\n});",
    "local result = auth:signIn(c)\nlocal user, credential = result.user, result.credential\nf(user)", at = promise,
  },
  {
    "auth.signIn(c).then((r) => {\n  if (r.user) {\n    return f(r);\n  }\n}).then((x) => g(x));",
    "local r = auth:signIn(c)\nlocal x = (function()\n  if r.user then return f(r) end\nend)()\ng(x)", at = promise,
  },
  {
    "auth.signIn(p).catch(function(error) {\n  auth.f(error.email).then(function(list) {\n"
      .. "    auth.signIn(c).then(function(r) {\n      return r.user.link(d);\n    }).then(function() {\n"
      .. "      g(list);\n    });\n  });\n});",
    "local ok, error = pcall(auth.signIn, auth, p)\nif not ok then\n  local list = auth:f(error.email)\n"
      .. "  local r = auth:signIn(c)\n  r.user:link(d)\n  g(list)\nend", at = "catch",
  },

  -- An error that is raised again does not hide the function.
  {
    "try {\n  await auth.signIn(p);\n} catch (error) {\n  if (error.code !== '" .. conflict
      .. "') throw error;\n  f(error);\n}",
    "local ok, err = pcall(auth.signIn, auth, p)\nif not ok then\n  if err.webCode ~= '" .. conflict
      .. "' then error(err) end\n  f(err)\nend", at = "await", line = 2,
  },
  {
    "auth.signIn(p).catch((error) => {\n  if (error.code !== AuthErrorCodes.NEED_CONFIRMATION) throw error;\n});",
    "local ok, err = pcall(auth.signIn, auth, p)\nif not ok then\n  if err.webCode ~= \"" .. conflict
      .. "\" then error(err) end\nend", at = "catch",
  },

  -- Requests and tokens.
  {
    "const me = await (await fetch('https://a.example', "
      .. "{ headers: new Headers({ Authorization: `Bearer ${t}` }) })).json();",
    "local me = (require(\"luath.http\").get('https://a.example', { bearer = t })):json()", at = "const",
  },
  {
    "fetch(u, {\n  method: 'POST', body: JSON.stringify(x)\n}).then((r) => r.json()).then((me) => {\n  f(me);\n});",
    "local r = require(\"luath.http\").post(u, { json = x })\nlocal me = r:json()\nf(me)", at = "method", line = 2,
  },
  {
    "const { accessToken, idToken: id } = OAuthProvider.credentialFromResult(r);",
    "local credential = Auth.OAuthProvider.credentialFromResult(r)\n"
      .. "local accessToken, id = credential.accessToken, credential.idToken", at = "const",
  },
  {
    "let claims = JSON.parse(atob(c.idToken.split('.')[1]));",
    "local claims = require(\"luath.crypto\").claims(c.idToken)", at = "let",
  },
  { "let claims = jwtDecode(c.idToken);", "local claims = require(\"luath.crypto\").claims(c.idToken)", at = "let" },

  -- Other code.
  {
    "const r = signInWithPopup(auth, p);\nconsole.log(r.user.providerData.length);",
    "local r = Auth.signInWithPopup(auth, p)\nprint(#r.user.providerData)", at = "const",
  },
  {
    "let p = OAuthProvider(providerID: \"microsoft.com\")\n"
      .. "p.customParameters = [\"tenant\": \"8eaef023-2b34-4da1-9baa-8bc8c9d6a490\"]",
    "local p = Auth.OAuthProvider{ providerID = \"microsoft.com\" }\n"
      .. "p.customParameters = { tenant = \"8eaef023-2b34-4da1-9baa-8bc8c9d6a490\" }", at = "let",
  },
  { "var c = p.credential(t.idToken, null);", "local c = p:credential{ idToken = t.idToken }", at = "var" },
  {
    "p.setCustomParameters({\n  // Again.\n  prompt: 'login'\n});",
    "p:setCustomParameters{ prompt = 'login' }", at = "prompt", line = 3,
  },
  {
    "const password = \"correct horse\";\nf(\"" .. conflict .. "\", password)",
    "local password = \"correct horse\"", at = "const",
  },
  {
    "import { OAuthProvider } from 'firebase/auth';\n"
      .. "import { initializeApp } from 'firebase/app';\nconst p = new OAuthProvider('x.com');\np.addScope('a');",
    "local Auth = require \"luath.auth\"\nlocal p = Auth.OAuthProvider('x.com')\np:addScope('a')", at = "import",
  },
}

for index = 1, #mistakes do
  local mistake = mistakes[index]
  mistakes[index] = { code = mistake[1], write = mistake[2], at = mistake.at, line = mistake.line or 1 }
end
return mistakes
