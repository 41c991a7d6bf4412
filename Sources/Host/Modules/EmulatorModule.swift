import System
import HTTP
import IdentityToolkit
import Lua

enum EmulatorModule {
  /// The limit for moving the emulator's clock, in seconds.
  private static let century: Int64 = 3_155_760_000

  static func make(_ interpreter: Interpreter) -> Module {
    let settings = LuaParameter(
      "settings",
      .options([
        LuaParameter("enumerationProtection", .boolean, optional: true),
        LuaParameter("oneAccountPerEmail", .boolean, optional: true),
        LuaParameter("identityPlatform", .boolean, optional: true),
        LuaParameter("providers", .map(.boolean), optional: true, "on or off, by provider id"),
      ]))
    let options = LuaParameter(
      "options",
      .options([LuaParameter("tenantID", .string, optional: true, "of this tenant instead")]),
      optional: true)
    var emulator = Declarations(interpreter, owner: "emulator")
    emulator.wait("configure", "Changes settings of the emulated project.", [settings]) {
      [unowned interpreter] call throws(LuaError) in
      let body = configuration(call)
      return { () async throws(LuaError) in
        try await configure(body, interpreter)
        return []
      }
    }
    emulator.wait(
      "advance", "Moves the emulator's clock forward, so that a sign-in grows old.",
      [LuaParameter("seconds", .integer)]
    ) { [unowned interpreter] call throws(LuaError) in
      let seconds = call.integer(1) ?? 0
      guard seconds >= 0 else {
        throw .message("bad argument #1 to 'advance' (the clock only moves forward)")
      }
      // The emulator would cut the time at this limit without an error.
      guard seconds <= century else {
        throw .message("bad argument #1 to 'advance' (at most a century, \(century) seconds)")
      }
      return { () async throws(LuaError) in
        let answer = try await send(
          "PATCH", "/emulator/v1/clock", ["advanceSeconds": .integer(seconds)], interpreter,
          needing: .clock)
        follow(answer, interpreter)
        return []
      }
    }
    emulator.wait(
      "setClock", "Sets the emulator's clock, forward or back; it continues from there.",
      [LuaParameter("time", .any, "seconds since 1970, or text such as 2026-01-31T12:00:00Z")]
    ) { [unowned interpreter] call throws(LuaError) in
      let body: JSON = ["time": try JSONBridge.read(call, 1)]
      return { () async throws(LuaError) in
        let answer = try await send(
          "PATCH", "/emulator/v1/clock", body, interpreter, needing: .clock)
        follow(answer, interpreter)
        return []
      }
    }
    declareFaults(in: &emulator, interpreter)
    emulator.wait(
      "oobCodes", "The unused e-mails of the emulated project.", [options],
      returns:
        "a list of tables with email, requestType, oobCode and oobLink, and newEmail for a change of address"
    ) { [unowned interpreter] call in
      let path = accountsPath(call, interpreter) + "/oobCodes"
      return { () async throws(LuaError) in
        let answer = try await send("GET", path, nil, interpreter)
        return [JSONBridge.value(answer["oobCodes"] ?? [], interpreter)]
      }
    }
    emulator.wait(
      "verificationCodes", "The unused SMS of the emulated project.",
      [options],
      returns: "a list of tables with phoneNumber, code and sessionInfo"
    ) { [unowned interpreter] call in
      let path = accountsPath(call, interpreter) + "/verificationCodes"
      return { () async throws(LuaError) in
        let answer = try await send("GET", path, nil, interpreter)
        return [JSONBridge.value(answer["verificationCodes"] ?? [], interpreter)]
      }
    }
    declareMessages(in: &emulator, interpreter)
    emulator.wait("clear", "Deletes all accounts of the emulated project.", [options]) {
      [unowned interpreter] call in
      let path = accountsPath(call, interpreter) + "/accounts"
      return { () async throws(LuaError) in
        _ = try await send("DELETE", path, nil, interpreter)
        return []
      }
    }
    emulator.wait(
      "serviceAccount", "The emulated project's service account, for admin.customToken.",
      returns: "its JSON key, decoded"
    ) { [unowned interpreter] _ in
      { () async throws(LuaError) in
        // Another client may have moved the clock of a shared emulator, and a token's times must match it.
        let clock = try await send(
          "GET", "/emulator/v1/clock", nil, interpreter, needing: .serviceAccount)
        follow(clock, interpreter)
        let path = projectPath(interpreter) + "/serviceAccount"
        return [JSONBridge.value(try await send("GET", path, nil, interpreter), interpreter)]
      }
    }
    emulator.wait(
      "people", "The test users of the emulated identity providers.",
      returns: "a list of tables"
    ) { [unowned interpreter] _ in
      { () async throws(LuaError) in
        let answer = try await send(
          "GET", "/emulator/v1/people", nil, interpreter, needing: .testUsers)
        return [JSONBridge.value(answer["people"] ?? [], interpreter)]
      }
    }
    emulator.wait(
      "kind", "Which program emulates the project: luath or Firebase's command-line tools.",
      returns: "`luath` or `firebase`; nil when the program is neither"
    ) { [unowned interpreter] _ in
      { () async throws(LuaError) in
        _ = try origin(interpreter)
        do throws(HTTPError) {
          let kind = try await interpreter.emulatorKind(of: interpreter.context.target)
          return [.string(ifAny: kind?.rawValue)]
        } catch {
          throw failure(error.code.rawValue, error.message, hint: error.hint)
        }
      }
    }
    var fields: [(String, LuaValue)] = []
    if case .emulator(let url) = interpreter.context.target.backend {
      fields.append(("origin", .string(url.origin)))
    }
    return Module(
      "luath.emulator", "Controls of an emulated project.", emulator.list, fields: fields)
  }

  private static func declareMessages(
    in emulator: inout Declarations, _ interpreter: Interpreter
  ) {
    let options = LuaParameter(
      "options",
      .options([
        LuaParameter("to", .string, optional: true, "only those to this recipient"),
        LuaParameter("tenantID", .string, optional: true, "of this tenant instead"),
      ]), optional: true)
    for (name, summary, fields) in [
      (
        "mails", "The e-mails that the emulated project has sent, oldest first, with their texts.",
        "to, from, subject, text, html, language, email, requestType, oobCode, oobLink, sentAt and isUsed, "
          + "and newEmail for a change of address"
      ),
      (
        "sms", "The SMS that the emulated project has sent, oldest first, with their texts.",
        "phoneNumber, text, language, code, sessionInfo, sentAt and isUsed"
      ),
    ] {
      emulator.wait(name, summary, [options], returns: "a list of tables with \(fields)") {
        [unowned interpreter] call in
        var path = "\(accountsPath(call, interpreter))/\(name)"
        let recipient = call.isTable(1) ? call.field(1, "to") { $0.string($1) } : nil
        if let recipient { path += "?to=\(PercentEncoding.encode(recipient))" }
        return { [path] () async throws(LuaError) in
          let answer = try await send(
            "GET", path, nil, interpreter, needing: .messageTexts)
          return [JSONBridge.value(answer[name] ?? [], interpreter)]
        }
      }
    }
  }

  private static func declareFaults(
    in emulator: inout Declarations, _ interpreter: Interpreter
  ) {
    let list = LuaParameter(
      "faults", .any,
      "a list of tables such as { operation = \"signUp\", error = \"503\", rate = 0.1 }")
    let seed = LuaParameter("seed", .integer, optional: true, "makes the chances repeat")
    emulator.wait(
      "setFaults", "Makes requests to the emulator go wrong, in place of earlier faults.",
      [list, seed]
    ) { [unowned interpreter] call throws(LuaError) in
      var body: JSONObject = ["faults": try JSONBridge.read(call, 1)]
      if let seed = call.integer(2) { body["seed"] = .integer(seed) }
      return { [body] () async throws(LuaError) in
        _ = try await send(
          "PUT", "/emulator/v1/faults", .object(body), interpreter, needing: .faults)
        return []
      }
    }
    emulator.wait(
      "listFaults", "The faults in force, with how many requests each has seen and struck.",
      returns: "a list of tables"
    ) { [unowned interpreter] _ in
      { () async throws(LuaError) in
        let answer = try await send(
          "GET", "/emulator/v1/faults", nil, interpreter, needing: .faults)
        return [JSONBridge.value(answer["faults"] ?? [], interpreter)]
      }
    }
  }

  /// Changes settings; raises an error if the emulator does not support one of them.
  private static func configure(
    _ settings: JSONObject, _ interpreter: Interpreter
  ) async throws(LuaError) {
    // Firebase's emulator resets its whole configuration when a change contains no setting that it knows.
    guard settings.count > 0 else { return _ = try origin(interpreter) }
    let path = projectPath(interpreter) + "/config"
    let own = ["identityPlatform", "providers"].filter { settings[$0] != nil }
    if let name = own.first {
      let known = try await send("GET", path, nil, interpreter)
      if known[name] == nil { throw await unknown(name, interpreter) }
    }
    _ = try await send("PATCH", path, .object(settings), interpreter)
  }

  /// The error for a setting that the emulator does not support.
  private static func unknown(_ setting: String, _ interpreter: Interpreter) async -> LuaError {
    if await interpreter.isFirebaseEmulator(interpreter.context.target) {
      return lacking(.providerSettings)
    }
    return failure(
      ErrorCode.notImplemented.rawValue,
      "the rules of this emulator leave out the setting \(setting)",
      hint: "start it with luath emulator --rules production, or add +projectSettings to its rules")
  }

  private static func configuration(_ call: LuaCall) -> JSONObject {
    var body: JSONObject = [:]
    func flag(_ name: String) -> Bool? {
      call.field(1, name) { $0.isNil($1) ? nil : $0.boolean($1) }
    }
    if let isOn = flag("enumerationProtection") {
      body["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": .bool(isOn)]
    }
    if let isOn = flag("oneAccountPerEmail") {
      body["signIn"] = ["allowDuplicateEmails": .bool(!isOn)]
    }
    if let isOn = flag("identityPlatform") { body["identityPlatform"] = .bool(isOn) }
    call.field(1, "providers") { call, at in
      guard call.isTable(at) else { return }
      var providers: JSONObject = [:]
      call.forEach(at) { key, value in
        providers[call.string(key) ?? ""] = ["enabled": .bool(call.boolean(value))]
      }
      body["providers"] = .object(providers)
    }
    return body
  }

  private static func projectPath(_ interpreter: Interpreter) -> String {
    "/emulator/v1/projects/" + PercentEncoding.encode(interpreter.context.target.projectID)
  }

  /// The path of the project's accounts, or those of the tenant in the options.
  private static func accountsPath(_ call: LuaCall, _ interpreter: Interpreter) -> String {
    let project = projectPath(interpreter)
    let tenant = call.isTable(1) ? call.field(1, "tenantID") { $0.string($1) } : nil
    return tenant.map { "\(project)/tenants/\(PercentEncoding.encode($0))" } ?? project
  }

  /// Sets the script's clock to the emulator's.
  private static func follow(_ answer: JSON, _ interpreter: Interpreter) {
    if let seconds = answer["advancedSeconds"]?.integer { interpreter.clock.advance = seconds }
  }

  private static func send(
    _ method: String, _ path: String, _ body: JSON?, _ interpreter: Interpreter,
    needing feature: EmulatorFeature? = nil
  ) async throws(LuaError) -> JSON {
    guard let url = WebURL(try origin(interpreter) + path) else {
      preconditionFailure("the path is built from constants and encoded names")
    }
    var request = HTTPRequest(method: method, url: url, headers: ["Authorization": "Bearer owner"])
    if let body {
      request.headers.set("Content-Type", "application/json")
      request.body = body.encodedBytes()
    }
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await interpreter.transport.send(request)
    } catch {
      throw failure(error.code.rawValue, error.message, hint: error.hint)
    }
    let answer = (try? response.json()) ?? .null
    guard response.status < 400 else {
      if let feature, response.status == 404,
        await interpreter.isFirebaseEmulator(interpreter.context.target)
      {
        throw lacking(feature)
      }
      let words = answer["error"]?["message"]?.string ?? "status \(response.status)"
      throw failure(
        "emulatorRefused", "the emulator refused: \(words.printable)",
        hint: "luath doc emulator#controls lists what the emulator accepts")
    }
    return answer
  }

  /// The emulator's origin; raises an error for a real project.
  private static func origin(_ interpreter: Interpreter) throws(LuaError) -> String {
    guard case .emulator(let emulator) = interpreter.context.target.backend else {
      throw failure(
        "notEmulated", "this target is a real project, which luath.emulator cannot change",
        hint: "run without --target, or change the project in its console")
    }
    return emulator.origin
  }

  /// The error for a feature that Firebase's emulator lacks.
  static func lacking(_ feature: EmulatorFeature) -> LuaError {
    failure(
      ErrorCode.notImplemented.rawValue, feature.absence, hint: EmulatorFeature.hint)
  }

  private static func failure(_ code: String, _ message: String, hint: String) -> LuaError {
    .object([("code", .string(code)), ("message", .string(message)), ("hint", .string(hint))])
  }
}
