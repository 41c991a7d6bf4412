internal import System

extension ProjectConfiguration {
  /// The password of every test user in the demo project.
  static let demoPassword = "luath-demo"

  /// The default project of a script, with every provider enabled and some test users.
  ///
  /// Ada and Grace have work accounts of two Microsoft tenants, Alan a personal one. Yuki is at Yahoo. Barbara has
  /// accounts only at Google and at the OIDC providers `oidc.corp` and `oidc.implicit`. All use `demoPassword`.
  public static var demo: ProjectConfiguration {
    let password = Secret(demoPassword)
    var yahoo = ProviderConfiguration(id: "yahoo.com")
    yahoo.permissions = ["mail-r", "sdct-w"]
    var implicit = ProviderConfiguration(id: "oidc.implicit")
    implicit.flow = .idToken
    implicit.clientSecret = nil

    let ada = Person(
      email: "ada@contoso.example", name: "Ada Lovelace", password: password,
      microsoft: MicrosoftAccount(email: "ada@contoso.example", tenant: "contoso.example"))
    let grace = Person(
      email: "grace@fabrikam.example", name: "Grace Hopper", password: password,
      microsoft: MicrosoftAccount(email: "grace@fabrikam.example", tenant: "fabrikam.example"))
    let alan = Person(email: "alan@outlook.example", name: "Alan Turing", password: password)
    let yuki = Person(
      email: "yuki@yahoo.example", name: "Yuki Tanaka", password: password,
      photo: "https://s.yimg.example/yuki.png")
    var barbara = Person(
      email: "barbara@corp.example", name: "Barbara Liskov", password: password,
      photo: "https://lh3.example/barbara.png")
    barbara.providers = ["google.com", "oidc.corp", "oidc.implicit"]

    return ProjectConfiguration(
      providers: [
        ProviderConfiguration(id: "password"), ProviderConfiguration(id: "anonymous"),
        ProviderConfiguration(id: "phone"),
        ProviderConfiguration(id: "microsoft.com"), yahoo, ProviderConfiguration(id: "google.com"),
        ProviderConfiguration(id: "oidc.corp"), implicit,
      ],
      people: [ada, grace, alan, yuki, barbara])
  }
}
