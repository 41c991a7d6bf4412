import Client
import IdentityToolkit
import Lua

/// A provider for scripts; its scopes and parameters are stored as the script's own tables.
final class ProviderBox {
  let id: String
  /// The Auth that shows its page; nil for the default one.
  let auth: Auth?

  init(id: String, auth: Auth?) {
    self.id = id
    self.auth = auth
  }
}

enum ProviderClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.provider
    type.properties = [
      .computed("providerID", .string, "The provider's id.") { call in
        call.push(.string(ifAny: call.object(1, as: ProviderBox.self)?.id))
        return .results(1)
      },
      .stored("scopes", .list(.string), "Permissions to ask for beyond the basic profile.") {
        [unowned interpreter] call throws(LuaError) in
        _ = try interpreter.provider(call, 1, scopes: 2)
        return .results(0)
      },
      .stored(
        "customParameters", .map(.string), "Parameters for the provider, such as prompt and tenant."
      ) { [unowned interpreter] call throws(LuaError) in
        _ = try interpreter.provider(call, 1, parameters: 2)
        return .results(0)
      },
    ]
    type.describe = { "OAuthProvider(\(($0 as? ProviderBox)?.id ?? ""))" }
    var methods = Declarations(interpreter, owner: "provider", type: type)
    methods.wait(
      "getCredential", "Shows the provider's sign-in page and returns the credential.",
      [
        AuthModule.delegate(interpreter),
        LuaParameter(
          "options",
          .options([
            LuaParameter(
              "raisesConflict", .boolean, optional: true,
              "whether to ask the backend for the account at once")
          ]), optional: true),
      ], returns: "Credential"
    ) { [unowned interpreter] call throws(LuaError) in
      let raises = call.isTable(3) && call.field(3, "raisesConflict") { $0.boolean($1) }
      return try interpreter.getCredential(call, raisingConflict: raises)
    }
    // The SDKs have two functions of this name: Swift's shows the page, JavaScript's takes tokens.
    methods.wait(
      "credential", "A credential from tokens that you got yourself; otherwise getCredential.",
      [
        LuaParameter(
          "tokens",
          .either([
            .object(interpreter.classes.delegate), .function,
            .options(
              TokenCredentials.tokens.map { LuaParameter($0, .secret, optional: true) }),
          ]), optional: true, "a table of tokens, or a delegate")
      ], returns: "Credential"
    ) { [unowned interpreter] call throws(LuaError) in
      guard call.isTable(2) else { return try interpreter.getCredential(call) }
      let id = call.object(1, as: ProviderBox.self)?.id ?? ""
      let words = TokenCredentials.tokens.map { name in call.field(2, name) { $0.string($1) } }
      let made = try TokenCredentials.make(interpreter, [id] + words)
      return { () async throws(LuaError) in [.object(interpreter.classes.credential, made)] }
    }
    methods.alias(Spellings.shared.methods(of: "OAuthProvider"))
    setters(&methods, interpreter)
    type.methods = methods.members
    return methods.list
  }

  /// The setters of Objective-C and JavaScript; each returns the provider.
  private static func setters(_ methods: inout Declarations, _ interpreter: Interpreter) {
    func store(_ name: String, _ value: LuaValue, _ call: LuaCall) -> LuaFunction.Answer {
      call.push(call.reference(1))
      call.setStored(name, value)
      return .results(1)
    }
    methods.add("setScopes", for: "scopes", [LuaParameter("scopes", .list(.string))]) {
      [unowned interpreter] call throws(LuaError) in
      _ = try interpreter.provider(call, 1, scopes: 2)
      return store("scopes", .reference(call.reference(2)), call)
    }
    methods.add("addScope", for: "scopes", [LuaParameter("scope", .string)]) {
      [unowned interpreter] call throws(LuaError) in
      let scopes = call.stored(1, "scopes") { $0.strings($1) } + [call.string(2) ?? ""]
      let added = store("scopes", .list(scopes.map(LuaValue.string)), call)
      _ = try interpreter.provider(call, 1)
      return added
    }
    methods.add(
      "setCustomParameters", for: "customParameters", [LuaParameter("parameters", .map(.string))]
    ) { [unowned interpreter] call throws(LuaError) in
      _ = try interpreter.provider(call, 1, parameters: 2)
      return store("customParameters", .reference(call.reference(2)), call)
    }
  }
}

extension Interpreter {
  /// An effect that shows the page of the provider at 1 with the delegate at 2.
  fileprivate func getCredential(
    _ call: LuaCall, raisingConflict: Bool = false
  ) throws(LuaError) -> Effect {
    let auth = call.object(1, as: ProviderBox.self)?.auth ?? defaultAuth
    let provider = try provider(call, 1)
    let delegate = try delegate(call, 2, for: auth)
    return { () async throws(LuaError) in
      try await self.auth { () async throws(AuthError) in
        var credential = try await auth.getCredential(provider, delegate: delegate)
        if raisingConflict {
          credential = try await auth.raisingConflict(credential)
        } else {
          self.signInWarnings.note(got: credential)
        }
        return [.object(self.classes.credential, credential)]
      }
    }
  }

  /// The provider at `index`, with its current scopes and parameters or those about to be assigned.
  func provider(
    _ call: LuaCall, _ index: Int, scopes: Int? = nil, parameters: Int? = nil
  ) throws(LuaError) -> OAuthProvider {
    let id = call.object(index, as: ProviderBox.self)?.id ?? ""
    let words = scopes.map { call.strings($0) } ?? call.stored(index, "scopes") { $0.strings($1) }
    let count = call.stored(index, "scopes") { call, at in call.isTable(at) ? call.length(at) : 0 }
    let pairs =
      parameters.map { call.stringPairs($0) }
      ?? call.stored(index, "customParameters") { $0.stringPairs($1) }
    // The script may have changed its tables since they were checked.
    guard scopes != nil || words.count == count else {
      throw .message("OAuthProvider.scopes: list of strings expected, but an item is no string")
    }
    let members = call.stored(index, "customParameters") { call, at in
      var members = 0
      if call.isTable(at) { call.forEach(at) { _, _ in members += 1 } }
      return members
    }
    guard parameters != nil || pairs.count == members else {
      throw .message(
        "OAuthProvider.customParameters: table of strings by name expected, "
          + "but a member is no string")
    }
    return try checked { () throws(AuthError) in
      var provider = try OAuthProvider(id)
      try provider.setScopes(words)
      try provider.setCustomParameters(Dictionary(pairs) { $1 })
      return provider
    }
  }

  /// The delegate at `index`: an object of luath.ui or a function; otherwise the default of the Auth's target.
  ///
  /// - Parameter usage: The call without delegate, for advice.
  func delegate(
    _ call: LuaCall, _ index: Int, for auth: Auth? = nil,
    of usage: String = "provider:getCredential()"
  ) throws(LuaError) -> any AuthUIDelegate {
    if call.isCompletion(index) {
      throw .message("bad argument #\(index - 1) (\(ArgumentAdvice.callback(usage)))")
    }
    if let box = call.object(index, as: DelegateBox.self) { return box.delegate }
    if call.isFunction(index) { return FunctionDelegate(call.reference(index), self) }
    return DefaultDelegate(self, isEmulated: (auth?.target ?? context.target).isEmulated)
  }
}
