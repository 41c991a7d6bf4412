internal import System
internal import HTTP
internal import IdentityToolkit
internal import OIDC

extension RequestRouter {
  func tokenKeys() throws(Refusal) -> ServerResponse {
    do throws(JOSEError) {
      return ServerResponse(
        json: try context.keys.keySet(for: .idTokens),
        headers: ["Cache-Control": "public, max-age=60"]
      )
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }

  /// The public key as an X.509 certificate, under its key id.
  func certificates(
    for purpose: SigningKeys.Purpose
  ) throws(Refusal) -> ServerResponse {
    do throws(JOSEError) {
      let key = try context.keys.key(for: purpose)
      return ServerResponse(
        json: .object([
          key.keyID: .string(
            try key.certificatePEM(commonName: "securetoken.system.gserviceaccount.com"))
        ]),
        headers: ["Cache-Control": "public, max-age=60"])
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }
}
