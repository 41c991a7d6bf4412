journey("first", function()
  auth:createUser("ada@x.example", "correct horse")
  auth.languageCode = "fr"
  emulator.advance(1000)
  emulator.configure { enumerationProtection = false }
  leaked = true
end)
journey("second", function()
  assert(auth.currentUser == nil, "signed in")
  assert(auth.languageCode == nil, "a language")
  assert(rawget(_G, "leaked") == nil, "a global")
  local user = auth:createUser("ada@x.example", "correct horse").user
  assert(math.abs(user.metadata.creationDate / 1000 - os.time()) < 100, "another clock")
  local none, err = pcall(auth.fetchProviders, auth, "ada@x.example")
  assert(none and #err == 0, "the setting was kept")
end)
