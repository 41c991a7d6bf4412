-- The project that luath emulates. The file is data: a table, without calls of functions.
-- Keys that are missing have defaults.

return {
  project = {
    id = "demo-plain",

    -- The sign-in methods. Others are disabled: operationNotAllowed, or adminRestrictedOperation
    -- for "anonymous", as at Firebase.
    providers = { ["password"] = {}, ["microsoft.com"] = {} },

    -- The test users of the identity providers. They have no account in the project before
    -- their first sign-in.
    people = {
      {
        email = "ada@contoso.example",
        name = "Ada Lovelace",
        password = "luath-demo",
        microsoft = { tenant = "contoso.example" },
      },
    },
  },

  -- Other targets, chosen with --target NAME:
  --
  -- targets = { staging = { config = "GoogleService-Info.plist" } },
}
