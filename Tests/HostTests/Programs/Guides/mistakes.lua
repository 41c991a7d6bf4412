-- What a reader who knows only Firebase's SDKs may type, and the line that the error shows.
--
-- Each item is the wrong code, and the whole line that follows `write ` in the hint; or `says`, if no line is
-- certain. `at` is the code under which the caret stands, `line` its line if that is not 1.
local raises = "pcall returns them, as in local ok, err = pcall(auth.signIn, auth, credential)"
local mistakes = {
  -- Swift.
  {
    'let credential = provider.getCredential()',
    "local credential = provider:getCredential()", at = "let",
  },
  {
    'var provider = OAuthProvider(providerID: "microsoft.com")',
    'local provider = Auth.OAuthProvider{ providerID = "microsoft.com" }', at = "var",
  },
  {
    'provider.customParameters = [\n  "prompt": "consent",\n  "login_hint": "user@firstadd.onmicrosoft.com"\n]',
    'provider.customParameters = { prompt = "consent", login_hint = "user@firstadd.onmicrosoft.com" }', at = "[",
  },
  {
    'provider.scopes = ["mail.read", "calendars.read"]',
    'provider.scopes = { "mail.read", "calendars.read" }', at = "[",
  },
  {
    "provider.getCredentialWith(nil) { credential, error in\n}",
    "local credential = provider:getCredentialWith(nil)", at = "{",
  },
  {
    "Auth().signIn(with: credential) { authResult, error in\n}",
    "local authResult = Auth():signIn{ with = credential }", at = "with",
  },
  {
    "Auth().currentUser.link(withCredential: credential) { authResult, error in\n}",
    "local authResult = Auth().currentUser:link{ withCredential = credential }",
  },
  {
    "Auth.auth().currentUser?.linkAndRetrieveData(with: pendingCred) { result, error in\n}",
    "local result = Auth.auth().currentUser:linkAndRetrieveData{ with = pendingCred }", at = "?.",
  },
  {
    "Auth.auth().fetchProviders(forEmail:existingAcctEmail) { providers, error in",
    "local providers = Auth.auth():fetchProviders{ forEmail = existingAcctEmail }",
  },
  {
    "Auth.auth().signIn(withEmail:existingAcctEmail, password:password) { user, error in\n}",
    "local user = Auth.auth():signIn{ withEmail = existingAcctEmail, password = password }.user",
  },
  {
    "if (error as NSError?)?.code == AuthErrorCode.accountExistsWithDifferentCredential.rawValue {\n}",
    "if error and error.code == Auth.ErrorCode.accountExistsWithDifferentCredential then\nend", at = "as",
  },
  {
    "let email = (error! as NSError).userInfo[AuthErrorUserInfoEmailKey] as! String",
    "local email = error.userInfo[Auth.AuthErrorUserInfoEmailKey]",
  },
  { "if (providers?.contains(EmailAuthProviderID))! {\n}", "if providers:contains(Auth.EmailAuthProviderID) then end" },
  { "if user != nil then end", "if user ~= nil then end", at = "!=" },
  { "if let user = Auth.auth().currentUser {\n}", "local user = Auth.auth().currentUser; if user then end", at = "let" },
  {
    "guard let user = auth.currentUser else { return }",
    "local user = auth.currentUser; if not user then return end", at = "guard",
  },
  { "do {\n  try firebaseAuth.signOut()\n} catch {\n}", "local ok, error = pcall(firebaseAuth.signOut, firebaseAuth)\nif not ok then end" },
  { "} catch let signOutError as NSError {", "if not ok then", at = "catch" },
  { "try auth.signOut()", "local ok, err = pcall(auth.signOut, auth)", at = "try" },
  { "let result = try await auth.signIn(with: credential)", "local result = auth:signIn{ with = credential }" },
  { "let r = try? auth.signIn(with: c)", "local ok, r = pcall(auth.signIn, auth, { with = c })" },
  { "let x: String? = nil", "local x = nil" },
  { "print(user!.email!)", "print(user.email)", at = "!" },
  { 'print("Hello \\(user.email)")', 'print(("Hello %s"):format(user.email))' },
  { "func f(a: String, with b: Int) -> Bool {\n}", "local function f(a, b) end", at = "func" },
  { "for provider in providers {\n}", "for _, provider in ipairs(providers) do end" },
  { "switch error.code {\ncase .wrongPassword:", "if error.code == Auth.ErrorCode.wrongPassword then", at = "switch" },
  {
    "Auth.auth().addStateDidChangeListener { auth, user in",
    "Auth.auth():addStateDidChangeListener(function(auth, user)",
  },
  { "user.delete { error in\n}", "user:delete()" },
  { "import FirebaseAuth", 'local Auth = require "luath.auth"', at = "import" },
  { "private let auth = Auth.auth()", "local auth = Auth.auth()" },
  { "local n = a ?? b", "local n = a or b", at = "??" },

  -- Objective-C.
  {
    'FIROAuthProvider *provider = [FIROAuthProvider providerWithProviderID:@"microsoft.com"];',
    'local provider = Auth.OAuthProvider("microsoft.com")', at = "FIROAuthProvider",
  },
  {
    '[provider setCustomParameters:@{@"prompt": @"consent", @"login_hint": @"user@x.example"}];',
    'provider:setCustomParameters{ prompt = "consent", login_hint = "user@x.example" }', at = "[",
  },
  { 'provider.customParameters = @{@"tenant": @"TENANT_ID"};', 'provider.customParameters = { tenant = "TENANT_ID" }' },
  { '[provider setScopes:@[@"mail.read", @"calendars.read"]];', 'provider:setScopes{ "mail.read", "calendars.read" }' },
  {
    "[provider getCredentialWithUIDelegate:nil\n completion:^(FIRAuthCredential *_Nullable c, NSError *_Nullable e) {",
    "local c = provider:getCredentialWithUIDelegate(nil)",
  },
  {
    "[[FIRAuth auth] signInWithCredential:credential\n completion:^(FIRAuthDataResult *_Nullable r, NSError *e) {\n}];",
    "local r = Auth.auth():signInWithCredential(credential)",
  },
  {
    "[[FIRAuth auth].currentUser\n  linkWithCredential:credential\n  completion:^(FIRAuthDataResult * _Nullable r, NSError * e) {\n}];",
    "local r = Auth.auth().currentUser:linkWithCredential(credential)",
  },
  {
    "if (error.code == FIRAuthErrorCodeAccountExistsWithDifferentCredential) {\n  print(1)\n}\nprint(2)",
    "if error.code == Auth.ErrorCode.accountExistsWithDifferentCredential then\n  print(1)\nend", at = "{",
  },
  {
    "NSString *email = error.userInfo[FIRAuthErrorUserInfoEmailKey];",
    "local email = error.userInfo[Auth.FIRAuthErrorUserInfoEmailKey]",
  },
  {
    "if ( [providers containsObject:FIREmailAuthProviderID] ) {\n}",
    "if providers:containsObject(Auth.FIREmailAuthProviderID) then end",
  },
  { "NSError *signOutError;", "local signOutError" },
  {
    "BOOL status = [[FIRAuth auth] signOut:&signOutError];",
    "local status, signOutError = pcall(Auth.auth().signOut, Auth.auth())",
  },
  { "if (!status) {\n}", "if not status then end", at = "!" },
  { 'NSLog(@"Error signing out: %@", signOutError);', 'print(("Error signing out: %s"):format(signOutError))' },
  { "[user deleteWithCompletion:^(NSError *error) {", "user:delete()" },
  { "@import FirebaseAuth;", 'local Auth = require "luath.auth"' },

  -- JavaScript.
  { "const auth = getAuth();", "local auth = Auth.auth()", at = "const" },
  { 'const provider = new OAuthProvider("microsoft.com");', 'local provider = Auth.OAuthProvider("microsoft.com")' },
  {
    'provider.setCustomParameters({ prompt: "consent", tenant: "TENANT_ID" });',
    'provider:setCustomParameters{ prompt = "consent", tenant = "TENANT_ID" }', at = "prompt",
  },
  {
    "signInWithPopup(auth, provider)\n  .then((result) => {\n  })",
    "local result = Auth.signInWithPopup(auth, provider)", at = "then", line = 2,
  },
  { "const result = await signInWithPopup(auth, provider);", "local result = Auth.signInWithPopup(auth, provider)" },
  { "auth.signOut().catch((error) => {\n})", "local ok, error = pcall(auth.signOut, auth)", at = "catch" },
  { "auth:signOut().then(() => {\n})", "auth:signOut()", at = "then" },
  {
    "const credential = OAuthProvider.credentialFromResult(result);",
    "local credential = Auth.OAuthProvider.credentialFromResult(result)",
  },
  {
    'if (error.code === "auth/account-exists-with-different-credential") {\n}',
    'if error.webCode == "auth/account-exists-with-different-credential" then end', at = "===",
  },
  { "if error.code !== null then end", "if error.code ~= nil then end", at = "!==" },
  { "const email = user?.email", "local email = user and user.email" },
  { "auth:signIn(credential!)", "auth:signIn(credential)", at = "!" },
  { "auth:signIn(with: credential)", "auth:signIn{ with = credential }", at = "with" },
  { "if error && error.code then end", "if error and error.code then end", at = "&&" },
  { "if !user || other then end", "if not user or other then end", at = "!" },
  { "if (user) return;", "if user then return end", at = "if" },
  { "throw error;", "error(error)", at = "throw" },
  { 'throw new Error("no user")', 'error("no user")', at = "throw" },
  { 'import { getAuth } from "firebase/auth";', 'local Auth = require "luath.auth"', at = "import" },
  {
    "onAuthStateChanged(auth, (user) => {\n})", "Auth.onAuthStateChanged(auth, function(user) end)",
  },
  { "const text = `Hello ${user.email}`", 'local text = ("Hello %s"):format(user.email)' },
  { "for (const p of user.providerData) {\n}", "for _, p in ipairs(user.providerData) do end", at = "for" },
  { "list.forEach(x => {\n})", "for _, x in ipairs(list) do end" },
  { "local x = null", "local x = nil", at = "null" },
  { "async function f(a) {\n}", "local function f(a) end", at = "async" },
  { "const f = async (a) => {\n}", "local f = function(a) end" },
  { "const { user } = result;", "local user = result.user" },
  { "firebase.auth().signInWithPopup(provider)", "Auth.auth():signInWithPopup(provider)" },
  { "getAdditionalUserInfo(result)", "result.additionalUserInfo" },
  { "local count = 0 count += 1", "local count = 0 count = count + 1", at = "+=" },
  { "count++", "count = count + 1", at = "++" },
  { "local user = await auth:signIn(credential)", "local user = auth:signIn(credential)", at = "await" },
  { 'print("Hi " + user.email!)', 'print("Hi " .. user.email)', at = "!" },
  { "return x ? 1 : 2", "return x and 1 or 2", at = "?" },

  -- Whole blocks, whose errors are checked.
  {
    "provider.getCredentialWith(nil) { cred, error in\n  if error != nil {\n    // Handle error.\n    return\n  }\n"
      .. "  print(cred!)\n}",
    "local ok, cred = pcall(provider.getCredentialWith, provider, nil)\nif not ok then\n  -- Handle error.\n"
      .. "  return\nend\nprint(cred)", at = "{",
  },
  {
    "user.getIDToken { token, error in\n  guard let token = token, error == nil else {\n    print(error!)\n"
      .. "    return\n  }\n  print(token)\n}",
    "local ok, token = pcall(user.getIDToken, user)\nlocal error = not ok and token\nif not ok then\n"
      .. "  print(error)\n  return\nend\nprint(token)",
  },
  {
    "auth.signIn(with: c) { result, error in\n  if let error = error as NSError?, error.code == .wrongPassword {\n"
      .. "    print(1)\n  } else if let user = result?.user {\n    print(user)\n  }\n}",
    "local ok, result = pcall(auth.signIn, auth, { with = c })\nlocal error = not ok and result\n"
      .. "if not ok and error.code == Auth.ErrorCode.wrongPassword then\n  print(1)\nelse\n"
      .. "  local user = ok and result.user; if user then print(user) end\nend",
  },
  {
    "// Sign in. provider.getCredentialWith(nil) { c, error in if error != nil { // Handle error. } }",
    "-- Sign in.\nlocal ok, c = pcall(provider.getCredentialWith, provider, nil)\nif not ok then\n"
      .. "  -- Handle error.\nend",
  },
  {
    "const cred = await provider.getCredential();\nif (err) {\n  console.log(err);\n}",
    "local ok, cred = pcall(provider.getCredential, provider)\nlocal err = not ok and cred\n"
      .. "if not ok then print(err) end", at = "const",
  },
  {
    "local cred = provider:getCredential()\nif error != nil then\n  return\nend",
    "local ok, cred = pcall(provider.getCredential, provider)\nif not ok then return end", at = "error", line = 2,
  },
  {
    'local p = require("luath.auth").OAuthProvider("google.com")\nlocal cred = p:getCredential()\n'
      .. "if error ~= nil then\n  print(error)\nend",
    "local ok, cred = pcall(p.getCredential, p)\nlocal error = not ok and cred\n"
      .. "if not ok then print(error) end", at = "error", line = 3,
  },
  {
    "try {\n  const r = await auth.signIn(c);\n  console.log(r.user);\n} catch (e) {\n  console.error(e);\n}",
    "local ok, e = pcall(function()\n  local r = auth:signIn(c)\n  print(r.user)\nend)\nif not ok then print(e) end",
    at = "const", line = 2,
  },
  {
    "auth.signIn(c)\n  .then((result) => {\n    console.log(result.user);\n  })\n  .catch((error) => {\n"
      .. "    console.log(error.code);\n  });",
    "local ok, result = pcall(auth.signIn, auth, c)\nif ok then\n  print(result.user)\nelse\n"
      .. "  local error = result\n  print(error.code)\nend", at = "then", line = 2,
  },
  {
    "do\n  try auth:signOut()\ncatch signOutError\n  print(signOutError)\nend",
    "local ok, signOutError = pcall(function() auth:signOut() end)\nif not ok then print(signOutError) end",
    at = "try", line = 2,
  },
  {
    "provider:getCredentialWith(nil) function(c, error)\n  if error then print(error) end\nend",
    "local ok, c = pcall(provider.getCredentialWith, provider, nil)\nlocal error = not ok and c\n"
      .. "if not ok then print(error) end",
  },
  {
    "Task {\n  do {\n    let r = try await auth.signIn(with: c)\n    print(r)\n  } catch {\n    print(error)\n  }\n}",
    "local ok, error = pcall(function()\n  local r = auth:signIn{ with = c }\n  print(r)\nend)\n"
      .. "if not ok then print(error) end", at = "Task",
  },
  {
    "async function f() {\n  try {\n    return await auth.signIn(c);\n  } catch (e) {\n    g(e);\n  }\n}",
    "local function f()\n  local ok, e = pcall(function() return auth:signIn(c) end)\n"
      .. "  if not ok then g(e) end\n  if ok then return e end\nend",
  },
  { "if (a) {\n  f()\n} else if (b) {\n  g()\n}", "if a then\n  f()\nelseif b then g() end" },
  { 'auth.signIn(withEmail: "a@b.example", password: "password123")',
    'auth:signIn{ withEmail = "a@b.example", password = "password123" }', },

  -- Blocks and comments of all of them.
  { "// a comment here", "-- a comment here" },
  { "local a = 1\n// comment", "-- comment", line = 2 },
  { "/* a comment */", "-- a comment" },
  { "} else {", "else", at = "}" },
  { "} else if (a === b) {", "elseif a == b then", at = "}" },
  { "local a = 1\nif a then\nelse if b then\nend", "elseif b then", at = "else", line = 3 },
  { "while (x) {\n}", "while x do end" },
  { "function f(a, b) {\n}", "local function f(a, b) end" },
  { "}", "end", at = "}" },
  { "});", says = "delete this line", at = "}" },
  { "class A {\n}", says = "Lua has functions and tables in place of a class", at = "class" },
  { "local a = 1\nif error ~= nil then\nend", says = raises, at = "error", line = 2 },
  { "print(error.code)", says = raises, at = "error" },
  { "import UIKit", says = "luath needs no such import: delete this line", at = "import" },
}

for index = 1, #mistakes do
  local mistake = mistakes[index]
  mistakes[index] = {
    code = mistake[1], write = mistake[2], says = mistake.says, at = mistake.at, line = mistake.line or 1,
  }
end
return mistakes
