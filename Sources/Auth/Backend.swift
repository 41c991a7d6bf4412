import Encoding
import IdentityToolkit

/// What an Auth and its users share: the client, the clock and what was asked to be let through.
final class Backend {
  let client: IdentityToolkitClient
  let clock: any AuthClock
  var sendsUnverifiableTokens = false

  init(client: IdentityToolkitClient, clock: any AuthClock) {
    self.client = client
    self.clock = clock
  }

  /// Calls an endpoint, in a tenant where the endpoint takes one.
  func call(
    _ endpoint: Endpoint, _ body: JSONObject, tenantID: String?
  ) async throws(AuthError) -> JSONObject {
    var body = body
    if endpoint.namesTenant, let tenantID { body["tenantId"] = .string(tenantID) }
    do {
      return try await client.call(endpoint, body)
    } catch {
      throw AuthError(error)
    }
  }
}
