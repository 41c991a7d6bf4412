-- Several calls wait for the answer to one question.
local real = Auth.auth { target = "real" }
refused("networkError", real.fetchProviders, real, "ada@example.com")
task.all {
  function() refused(given.code, real.signInAnonymously, real) end,
  function() refused(given.code, real.createUser, real, "ada@example.com", "correct horse") end,
}
refused(given.code, real.signInAnonymously, real)
