-- The project that luath emulates. The file is data: a table, made without any function.
-- What is left out has a default.

return {
  project = {
    id = "demo-plain",

    -- The ways to sign in. What is not listed is off, and refused with operationNotAllowed;
    -- "anonymous" with adminRestrictedOperation, as Firebase has it.
    providers = { ["password"] = {}, ["microsoft.com"] = {} },

    -- Whom the providers know. Nobody has an account in the project before the first sign-in.
    people = {
      {
        email = "ada@contoso.example",
        name = "Ada Lovelace",
        password = "luath-demo",
        microsoft = { tenant = "contoso.example" },
      },
    },
  },

  -- Other places to run, chosen with --target NAME:
  --
  -- targets = { staging = { config = "GoogleService-Info.plist" } },
}
