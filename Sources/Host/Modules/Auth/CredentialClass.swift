import Client
import System
import Lua

enum CredentialClass {
  static func make() -> LuaClass {
    let type = LuaClass("Credential", "Proof of who a person is, for signIn, link, reauthenticate.")
    type.properties = [
      text("providerID", "The provider's id.") { $0.providerID },
      text("provider", "The provider's id, under the SDK's name.") { $0.providerID },
      text("signInMethod", "The way to sign in: a provider id, password or emailLink.") {
        $0.signInMethod
      },
      text("idToken", "The provider's ID token, if there is one.") { $0.idToken?.reveal() },
      text("accessToken", "The provider's access token, if there is one.") {
        $0.accessToken?.reveal()
      },
      text("secret", "The provider's OAuth 1 secret, if there is one.") { $0.secret?.reveal() },
      .computed("expiresIn", .integer, optional: true, "Seconds the access token is good for.") {
        call in
        let lifetime = call.object(1, as: Credential.self)?.accessTokenLifetime
        call.push(lifetime.map(LuaValue.integer) ?? .nil)
        return .results(1)
      },
    ]
    type.describe = { ($0 as? Credential)?.description ?? "credential" }
    return type
  }

  private static func text(
    _ name: String, _ summary: String, _ read: @escaping (Credential) -> String?
  ) -> LuaClass.Property {
    .computed(name, .string, optional: true, summary) { call in
      call.push(.string(ifAny: call.object(1, as: Credential.self).flatMap(read)))
      return .results(1)
    }
  }
}
