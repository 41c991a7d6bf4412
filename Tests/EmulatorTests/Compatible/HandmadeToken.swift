@testable import System
@testable import OIDC

/// Tokens that nobody signed, written down part by part.
enum HandmadeToken {
  /// A JWT of any header and payload, which need not be JSON.
  static func jwt(header: String = #"{"alg":"none"}"#, _ payload: String) -> String {
    "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))."
  }

  static func jwt(_ claims: JSONObject) -> JSON { .string(jwt(JSON.object(claims).encoded())) }

  /// A refresh token or pending credential.
  static func base64(_ fields: JSONObject) -> JSON {
    .string(Base64.encode(JSON.object(fields).encodedBytes()))
  }
}
