import System
import HTTP
import Lua
import OIDC

enum OIDCFlowClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.oidcFlow
    type.properties = [
      property("url", "The page to open, with state, nonce and PKCE challenge.") {
        $0.url.description
      },
      property("redirectURI", "Where the browser comes back to.") { $0.redirectURI.description },
      property("state", "What the answer must carry.") { $0.state.reveal() },
      property("nonce", "What the ID token must carry.") { $0.nonce.reveal() },
      property("rawNonce", "What the nonce is the SHA-256 of, for Firebase.") {
        $0.rawNonce.reveal()
      },
    ]
    type.describe = { "OIDCFlow(\(($0 as? OIDCFlow)?.url.origin ?? "?"))" }
    return []
  }

  private static func property(
    _ name: String, _ summary: String, _ read: @escaping (OIDCFlow) -> String
  ) -> LuaClass.Property {
    .computed(name, .string, summary) { call in
      call.push(.string(ifAny: call.object(1, as: OIDCFlow.self).map(read)))
      return .results(1)
    }
  }
}
