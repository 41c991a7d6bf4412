return {
  project = {
    providers = {
      password = {},
      ["google.com"] = { clientSecret = "cl1ent-secret-of-google" },
    },
    people = {},
  },
}
