import IdentityToolkit

/// The kinds of tokens that the backend issues to users and administrators verify.
enum TokenKind: CaseIterable {
  case idToken
  case sessionCookie

  /// The name in messages.
  var noun: String {
    switch self {
    case .idToken: "ID token"
    case .sessionCookie: "session cookie"
    }
  }

  /// The name with its article.
  var article: String {
    switch self {
    case .idToken: "an ID token"
    case .sessionCookie: "a session cookie"
    }
  }

  /// The script function that verifies it, for hints.
  var verifier: String {
    switch self {
    case .idToken: "admin:verifyIDToken"
    case .sessionCookie: "admin:verifySessionCookie"
    }
  }

  /// The `iss` claim before the project id.
  var issuerStart: String {
    switch self {
    case .idToken: "https://securetoken.google.com/"
    case .sessionCookie: "https://session.firebase.google.com/"
    }
  }

  /// Host and path of the signer's X.509 certificates by key id.
  var keys: (host: String, path: String) {
    switch self {
    case .idToken:
      (
        "www.googleapis.com",
        "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
      )
    case .sessionCookie: ("www.googleapis.com", "/identitytoolkit/v3/relyingparty/publicKeys")
    }
  }

  var invalid: ErrorCode {
    switch self {
    case .idToken: .invalidIDToken
    case .sessionCookie: .invalidSessionCookie
    }
  }

  var expired: ErrorCode {
    switch self {
    case .idToken: .idTokenExpired
    case .sessionCookie: .sessionCookieExpired
    }
  }

  var revoked: ErrorCode {
    switch self {
    case .idToken: .idTokenRevoked
    case .sessionCookie: .sessionCookieRevoked
    }
  }
}
