internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension RequestRouter {
  /// The emulator's own calls, the public keys and the pages.
  ///
  /// They need no credentials, because only programs of this machine can reach a loopback address. `VisitorCheck`
  /// keeps foreign web pages away.
  func answerControl(_ request: HTTPRequest) throws(Refusal) -> ServerResponse {
    guard let control = Control(path: request.url.path) else {
      // Check this first: identity provider paths with an unreadable body end up here too.
      try RequestBody.refuseUnreadable(request, rules)
      guard !rules[.googleAnswers] else { return Self.noSuchPath }
      throw .notFound
    }
    // An emulator that signs no tokens must not show keys.
    guard rules[.signedTokens] || !control.isKeys else { throw .notFound }
    // Firebase's emulator has a project with an empty name; no administrator can have created one.
    guard control.project?.isEmpty != true || !rules[.checkedAPIKeys] else { throw .notFound }
    if control == .action { return try answerAction(request) }
    let method = control.isPage && request.method == "HEAD" ? "GET" : request.method
    guard control.methods.contains(method) else {
      if control.isPage { throw .notFound }
      return Self.wrongMethod(request, allowed: control.methods)
    }
    let isRead = method == "GET"
    if isRead, control.project != nil, !rules[.protobufJSON] {
      try RequestBody.refuseTypedBody(of: request)
    }
    var fields = Fields()
    if !isRead, method != "DELETE", control.takesBody {
      guard case .object(let object) = try RequestBody.json(of: request, rules: rules) else {
        throw .invalidArgument("Invalid JSON payload received.  must be object")
      }
      // The keys of maps, such as provider ids, stay as they are.
      fields = Fields(CamelCase.ownKeys(of: object))
    }
    try requireSingleProject(control.project)
    switch control {
    case .openAPI:
      return Self.unlessKnown(OpenAPIDocument.response(origin: context.origin), request)
    case .cookieCertificates, .tokenKeys, .tokenCertificates:
      if control == .tokenKeys { return try tokenKeys() }
      return try certificates(for: control == .tokenCertificates ? .idTokens : .sessionCookies)
    case .health: return Self.unlessKnown(ServerResponse(json: Self.health), request)
    case .callback: return answerCallback(request)
    case .appLink: return try followAppLink(request)
    case .handler: return try answerHandler(request)
    case .frame: return answerFrame()
    // Handled above, because other methods get a 404.
    case .action: throw .notFound
    case .letters(let project, let tenant):
      let codes = try projects[project].backend(tenant: tenant).codes
      return ServerResponse(json: ["oobCodes": .array(codes.all.map(\.wire))])
    case .messages(let project, let tenant):
      let codes = try projects[project].backend(tenant: tenant).verifications
      let unused = codes.all.filter { !$0.isUsed }
      return ServerResponse(json: ["verificationCodes": .array(unused.map(\.wire))])
    case .mails(let project, let tenant):
      let backend = try projects[project].backend(tenant: tenant)
      let mails = backend.sent(emails: true, to: request.url.fields["to"])
      return ServerResponse(json: ["mails": .array(mails)])
    case .sms(let project, let tenant):
      let backend = try projects[project].backend(tenant: tenant)
      let sent = backend.sent(emails: false, to: request.url.fields["to"])
      return ServerResponse(json: ["sms": .array(sent)])
    case .accounts(let project, let tenant):
      try projects[project].backend(tenant: tenant).removeAllAccounts()
      return ServerResponse(json: [:])
    case .configuration(let id):
      let project = projects[id]
      if !isRead { try change(project, fields) }
      return ServerResponse(json: wireConfiguration(of: project))
    case .clock:
      if !isRead { try advanceClock(fields) }
      return ServerResponse(json: [
        "seconds": .integer(context.clock.seconds),
        "time": .string(Timestamp.text(milliseconds: context.clock.milliseconds)),
        "advancedSeconds": .integer(context.clock.advance),
      ])
    case .serviceAccount(let id):
      return ServerResponse(json: try serviceAccount(of: projects[id]))
    case .faults:
      let hasBody = request.method == "PUT" || request.method == "POST"
      let body: JSON = hasBody ? try RequestBody.json(of: request, rules: rules) : .null
      return ServerResponse(json: try answerFaults(request.method, body))
    case .people:
      return ServerResponse(json: try answerPeople(method, fields, request.url.fields["email"]))
    }
  }

  /// The front page as in Firebase's emulator, which tools use as a health check.
  private static let health: JSON = [
    "authEmulator": [
      "ready": true, "docs": "https://firebase.google.com/docs/emulator-suite",
      "apiSpec": "/emulator/openapi.json",
    ]
  ]

  /// The response, or 304 when the client has it already (RFC 9110 section 13.1.2).
  ///
  /// No response has an entity tag, so only `*` matches.
  private static func unlessKnown(
    _ response: ServerResponse, _ request: HTTPRequest
  ) -> ServerResponse {
    let asksAnew = request.headers.all("Cache-Control").contains { value in
      value.split(separator: ",").contains { $0.filter { $0 != " " } == "no-cache" }
    }
    guard request.headers["If-None-Match"] == "*", request.headers["If-Modified-Since"] == nil,
      !asksAnew
    else { return response }
    return ServerResponse(status: 304)
  }

  private func advanceClock(_ fields: Fields) throws(Refusal) {
    if let time = fields.value("time") {
      let seconds =
        time.integer ?? time.string.flatMap { Timestamp.seconds(of: $0) }
      guard let seconds, seconds >= 0 else {
        throw .invalidArgument("time must be seconds since 1970 or such as 2026-01-31T12:00:00Z")
      }
      context.clock.set(seconds: seconds)
      return
    }
    guard let seconds = try fields.integer("advanceSeconds") else {
      throw .invalidArgument("advanceSeconds or time is missing")
    }
    guard seconds >= 0 else {
      throw .invalidArgument("advanceSeconds must not be negative: the clock only moves forward")
    }
    context.clock.advance(bySeconds: seconds)
  }

  // MARK: Configuration

  func wireConfiguration(of project: Project) -> JSON {
    let configuration = project.configuration
    var wire: JSONObject = [
      "signIn": ["allowDuplicateEmails": .bool(!configuration.oneAccountPerEmail)],
      "emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(project.hidesAddresses)],
    ]
    guard rules[.projectSettings] else { return .object(wire) }
    var providers = JSONObject()
    for id in configuration.providers.keys.sorted() {
      providers[id] = ["enabled": .bool(configuration.enabledProvider(id) != nil)]
    }
    wire["identityPlatform"] = .bool(configuration.identityPlatform)
    wire["providers"] = .object(providers)
    return .object(wire)
  }

  /// Changes the settings in the body.
  ///
  /// In Firebase's emulator, a body with neither of its two settings changes the whole configuration.
  func change(_ project: Project, _ fields: Fields) throws(Refusal) {
    let update: JSONObject
    do throws(SchemaFault) {
      guard let message = Schema.shared.message("EmulatorV1ProjectsConfig") else {
        preconditionFailure("the table of messages lacks the emulator's configuration")
      }
      update = try Schema.shared.check(
        .object(fields.object), as: message, isProtobuf: rules[.protobufJSON])
    } catch {
      throw error.refusal
    }
    var masks: [String] = []
    for (part, setting) in [
      ("signIn", "allowDuplicateEmails"), ("emailPrivacyConfig", "enableImprovedEmailPrivacy"),
    ] where update[part]?[setting] != nil {
      masks.append("\(part).\(setting)")
    }
    if !masks.isEmpty || !rules[.projectSettings] {
      try project.change(update, mask: masks.isEmpty ? nil : masks.joined(separator: ","))
    }
    if rules[.projectSettings] { try changeOwnSettings(of: project, fields) }
  }

  /// Changes the settings that Firebase's emulator does not have.
  private func changeOwnSettings(of project: Project, _ fields: Fields) throws(Refusal) {
    var changed = project.configuration
    changed.identityPlatform = try fields.bool("identityPlatform") ?? changed.identityPlatform
    for (id, value) in try fields.object("providers")?.entries ?? [] {
      guard case .object(let settings) = value else {
        throw .wrongType("providers/\(id)", "object")
      }
      guard changed.providers[id] != nil else {
        throw .invalidArgument("the project has no provider \(Backend.printable(id))")
      }
      if let isEnabled = try Fields(settings).bool("enabled") {
        changed.providers[id]?.isEnabled = isEnabled
      }
    }
    project.configuration = changed
  }

  // MARK: Service account

  /// The service account file; a server would download it from the console to create custom tokens.
  private func serviceAccount(of project: Project) throws(Refusal) -> JSON {
    do throws(JOSEError) {
      let key = try context.keys.key(for: .serviceAccount)
      return [
        "type": "service_account", "project_id": .string(project.id),
        "private_key_id": .string(key.keyID), "private_key": .string(key.privatePEM.reveal()),
        "client_email": .string(project.backend.serviceAccountEmail),
        "token_uri": .string("\(context.origin)/oauth2.googleapis.com/token"),
      ]
    } catch {
      throw .internalFailure("the service account's key could not be made: \(error.message)")
    }
  }

  // MARK: Test users

  /// Lists the test users, adds one, or removes the one with an address.
  ///
  /// The response to an added user holds that user only, so adding many stays fast.
  private func answerPeople(
    _ method: String, _ fields: Fields, _ address: String?
  ) throws(Refusal) -> JSON {
    switch method {
    case "POST": return ["people": [Self.wire(try add(person: fields))]]
    case "DELETE":
      guard let address else { throw .invalidArgument("email is missing in the query") }
      if context.configuration.directory.remove(address) {
        context.recorder?.changed(projects.main)
      }
      return [:]
    default: return ["people": .array(context.configuration.people.map(Self.wire))]
    }
  }

  private func add(person fields: Fields) throws(Refusal) -> Person {
    let person: Person
    do throws(ConfigurationError) {
      person = try Person(
        json: .object(fields.object), at: ["person"], providers: context.configuration.providers)
    } catch {
      throw .invalidArgument(Backend.printable(error.description))
    }
    // Change the directory in place: setting it through the project would copy all users.
    guard context.configuration.directory.add(person) else {
      throw .invalidArgument("somebody already has the address \(person.email)")
    }
    context.recorder?.changed(projects.main)
    return person
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

  func tokenKeys() throws(Refusal) -> ServerResponse {
    do throws(JOSEError) {
      return ServerResponse(
        json: try context.keys.keySet(for: .idTokens),
        headers: ["Cache-Control": "public, max-age=60"]
      )
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }

  /// The public key as an X.509 certificate, under its key id.
  func certificates(
    for purpose: SigningKeys.Purpose
  ) throws(Refusal) -> ServerResponse {
    do throws(JOSEError) {
      let key = try context.keys.key(for: purpose)
      return ServerResponse(
        json: .object([
          key.keyID: .string(
            try key.certificatePEM(commonName: "securetoken.system.gserviceaccount.com"))
        ]),
        headers: ["Cache-Control": "public, max-age=60"])
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }
}
