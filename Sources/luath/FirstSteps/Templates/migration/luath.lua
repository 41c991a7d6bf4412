-- The project whose accounts the batch changes. The file is data: a table, without calls of
-- functions.

return {
  project = {
    id = "demo-migration",
    providers = { ["password"] = {}, ["microsoft.com"] = {} },

    -- The test user by whom seed.lua recognizes an emulator that was started in this folder. Each
    -- project has another address.
    people = {
      { email = "trial-MARKER@migration.example", name = "Trial", password = "luath-demo" },
    },
  },

  targets = {
    -- The emulator for trials, as README.md starts it. It has its own port, so that nothing here
    -- reaches another emulator.
    trial = { projectId = "demo-migration", emulatorHost = "127.0.0.1:9700" },

    -- The real project: GOOGLE_APPLICATION_CREDENTIALS names the key of a service account.
    -- production = { projectId = "my-project", apiKeyVariable = "PRODUCTION_API_KEY" },
  },
}
