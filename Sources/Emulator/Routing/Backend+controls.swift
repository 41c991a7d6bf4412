internal import Encoding
internal import HTTP
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// The emulator's own controls; they need no credentials, since only this machine can reach them.
  func answer(_ control: Route.Control, _ request: HTTPRequest) throws(Refusal) -> ServerResponse {
    let isRead = request.method == "GET"
    let fields = isRead ? Fields() : try Self.fields(of: request)
    switch control {
    case .accounts:
      removeAllAccounts()
      return ServerResponse(json: [:])
    case .configuration:
      if !isRead { try change(fields) }
      return ServerResponse(json: wireConfiguration)
    case .clock:
      if !isRead { try advanceClock(fields) }
      return ServerResponse(json: [
        "seconds": .integer(now), "advancedSeconds": .integer(site.clock.advance),
      ])
    case .serviceAccount: return ServerResponse(json: try serviceAccount())
    case .people:
      if !isRead { try add(person: fields) }
      return ServerResponse(json: ["people": .array(configuration.people.map(Self.wire))])
    }
  }

  private func advanceClock(_ fields: Fields) throws(Refusal) {
    guard let seconds = try fields.integer("advanceSeconds") else {
      throw .invalidArgument("advanceSeconds is missing")
    }
    guard seconds >= 0 else {
      throw .invalidArgument("advanceSeconds must not be negative: the clock only moves forward")
    }
    site.clock.advance(bySeconds: seconds)
  }

  // MARK: Configuration

  private var wireConfiguration: JSON {
    var providers = JSONObject()
    for id in configuration.providers.keys.sorted() {
      providers[id] = ["enabled": .bool(configuration.enabledProvider(id) != nil)]
    }
    return [
      "signIn": ["allowDuplicateEmails": .bool(!configuration.oneAccountPerEmail)],
      "emailPrivacyConfig": [
        "enableImprovedEmailPrivacy": .bool(configuration.enumerationProtection)
      ],
      "identityPlatform": .bool(configuration.identityPlatform),
      "providers": .object(providers),
    ]
  }

  private func change(_ fields: Fields) throws(Refusal) {
    var changed = configuration
    if let signIn = try fields.object("signIn"),
      let allows = try Fields(signIn).bool("allowDuplicateEmails")
    {
      changed.oneAccountPerEmail = !allows
    }
    if let privacy = try fields.object("emailPrivacyConfig"),
      let isOn = try Fields(privacy).bool("enableImprovedEmailPrivacy")
    {
      changed.enumerationProtection = isOn
    }
    changed.identityPlatform = try fields.bool("identityPlatform") ?? changed.identityPlatform
    for (id, value) in try fields.object("providers")?.entries ?? [] {
      guard case .object(let settings) = value else {
        throw .wrongType("providers/\(id)", "object")
      }
      guard changed.providers[id] != nil else {
        throw .invalidArgument("the project has no provider \(Self.printable(id))")
      }
      if let isEnabled = try Fields(settings).bool("enabled") {
        changed.providers[id]?.isEnabled = isEnabled
      }
    }
    site.configuration = changed
  }

  // MARK: Service account

  /// The file a server would download from the console, so that it can mint custom tokens.
  private func serviceAccount() throws(Refusal) -> JSON {
    do throws(JOSEError) {
      let key = try site.keys.key(for: .serviceAccount)
      return [
        "type": "service_account", "project_id": .string(configuration.id),
        "private_key_id": .string(key.keyID), "private_key": .string(key.privatePEM.reveal()),
        "client_email": .string(serviceAccountEmail),
        "token_uri": .string("\(site.origin)/oauth2.googleapis.com/token"),
      ]
    } catch {
      throw .internalFailure("the service account's key could not be made: \(error.message)")
    }
  }

  // MARK: People

  private func add(person fields: Fields) throws(Refusal) {
    let person: Person
    do throws(ConfigurationError) {
      person = try Person(
        json: .object(fields.object), at: ["person"], providers: configuration.providers)
    } catch {
      throw .invalidArgument(Self.printable(error.description))
    }
    let address = ExactString(string: person.email.asciiLowercased)
    guard
      !configuration.people.contains(where: {
        ExactString(string: $0.email.asciiLowercased) == address
      })
    else { throw .invalidArgument("somebody already has the address \(person.email)") }
    site.configuration.people.append(person)
  }

  private static func wire(_ person: Person) -> JSON {
    var entry: JSONObject = ["email": .string(person.email), "name": .string(person.name)]
    entry["emailVerified"] = .bool(person.isEmailVerified)
    entry.set("photo", person.photo)
    if let providers = person.providers {
      entry["providers"] = .array(providers.map { .string($0) })
    }
    var microsoft: JSONObject = [
      "tenantId": .string(person.microsoft.tenantID), "oid": .string(person.microsoft.oid),
    ]
    microsoft.set("tenant", person.microsoft.tenant)
    entry["microsoft"] = .object(microsoft)
    return .object(entry)
  }
}
