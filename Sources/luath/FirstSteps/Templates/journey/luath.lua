-- The project that luath emulates, and the other targets of the journeys.
--
-- The file is data: a table, without calls of functions. Keys that are missing have defaults.

return {
  project = {
    id = "demo-journeys",

    -- The sign-in methods. Others are disabled: operationNotAllowed, or adminRestrictedOperation
    -- for "anonymous", as at Firebase. The login pages of providers are part of the emulator,
    -- so they need no client ID and no secret.
    providers = {
      ["password"] = {},
      ["google.com"] = {},
      ["microsoft.com"] = {},
    },
  },

  targets = {
    -- Firebase's emulator, or a `luath emulator`: luath test --target shared
    shared = { projectId = "demo-journeys", emulatorHost = "127.0.0.1:9099" },

    -- A real project, by the configuration of one of its apps: luath test --target staging
    -- staging = { config = "GoogleService-Info.plist" },
  },
}
