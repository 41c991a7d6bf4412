for _, name in ipairs { "one", "two" } do
  journey(name, function()
    expect.isNil(_G.leak)
    expect.isNil(rawget(string, "leak"))
    expect.equal(("x"):rep(2), "xx")
    expect.isNil(Auth.auth().currentUser)
    expect.equal(#require("luath.emulator").oobCodes(), 0)
    Auth.auth():createUser("ada@luath.example", "correct horse")
    Auth.auth():sendPasswordReset("ada@luath.example")
    _G.leak, string.leak, string.rep = 1, 1, nil
    leak = 1
    task.spawn(task.sleep, 100):cancel()
    require("luath.emulator").advance(3600)
    say(tostring(math.abs(os.time() - Auth.auth().currentUser.metadata.creationDate // 1000) < 600))
  end)
end
