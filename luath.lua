-- The project file of the lessons in scripts/.
--
-- luath reads the nearest luath.lua from a script's folder upwards, and emulates the project it
-- describes. The file is data: a table, made without any function. What is left out has a default;
-- docs/project-file.md lists every key. An unknown key is refused, with its line.
--
-- The people below are invented, and so are their passwords: they open nothing but this emulator.
-- The passwords of real people never belong in a file; take them from the environment
-- (luath.secret "NAME").

return {
  project = {
    id = "demo-luath",

    -- One account per e-mail address. Somebody who signs in with another provider than last time
    -- gets the error accountExistsWithDifferentCredential: lessons 7 and 8 show what to do then.
    oneAccountPerEmail = true,

    -- enumerationProtection, under which nobody can ask which ways an e-mail address signs in, is left to
    -- the rules: on under production, as in new projects, off under compatible. Lesson 7 turns it off.

    -- OIDC providers need a project upgraded to Identity Platform.
    identityPlatform = true,

    -- A new password, a new address and the deletion of an account need a sign-in this recent.
    recentLoginMinutes = 5,

    -- The ways to sign in. What is not listed here is off, and refused with operationNotAllowed.
    -- Providers run inside the emulator, with pages of their own. The emulator plays both sides, so
    -- client id and secret need not be given: they are luath-client-ID and luath-secret-ID then.
    providers = {
      ["password"] = {},
      ["anonymous"] = {},
      ["phone"] = {},
      ["microsoft.com"] = {},
      ["google.com"] = {},

      -- Yahoo grants exactly the API permissions an app was registered with: lesson 2.
      ["yahoo.com"] = { permissions = { "mail-r", "sdct-w" } },

      -- A company's own OpenID Connect server. With `issuer` it would be a real one.
      ["oidc.corp"] = { displayName = "Corp" },

      -- The same, for an app that can keep no secret: the ID token comes from the server to the
      -- app (lesson 4) instead of from server to server (lesson 3).
      ["oidc.implicit"] = { displayName = "Corp for apps", flow = "idToken" },
    },

    -- Whom those providers know. A person has no account in the project before the first sign-in.
    people = {
      -- Work accounts of two Microsoft tenants.
      {
        email = "ada@contoso.example",
        name = "Ada Lovelace",
        password = "luath-demo",
        microsoft = { tenant = "contoso.example" },
      },
      {
        email = "grace@fabrikam.example",
        name = "Grace Hopper",
        password = "luath-demo",
        microsoft = { tenant = "fabrikam.example" },
      },
      -- A personal Microsoft account: no tenant.
      { email = "alan@outlook.example", name = "Alan Turing", password = "luath-demo" },
      {
        email = "yuki@yahoo.example",
        name = "Yuki Tanaka",
        password = "luath-demo",
        photo = "https://s.yimg.example/yuki.png",
      },
      -- Only these providers know Barbara; the others above are known to all.
      {
        email = "barbara@corp.example",
        name = "Barbara Liskov",
        password = "luath-demo",
        photo = "https://lh3.example/barbara.png",
        providers = { "google.com", "oidc.corp", "oidc.implicit" },
      },
    },
  },

  -- Other places a script can run, chosen with --target NAME:
  --
  -- targets = {
  --   shared = { projectId = "demo-luath", emulatorHost = "127.0.0.1:9099" },
  --   staging = { config = "GoogleService-Info.plist" },
  --   production = { projectId = "my-project", apiKeyVariable = "PRODUCTION_API_KEY" },
  -- },
}
