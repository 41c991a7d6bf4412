for message, words in pairs {
  ["INVALID_EMAIL : a: b : c"] = ": a: b : c", ["INVALID_EMAIL:a"] = ": a",
  ["INVALID_EMAIL : ((the emulator's words))"] = ": the emulator's words",
  [" INVALID_EMAIL "] = "the e-mail address is badly formed",
} do
  fails("signUp", message)
  local err = refused("invalidEmail", auth.signInAnonymously, auth)
  equal(err.serverName, "INVALID_EMAIL")
  equal(err.message:sub(-#words), words)
end
