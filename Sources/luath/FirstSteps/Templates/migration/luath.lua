-- The project that the batch is about. The file is data: a table, made without any function.

return {
  project = {
    id = "demo-migration",
    providers = { ["password"] = {}, ["microsoft.com"] = {} },
  },

  targets = {
    -- The emulator to try it on, as README.md starts it.
    trial = { projectId = "demo-migration", emulatorHost = "127.0.0.1:9099" },

    -- The real project: the key of a service account is taken from GOOGLE_APPLICATION_CREDENTIALS.
    -- production = { projectId = "my-project", apiKeyVariable = "PRODUCTION_API_KEY" },
  },
}
