-- The project file of the lessons in scripts/.
--
-- luath reads the nearest luath.lua from a script's folder upwards, and emulates the project that it
-- describes. The file is a table that contains only data. All keys are optional, and
-- docs/project-file.md lists them. An unknown key is an error with its line.
--
-- The test users below and their passwords work only in this emulator. Never write passwords of real
-- users into a file: read them from the environment with luath.secret "NAME".

return {
  project = {
    id = "demo-luath",

    -- One account per e-mail address. A sign-in with the same address and another provider raises
    -- accountExistsWithDifferentCredential: lessons 7 and 8 show what to do then.
    oneAccountPerEmail = true,

    -- enumerationProtection hides the sign-in methods of an e-mail address. Without this key it is on
    -- under production rules, as in new projects, and off under compatible rules. Lesson 7 turns it off.

    -- OIDC providers need a project that was upgraded to Identity Platform.
    identityPlatform = true,

    -- The age of a recent sign-in, in minutes. A new password, a new address and the deletion of an
    -- account need a recent sign-in.
    recentLoginMinutes = 5,

    -- The sign-in methods. A method that is not listed is off and raises operationNotAllowed. The
    -- emulator has the providers' login pages. Their client ids and secrets are optional: the
    -- defaults are luath-client-ID and luath-secret-ID.
    providers = {
      ["password"] = {},
      ["anonymous"] = {},
      ["phone"] = {},
      ["microsoft.com"] = {},
      ["google.com"] = {},

      -- Yahoo grants exactly the API permissions that the app was registered with: lesson 2.
      ["yahoo.com"] = { permissions = { "mail-r", "sdct-w" } },

      -- A company's OpenID Connect server, emulated. With `issuer` it is a real server.
      ["oidc.corp"] = { displayName = "Corp" },

      -- The same for an app without a secret: the browser gets the ID token directly (lesson 4),
      -- instead of a code that the backend redeems (lesson 3).
      ["oidc.implicit"] = { displayName = "Corp for apps", flow = "idToken" },
    },

    -- The test users of these providers. They have no accounts in the project before they sign in.
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
      -- Barbara exists at these providers only, the other users at all of them.
      {
        email = "barbara@corp.example",
        name = "Barbara Liskov",
        password = "luath-demo",
        photo = "https://lh3.example/barbara.png",
        providers = { "google.com", "oidc.corp", "oidc.implicit" },
      },
    },
  },

  -- Other targets of scripts, selected with --target NAME:
  --
  -- targets = {
  --   shared = { projectId = "demo-luath", emulatorHost = "127.0.0.1:9099" },
  --   staging = { config = "GoogleService-Info.plist" },
  --   production = { projectId = "my-project", apiKeyVariable = "PRODUCTION_API_KEY" },
  -- },
}
