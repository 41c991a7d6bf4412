-- The project that luath emulates, and the other places where the journeys can run.
--
-- The file is data: a table, made without any function. What is left out has a default.

return {
  project = {
    id = "demo-journeys",

    -- The ways to sign in. What is not listed is off, and refused with operationNotAllowed;
    -- "anonymous" with adminRestrictedOperation, as Firebase has it.
    -- The pages of providers are inside the emulator, so they need no client ID and no secret.
    providers = {
      ["password"] = {},
      ["google.com"] = {},
      ["microsoft.com"] = {},
    },
  },

  targets = {
    -- The emulator of Firebase's own tools, or a `luath emulator`: luath test --target shared
    shared = { projectId = "demo-journeys", emulatorHost = "127.0.0.1:9099" },

    -- A real project, by the configuration of one of its apps: luath test --target staging
    -- staging = { config = "GoogleService-Info.plist" },
  },
}
