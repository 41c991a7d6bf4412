@testable import IdentityToolkit
@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct SecretKindTests {
  @Test(arguments: [
    ("idToken", "ID token"), ("id_token", "ID token"), ("oauthIdToken", "ID token"),
    ("refreshToken", "refresh token"), ("REFRESH_TOKEN", "refresh token"),
    ("access_token", "access token"), ("Authorization", "access token"), ("token", "token"),
    ("xsrfToken", "token"), ("password", "password"), ("newPassword", "password"),
    ("user[password]", "password"), ("adaPw", "password"), ("passwords", "password"),
    ("Kennwort", "password"), ("oobCode", "action code"), ("code", "code"),
    ("smsResetCode", "code"), ("pin", "PIN"), ("state", "state"), ("RelayState", "state"),
    ("nonce", "nonce"), ("sessionInfo", "session"), ("key", "API key"),
    ("x-goog-api-key", "API key"),
    ("client_secret", "client secret"), ("code_verifier", "code verifier"),
    ("SAMLResponse", "SAML message"), ("Set-Cookie", "cookie"),
    ("mfaPendingCredential", "credential"),
    ("device_code", "device code"), ("X-Amz-Signature", "signature"), ("secret", "secret"),
    ("privateKey", "private key"), ("address", "secret"), ("", "secret"),
  ])
  func `the kind of a secret is that of its name`(name: String, kind: String) {
    #expect(SecretNames.kind(of: name).rawValue == kind)
  }
}
