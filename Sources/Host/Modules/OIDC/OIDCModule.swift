import Client
import HTTP
import IdentityToolkit
import Lua
import OIDC
import System

enum OIDCModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let classes = interpreter.classes
    var oidc = Declarations(interpreter, owner: "oidc")
    oidc.wait(
      "client", "Asks an issuer to describe itself and makes a client of it.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("issuer", .string, "exactly as the provider writes it"),
            LuaParameter("clientID", .string),
            LuaParameter("clientSecret", .secret, optional: true, "none for a public client"),
            LuaParameter(
              "authentication", .string, optional: true,
              "client_secret_basic, client_secret_post or none; chosen by the provider's list"),
            LuaParameter("redirectURI", .string, optional: true, "as registered"),
            LuaParameter(
              "scopes", .list(.string), optional: true, "openid, profile, email when not given"),
            LuaParameter(
              "leeway", .integer, optional: true, "seconds the clocks may differ; 60"),
          ]))
      ], returns: "OIDCClient"
    ) { [unowned interpreter] call throws(LuaError) in
      let settings = try settings(call, interpreter)
      return { () async throws(LuaError) in
        do throws(OIDCError) {
          let client = try await OIDCClient.discover(
            settings, over: interpreter.transport, now: { [clock = interpreter.clock] in clock.now }
          )
          return [.object(classes.oidcClient, OIDCClientBox(client))]
        } catch {
          if error.code == .discoveryFailed, await interpreter.lacksProvider(settings.issuer) {
            throw EmulatorModule.lacking(.identityProviders)
          }
          throw interpreter.luaError(error)
        }
      }
    }
    return Module(
      "luath.oidc", "A client of any OpenID provider, without Firebase.", oidc.list,
      classes: [
        (classes.oidcClient, OIDCClientClass.declare(interpreter)),
        (classes.oidcFlow, OIDCFlowClass.declare(interpreter)),
        (classes.oidcTokens, OIDCTokensClass.declare(interpreter)),
        (classes.oidcDevice, OIDCDeviceClass.declare(interpreter)),
      ])
  }

  private static func settings(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> OIDCClientSettings {
    func text(_ name: String) -> String? { call.field(1, name) { $0.string($1) } }
    for name in ["issuer", "clientID"] where text(name) == nil {
      throw .message("bad argument #1 to 'client' (option '\(name)' is missing)")
    }
    var settings = OIDCClientSettings(
      issuer: interpreter.transport.answeringIssuer(text("issuer") ?? ""),
      clientID: text("clientID") ?? "", clientSecret: text("clientSecret").map { Secret($0) },
      redirectURI: text("redirectURI"))
    settings.place = interpreter.transport.place(ofIssuer: settings.issuer)
    if let name = text("authentication") {
      settings.authentication = try named(name, "authentication", "client")
    }
    if let scopes = call.field(1, "scopes", { $0.isNil($1) ? nil : $0.strings($1) }) {
      settings.scopes = scopes
    }
    if let leeway = call.field(1, "leeway", { $0.integer($1) }) {
      // With hours of leeway, expired tokens would be accepted.
      guard (0...3600).contains(leeway) else {
        throw .message(
          "bad argument #1 to 'client' (option 'leeway' must be between 0 and 3600 seconds)")
      }
      settings.leeway = leeway
    }
    return settings
  }

  /// An enumeration value by its name in the specification.
  static func named<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ option: String, _ function: String, at position: Int = 1
  ) throws(LuaError) -> Value where Value.RawValue == String {
    if let value = Value(rawValue: name) { return value }
    let known = Value.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    throw .message(
      "bad argument #\(position) to '\(function)' (option '\(option)' must be one of \(known))")
  }
}

/// Holds a client, as Lua objects must be class instances.
final class OIDCClientBox {
  let client: OIDCClient

  init(_ client: OIDCClient) { self.client = client }
}

extension Interpreter {
  /// Runs work with an OpenID provider and converts its errors.
  func oidc(
    _ work: () async throws(OIDCError) -> [LuaValue]
  ) async throws(LuaError) -> [LuaValue] {
    do throws(OIDCError) {
      return try await work()
    } catch {
      throw luaError(error)
    }
  }

  /// Runs synchronous work and converts its errors.
  func oidcChecked<Value>(
    _ work: () throws(OIDCError) -> Value
  ) throws(LuaError) -> Value {
    do throws(OIDCError) {
      return try work()
    } catch {
      throw luaError(error)
    }
  }

  func luaError(_ error: OIDCError) -> LuaError {
    if error.code == .cancelled { return TaskErrors.cancelled }
    return .object([
      ("code", .string(error.code.rawValue)), ("message", .string(error.message.printable)),
      ("hint", .string(error.hint.printable)),
      ("providerError", .string(ifAny: error.providerError)),
    ])
  }
}

/// Shows a provider's pages for a client with any delegate.
struct OIDCPages {
  let client: OIDCClient
  let delegate: any AuthUIDelegate
  let interpreter: Interpreter

  func signIn(_ options: AuthorizationOptions) async throws(LuaError) -> OIDCTokens {
    let (flow, answer) = try await show(options.uiLocales.first) { presentation throws(OIDCError) in
      let flow = try client.begin(options, presentation: presentation)
      return (flow, flow.url, flow.redirectURI, options.loginHint)
    }
    do throws(OIDCError) {
      return try await client.finish(flow, finalURL: answer.finalURL, postBody: answer.postBody)
    } catch {
      throw interpreter.luaError(error)
    }
  }

  func signOut(_ options: LogoutOptions) async throws(LuaError) {
    var options = options
    options.redirectURI = options.redirectURI ?? client.settings.redirectURI
    let (logout, answer) = try await show(options.uiLocales.first) {
      presentation throws(OIDCError) in
      let logout = try client.logout(options, presentation: presentation)
      // Without a redirect address the delegate could not detect the end of the flow.
      guard let redirectURI = logout.redirectURI else {
        throw OIDCError(
          .unusableRequest, "the sign-out has no redirect address",
          hint: "give redirectURI, as registered with the provider for after a sign-out")
      }
      return (logout, logout.url, redirectURI, options.logoutHint)
    }
    try interpreter.oidcChecked { () throws(OIDCError) in
      try logout.finish(finalURL: answer.finalURL, postBody: answer.postBody)
    }
  }

  /// Shows one page with the delegate; always ends its presentation.
  private func show<Flow>(
    _ language: String?,
    _ begin: (WebURL?) throws(OIDCError) -> (
      flow: Flow, url: WebURL, redirectURI: WebURL, hint: String?
    )
  ) async throws(LuaError) -> (Flow, PageAnswer) {
    let provider = interpreter.transport.providerID(ofIssuer: client.metadata.issuer)
    let presentation = try await presentation(for: provider)
    let result: Result<(Flow, PageAnswer), LuaError>
    do throws(OIDCError) {
      let begun = try begin(presentation.redirectURL)
      let request = SignInPageRequest(
        url: begun.url, providerID: provider, redirectURI: begun.redirectURI.with(query: nil),
        loginHint: begun.hint, language: language,
        isEmulated: interpreter.transport.isEmulator(begun.url))
      do throws(AuthError) {
        result = .success((begun.flow, try await presentation.present(request)))
      } catch {
        result = .failure(interpreter.luaError(error))
      }
    } catch {
      result = .failure(interpreter.luaError(error))
    }
    await presentation.end()
    return try result.get()
  }

  private func presentation(
    for provider: String
  ) async throws(LuaError) -> any SignInPresentation {
    do throws(AuthError) {
      guard case .page(let presentation) = try await delegate.begin(provider) else {
        throw AuthError(
          .webPageUnusable, "this delegate gets tokens by itself and shows no page",
          hint: "show the page with another one, or use client:device()")
      }
      return presentation
    } catch {
      throw interpreter.luaError(error)
    }
  }
}

enum OIDCOptions {
  /// Several words, in one string or in a list.
  private static var words: LuaParameter.Kind { .either([.string, .list(.string)]) }

  static var authorization: LuaParameter {
    LuaParameter(
      "options",
      .options([
        LuaParameter("scopes", .list(.string), optional: true, "the client's own when not given"),
        LuaParameter("loginHint", .string, optional: true, "who is likely to sign in"),
        LuaParameter("prompt", .string, optional: true, "none, login, consent or select_account"),
        LuaParameter(
          "maxAge", .integer, optional: true, "maximum age of the sign-in in seconds"),
        LuaParameter("uiLocales", words, optional: true, "languages of the pages"),
        LuaParameter("acrValues", words, optional: true, "how strongly to prove who it is"),
        LuaParameter("responseType", .string, optional: true, "code, id_token or code id_token"),
        LuaParameter("responseMode", .string, optional: true, "query, fragment or form_post"),
        LuaParameter("redirectURI", .string, optional: true, "the client's own when not given"),
        LuaParameter("parameters", .map(.string), optional: true, "of the provider's own"),
        LuaParameter(
          "hashNonce", .boolean, optional: true,
          "false sends the raw nonce; Firebase expects the hash"),
        LuaParameter(
          "nonce", .boolean, optional: true,
          "false sends none, for a credential without rawNonce; only with the response type code"),
      ]), optional: true)
  }

  static var logout: LuaParameter {
    LuaParameter(
      "options",
      .options([
        LuaParameter("idToken", .secret, optional: true, "of the session to end"),
        LuaParameter("redirectURI", .string, optional: true, "the redirect address"),
        LuaParameter("logoutHint", .string, optional: true, "who signs out"),
        LuaParameter("uiLocales", words, optional: true, "languages of the pages"),
      ]), optional: true)
  }

  static func authorization(
    _ call: LuaCall, _ index: Int, _ function: String
  ) throws(LuaError) -> AuthorizationOptions {
    var options = AuthorizationOptions()
    guard call.isTable(index) else { return options }
    func text(_ name: String) -> String? { call.field(index, name) { $0.string($1) } }
    options.scopes = call.field(index, "scopes") { $0.isNil($1) ? nil : $0.strings($1) }
    options.loginHint = text("loginHint")
    options.prompt = text("prompt")
    options.maxAge = call.field(index, "maxAge") { $0.integer($1) }
    options.uiLocales = words(call, index, "uiLocales")
    options.acrValues = words(call, index, "acrValues")
    // Scripts do not count the object as an argument.
    if let name = text("responseType") {
      options.responseType = try OIDCModule.named(
        name, "responseType", function, at: index - 1)
    }
    if let name = text("responseMode") {
      options.responseMode = try OIDCModule.named(
        name, "responseMode", function, at: index - 1)
    }
    options.redirectURI = text("redirectURI")
    options.parameters = call.field(index, "parameters") { $0.stringPairs($1) }
      .map { (name: $0.0, value: $0.1) }
    options.sendsNonce = call.field(index, "nonce") { $0.isNil($1) || $0.boolean($1) }
    options.hashesNonce = call.field(index, "hashNonce") { $0.isNil($1) || $0.boolean($1) }
    return options
  }

  static func words(_ call: LuaCall, _ index: Int, _ name: String) -> [String] {
    call.field(index, name) { call, at in
      if let text = call.string(at) { return text.split(separator: " ").map(String.init) }
      return call.isTable(at) ? call.strings(at) : []
    }
  }
}
