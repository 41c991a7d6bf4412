import Client
import Lua

/// `Auth.AuthProviderID`: provider IDs by the SDK's names, and some that the SDK has no name for.
enum ProviderIDs {
  private static let names = [
    ("apple", "apple.com"), ("email", EmailAuthProvider.id), ("facebook", FacebookAuthProvider.id),
    ("gameCenter", "gc.apple.com"), ("gitHub", GitHubAuthProvider.id),
    ("google", GoogleAuthProvider.id), ("phone", "phone"), ("microsoft", "microsoft.com"),
    ("twitter", TwitterAuthProvider.id), ("yahoo", "yahoo.com"),
  ]

  static let memberNames = names.map(\.0) + ["custom"]

  /// The table; its `custom` is for other providers of the project.
  static func table(_ interpreter: Interpreter) -> LuaValue {
    let custom = LuaFunction(
      usage: "AuthProviderID.custom(providerID)", parameters: [LuaParameter("providerID", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(1) ?? ""
      call.push(
        try interpreter.checked { () throws(AuthError) in try OAuthProvider(id).providerID })
      return .results(1)
    }
    return .pushed { call in
      call.push(
        .record(
          names.map { ($0.0, LuaValue.string($0.1)) } + [("custom", LuaValue.function(custom))]))
      call.useMetatable("luath.AuthProviderID")
    }
  }
}
