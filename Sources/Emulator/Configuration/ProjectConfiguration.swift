public import System
internal import HTTP

/// The settings of an emulated project that an administrator chooses in the console.
public struct ProjectConfiguration: Sendable {
  /// The project id: the audience of its ID tokens and part of their issuer.
  public var id = "demo-luath"
  /// The only accepted API key; nil accepts any.
  public var apiKey: Secret?
  /// The port of the emulator; nil leaves it to the command.
  public var port: UInt16?
  /// Whether two accounts may not share an e-mail address (the default of new projects).
  var oneAccountPerEmail = true
  /// Whether responses hide which addresses have accounts; nil leaves it to the rules.
  var enumerationProtection: Bool?
  /// Whether the project is upgraded to Identity Platform; `oidc.` providers need it.
  var identityPlatform = true
  /// Whether the password provider also allows sign-in by e-mail link.
  var isEmailLinkEnabled = true
  /// The domains that continue URLs may use.
  ///
  /// The default is this machine and the two domains that every project has.
  var authorizedDomains: [String] {
    get {
      chosenDomains ?? [
        "localhost", "127.0.0.1", "[::1]", "\(id).firebaseapp.com", "\(id).web.app",
      ]
    }
    set { chosenDomains = newValue }
  }
  private var chosenDomains: [String]?
  /// The domain of the sign-in handler page; nil for the emulator itself.
  var authDomain: String?
  /// Origins, besides this machine's, whose pages may use the controls and the administrator's paths.
  public var allowedOrigins = OriginList()
  /// Servers, besides this machine, that blocking functions and issuers may use.
  public var allowedServers = OriginList()
  /// Whether an SMS code needs proof of a human user or a genuine app.
  var requiresAppCredential = false
  /// The faults that are active from the start.
  var faults = FaultPlan()
  /// How many minutes a sign-in counts as recent.
  var recentLoginMinutes = 5
  /// The cost of password hashing: the binary logarithm of scrypt's N, which is 14 (16 MiB) in production.
  var passwordMemoryCost = 4
  /// The fields of Google's `Config` message that no property above holds, such as `passwordPolicyConfig`.
  var settings = JSONObject()
  /// Whether the project file lists the providers; otherwise they are those of the demo project.
  public internal(set) var listsProviders = false
  /// Sign-in providers by id.
  public var providers: [String: ProviderConfiguration]
  /// The test users of the identity providers.
  public var people: [Person] {
    get { directory.people }
    set { directory = PeopleDirectory(newValue) }
  }
  /// Whether the project file lists the test users; otherwise they are those of the demo project.
  public internal(set) var listsPeople = false
  /// Whether the identity providers also know everybody else, and Microsoft every tenant.
  ///
  /// A test user is created when its address is entered for the first time, with `demoPassword`.
  public var admitsAnyone = false
  /// The same users, indexed by address.
  var directory: PeopleDirectory

  /// A project with the given providers and test users, and defaults for all other settings.
  init(providers: [ProviderConfiguration] = [], people: [Person] = []) {
    self.providers = Dictionary(providers.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    directory = PeopleDirectory(people)
  }

  /// The provider with the id `id`; nil when it is missing or disabled.
  func enabledProvider(_ id: String) -> ProviderConfiguration? {
    guard let provider = providers[id], provider.isEnabled else { return nil }
    return provider
  }
}

extension ProjectConfiguration {
  /// Whether the project may have tenants: `multiTenant.allowTenants`, on when `multiTenant` is not set.
  var allowsTenants: Bool {
    settings["multiTenant"].map { $0["allowTenants"]?.bool == true } ?? true
  }

  /// A temporary limit on new accounts per hour: `quota.signUpQuotaConfig`.
  var signUpQuota: SignUpQuota? {
    settings["quota"]?["signUpQuotaConfig"]?.object.flatMap { SignUpQuota($0) }
  }

  /// The paths on the emulator of providers whose issuers have names of their own, by name.
  public var issuers: [String: String] {
    let named = providers.values.compactMap { provider in
      provider.issuerName.map { ($0, "/oidc/\(provider.id.dropFirst("oidc.".count))") }
    }
    return Dictionary(named) { one, _ in one }
  }

  /// The password requirements: `passwordPolicyConfig`.
  var passwordPolicy: PasswordPolicyConfig {
    PasswordPolicyConfig(settings["passwordPolicyConfig"]?.object ?? JSONObject())
  }

  /// The regions that SMS may be sent to: `smsRegionConfig`.
  var smsRegions: SMSRegions {
    SMSRegions(settings["smsRegionConfig"]?.object ?? JSONObject())
  }

  /// Phone numbers that get no SMS, and their fixed codes: `signIn.phoneNumber.testPhoneNumbers`.
  var testPhoneNumbers: JSONObject {
    settings["signIn"]?["phoneNumber"]?["testPhoneNumbers"]?.object ?? JSONObject()
  }

  /// The app's own page for links in e-mails: `notification.sendEmail.callbackUri`.
  var actionURL: String? { settings["notification"]?["sendEmail"]?["callbackUri"]?.string }

  /// The language of e-mails when the request names none: `notification.defaultLocale`.
  var defaultLanguage: String? { settings["notification"]?["defaultLocale"]?.string }

  /// The servers that may be called: `allowedServers`, and the configured issuers and blocking functions.
  var allServers: OriginList {
    var servers = allowedServers
    let triggers = settings["blockingFunctions"]?["triggers"]?.object?.entries ?? []
    let named = triggers.map { $0.value["functionUri"]?.string } + providers.values.map(\.issuer)
    for url in named.compactMap({ $0.flatMap { WebURL($0) } }) { servers.add(url) }
    return servers
  }

  // MARK: Google's message

  /// Writes the settings that are properties of this type into Google's message.
  func overlay(on message: inout JSONObject) {
    message.change("signIn") { signIn in
      signIn["email"] = [
        "enabled": .bool(enabledProvider("password") != nil),
        "passwordRequired": .bool(!isEmailLinkEnabled),
      ]
      signIn["anonymous"] = ["enabled": .bool(enabledProvider("anonymous") != nil)]
      signIn.change("phoneNumber") { $0["enabled"] = .bool(enabledProvider("phone") != nil) }
    }
    if message["mfa"] == nil { message["mfa"] = Self.allSecondFactors }
    message["authorizedDomains"] = .array(authorizedDomains.map { .string($0) })
    message["subtype"] = .string(identityPlatform ? "IDENTITY_PLATFORM" : "FIREBASE_AUTH")
    message.change("multiTenant") { $0["allowTenants"] = .bool(allowsTenants) }
    message.change("client") { client in
      if let apiKey { client["apiKey"] = .string(apiKey.reveal()) }
      client.change("permissions") { _ in }
    }
  }

  /// The second factors of a project that does not configure any: all of them.
  private static let allSecondFactors: JSON = [
    "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
    "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
  ]

  /// Reads the two switches that Firebase's emulator also has from Google's message.
  mutating func takeSwitches(of message: JSONObject) {
    oneAccountPerEmail = message["signIn"]?["allowDuplicateEmails"]?.bool != true
    enumerationProtection =
      message["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
  }

  /// Reads the settings that are properties of this type from Google's message, and keeps the rest as JSON.
  ///
  /// A field that a whole message omits gets its default. A field that a partial message omits stays unchanged.
  mutating func take(_ message: JSONObject, isWhole: Bool = false) {
    var rest = message
    for name in ["name", "subtype", "authorizedDomains"] { rest[name] = nil }
    rest.change("client") { $0["apiKey"] = nil }
    if let domains = message["authorizedDomains"]?.array ?? (isWhole ? [] : nil) {
      authorizedDomains = domains.compactMap(\.string)
    }
    let signIn = message["signIn"]
    let off: Bool? = isWhole ? false : nil
    switchProvider("password", signIn?["email"]?["enabled"]?.bool ?? off)
    switchProvider("anonymous", signIn?["anonymous"]?["enabled"]?.bool ?? off)
    switchProvider("phone", signIn?["phoneNumber"]?["enabled"]?.bool ?? off)
    if let isRequired = signIn?["email"]?["passwordRequired"]?.bool ?? off {
      isEmailLinkEnabled = !isRequired
    }
    rest.change("signIn") { signIn in
      for name in ["email", "anonymous", "hashConfig"] { signIn[name] = nil }
      signIn.change("phoneNumber") { $0["enabled"] = nil }
    }
    settings = rest
  }

  private mutating func switchProvider(_ id: String, _ isOn: Bool?) {
    guard let isOn, isOn != (enabledProvider(id) != nil) else { return }
    if providers[id] == nil { providers[id] = ProviderConfiguration(id: id) }
    providers[id]?.isEnabled = isOn
  }
}

extension JSONObject {
  /// Merges two objects recursively; for other values, the one of `other` wins.
  func merging(_ other: JSONObject) -> JSONObject {
    var merged = self
    for (name, value) in other.entries {
      if let own = merged[name]?.object, let new = value.object {
        merged[name] = .object(own.merging(new))
      } else {
        merged[name] = value
      }
    }
    return merged
  }

  /// Changes the object under a key; a missing one is created.
  mutating func change(_ key: String, _ body: (inout JSONObject) -> Void) {
    var object = self[key]?.object ?? JSONObject()
    body(&object)
    self[key] = .object(object)
  }
}

extension ProjectConfiguration {
  /// Reads `actionUrl`, the page for links in e-mails.
  mutating func readActionURL(_ reader: ConfigurationReader) throws(ConfigurationError) {
    guard let text = try reader.textIfAny("actionUrl") else { return }
    guard let url = WebURL(text), url.fragment == nil else {
      throw reader.fault(
        "actionUrl", "not the address of a page: \"\(text)\"",
        hint: "write an http or https URL without a fragment")
    }
    settings.change("notification") { notification in
      notification.change("sendEmail") { $0["callbackUri"] = .string(url.description) }
    }
  }

  /// Reads `testPhoneNumbers`, a table of phone numbers and their codes.
  mutating func readTestNumbers(_ reader: ConfigurationReader) throws(ConfigurationError) {
    guard let table = try reader.readerIfAny("testPhoneNumbers") else { return }
    for number in table.object.keys {
      let code = try table.text(number)
      guard number.utf8.first == UInt8(ascii: "+"), number.utf8.count > 1,
        number.utf8.dropFirst().allSatisfy(\.isDigit)
      else {
        throw table.fault(
          number, "not a phone number",
          hint: "write it with its country code, such as +15555550100")
      }
      guard code.utf8.count == 6, code.utf8.allSatisfy(\.isDigit) else {
        throw table.fault(number, "a code must have six digits")
      }
    }
    settings.change("signIn") { signIn in
      signIn.change("phoneNumber") { $0["testPhoneNumbers"] = .object(table.object) }
    }
  }

  /// The password of every test user in the demo project.
  public static let demoPassword = "luath-demo"

  /// The default project of a script, with every provider enabled and some test users.
  ///
  /// Ada and Grace have work accounts of two Microsoft tenants, Alan a personal one. Yuki is at Yahoo. Barbara has
  /// accounts only at Google and at the OIDC providers `oidc.corp` and `oidc.implicit`. All use `demoPassword`. The
  /// provider `oidc.example-provider` and its issuer are those of Firebase's guides.
  public static var demo: ProjectConfiguration {
    let password = Secret(demoPassword)
    var yahoo = ProviderConfiguration(id: "yahoo.com")
    yahoo.permissions = ["mail-r", "sdct-w"]
    var implicit = ProviderConfiguration(id: "oidc.implicit")
    implicit.flow = .idToken
    implicit.clientSecret = nil
    var example = ProviderConfiguration(id: "oidc.example-provider")
    example.issuerName = "https://auth.example.com"

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
        ProviderConfiguration(id: "oidc.corp"), implicit, example,
      ],
      people: [ada, grace, alan, yuki, barbara])
  }
}
