import SignIn
import System
import Glibc
import Lua

extension PageClass {
  // MARK: Waiting

  private static var conditions: [LuaParameter] {
    LocatorReader.fields + [
      LuaParameter("url", .string, optional: true, "the address; * stands for anything"),
      LuaParameter("gone", LocatorReader.kind, optional: true, "an element that must go"),
      LuaParameter("fn", .string, optional: true, "the body of a JavaScript function"),
      LuaParameter("arguments", .list(.any), optional: true, "what fn is called with"),
      LuaParameter("timeout", .number, optional: true, "seconds to wait"),
    ]
  }

  static func declareWaiting(_ page: inout Declarations) {
    page.wait(
      "waitFor", "Waits for an address, an element, the end of one, or a function of JavaScript.",
      [LuaParameter("condition", .options(conditions))]
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let condition = try condition(call)
      let limit = try PageArguments.duration(call, 2, "timeout")
      return { () async throws(LuaError) in
        try await paged { () async throws(PageError) in
          try await box.page.wait(until: condition, within: limit)
        }
        return []
      }
    }
  }

  private static func condition(_ call: LuaCall) throws(LuaError) -> PageCondition {
    var found: [PageCondition] = []
    if let url = call.field(2, "url", { $0.string($1) }) {
      found.append(.address(AddressPattern(url)))
    }
    if let path = try LocatorReader.find(call, 2) { found.append(.seen(path)) }
    let gone = call.field(2, "gone") { (call, at) -> Result<ElementPath, LuaError>? in
      if call.isNil(at) { return nil }
      do throws(LuaError) { return .success(try LocatorReader.read(call, at)) } catch {
        return .failure(error)
      }
    }
    if let gone { found.append(.gone(try gone.get())) }
    if let text = call.field(2, "fn", { $0.string($1) }) {
      let arguments = call.field(2, "arguments") { (call, at) -> Result<JSON, LuaError> in
        if call.isNil(at) { return .success([]) }
        do throws(LuaError) { return .success(try JSONBridge.read(call, at)) } catch {
          return .failure(error)
        }
      }
      found.append(.script(text, try arguments.get().array ?? []))
    }
    guard found.count == 1 else {
      throw .message(
        "waitFor takes one of 'url', 'gone', 'fn' and a locator's fields, and got "
          + (found.isEmpty ? "none" : "\(found.count)"))
    }
    return found[0]
  }

  // MARK: The browser

  static func declareBrowser(_ page: inout Declarations, _ interpreter: Interpreter) {
    page.wait(
      "eval", "Runs the body of a JavaScript function; `arguments` has what follows.",
      [LuaParameter("script", .string, "return returns a value; luath waits for a promise")],
      variadic: true, returns: "what it returned, by way of JSON"
    ) { [unowned interpreter] call throws(LuaError) in
      let arguments = try PageArguments(call)
      let script = call.string(2) ?? ""
      let values = try arguments.scriptArguments(from: 3)
      return { () async throws(LuaError) in
        let answer = try await paged { () async throws(PageError) in
          try await arguments.page.page.evaluate(script, values)
        }
        return [answer.isNull ? .nil : JSONBridge.value(answer, interpreter)]
      }
    }
    page.wait(
      "screenshot", "What the browser shows, as PNG; written to a file when one is named.",
      [LuaParameter("file", .string, optional: true)], returns: "the picture's bytes"
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let file = call.string(2)
      return { () async throws(LuaError) in
        let picture = try await paged { () async throws(PageError) in
          try await box.page.screenshot()
        }
        if let file { try write(picture, to: file) }
        return [.bytes(picture)]
      }
    }
    page.wait(
      "cookies", "The cookies the page gets, those that scripts cannot see included.",
      returns: "a list of tables"
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      return { () async throws(LuaError) in
        let cookies = try await paged { () async throws(PageError) in
          try await box.page.cookies()
        }
        return [JSONBridge.list(cookies.map { value($0) })]
      }
    }
    deed(&page, "clearCookies", "Deletes the cookies the page gets.") {
      page async throws(PageError) in try await page.clearCookies()
    }
  }

  private static func value(_ cookie: BrowserCookie) -> LuaValue {
    .record([
      ("name", .string(cookie.name)), ("value", .string(cookie.value.reveal())),
      ("domain", .string(ifAny: cookie.domain)), ("path", .string(cookie.path)),
      ("secure", .boolean(cookie.isSecure)), ("httpOnly", .boolean(cookie.isHTTPOnly)),
      ("expires", cookie.expiry.map { .integer($0) } ?? .nil),
      ("sameSite", .string(ifAny: cookie.sameSite)),
    ])
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(LuaError) {
    guard let file = fopen(path, "wb") else {
      throw LuaError(
        PageError(
          .fileFailed, "cannot write \(path.printable): \(SystemError(errno).message)",
          hint: "check the folder; the path starts from where luath runs"))
    }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else {
      throw LuaError(
        PageError(
          .fileFailed, "cannot write all of \(path.printable)", hint: "look for a full disk"))
    }
  }

  // MARK: Virtual authenticators

  private static var authenticator: LuaParameter.Kind {
    .options([
      LuaParameter("protocol", .string, optional: true, "ctap2, ctap2_1 or ctap1/u2f; ctap2"),
      LuaParameter("transport", .string, optional: true, "internal, usb, nfc, ble or hybrid"),
      LuaParameter("residentKey", .boolean, optional: true, "keeps passkeys; true"),
      LuaParameter("userVerification", .boolean, optional: true, "can verify its user; true"),
      LuaParameter("verified", .boolean, optional: true, "takes the user for its owner; true"),
      LuaParameter("consents", .boolean, optional: true, "the owner agrees to everything; true"),
    ])
  }

  static func declareAuthenticators(_ page: inout Declarations) {
    page.wait(
      "addAuthenticator", "Puts a virtual authenticator for passkeys into the browser.",
      [LuaParameter("options", authenticator, optional: true)], returns: "its name, a string"
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let wanted = try authenticator(call)
      return { () async throws(LuaError) in
        [.string(try await paged { () async throws(PageError) in try await box.page.add(wanted) })]
      }
    }
    page.wait(
      "removeAuthenticator", "Takes a virtual authenticator out of the browser.",
      [LuaParameter("authenticator", .string, "the name addAuthenticator gave")]
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let name = call.string(2) ?? ""
      return { () async throws(LuaError) in
        try await paged { () async throws(PageError) in
          try await box.page.removeAuthenticator(name)
        }
        return []
      }
    }
    page.wait(
      "passkeys", "The passkeys in a virtual authenticator, without their keys.",
      [LuaParameter("authenticator", .string, "the name addAuthenticator gave")],
      returns: "a list of tables"
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let name = call.string(2) ?? ""
      return { () async throws(LuaError) in
        let list = try await paged { () async throws(PageError) in
          try await box.page.credentials(of: name)
        }
        return [JSONBridge.list(list.map { value($0) })]
      }
    }
    page.wait(
      "setVerified", "Whether the authenticator takes its user for its owner from now on.",
      [
        LuaParameter("authenticator", .string, "the name addAuthenticator gave"),
        LuaParameter("verified", .boolean),
      ]
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let name = call.string(2) ?? ""
      let isVerified = call.boolean(3)
      return { () async throws(LuaError) in
        try await paged { () async throws(PageError) in
          try await box.page.setUserVerified(isVerified, in: name)
        }
        return []
      }
    }
  }

  private static func value(_ passkey: VirtualCredential) -> LuaValue {
    .record([
      ("id", .string(Base64URL.encode(passkey.id))), ("rpId", .string(passkey.relyingParty)),
      ("resident", .boolean(passkey.isResident)), ("signCount", .integer(passkey.signCount)),
      ("userHandle", .string(ifAny: passkey.userHandle.map { Base64URL.encode($0) })),
    ])
  }

  private static func authenticator(_ call: LuaCall) throws(LuaError) -> VirtualAuthenticator {
    var wanted = VirtualAuthenticator()
    guard call.isTable(2) else { return wanted }
    func flag(_ name: String, _ usual: Bool) -> Bool {
      call.field(2, name) { $0.isNil($1) ? usual : $0.boolean($1) }
    }
    if let name = call.field(2, "protocol", { $0.string($1) }) { wanted.speaks = name }
    guard ["ctap2", "ctap2_1", "ctap1/u2f"].contains(wanted.speaks) else {
      throw .message("option 'protocol': ctap2, ctap2_1 or ctap1/u2f")
    }
    if let name = call.field(2, "transport", { $0.string($1) }) {
      guard let transport = VirtualAuthenticator.Transport(rawValue: name) else {
        let names = VirtualAuthenticator.Transport.allCases.map(\.rawValue)
        throw .message("option 'transport': one of \(names.joined(separator: ", "))")
      }
      wanted.transport = transport
    }
    wanted.hasResidentKey = flag("residentKey", true)
    wanted.hasUserVerification = flag("userVerification", true)
    wanted.isUserVerified = flag("verified", true)
    wanted.consents = flag("consents", true)
    return wanted
  }
}
