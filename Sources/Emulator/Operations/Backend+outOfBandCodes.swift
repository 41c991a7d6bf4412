internal import Encoding
internal import HTTP
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// Makes a code and the link that carries it; whoever reads the listing plays the mailbox.
  func makeCode(
    _ purpose: OutOfBandCode.Purpose, email: String, newEmail: String? = nil,
    continueURL: String? = nil
  ) -> OutOfBandCode {
    let code = SecureRandom.token(bytes: 40)
    var query = FormFields([
      ("mode", purpose.mode), ("lang", "en"), ("oobCode", code), ("apiKey", "fake-api-key"),
    ])
    if let continueURL { query.append("continueUrl", continueURL) }
    if let tenantID { query.append("tenantId", tenantID) }
    let made = OutOfBandCode(
      code: code, purpose: purpose, email: email, newEmail: newEmail,
      link: "\(site.origin)/emulator/action?\(query.encoded)", createdAt: now)
    codes.put(made, under: code)
    return made
  }
}
