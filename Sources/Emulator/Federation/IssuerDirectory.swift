internal import System
internal import HTTP
internal import OIDC

/// A cache of the providers' discovery documents and key sets.
final class IssuerDirectory {
  /// How long a document is cached, in seconds.
  private static let lifetime: Int64 = 600

  private let transport: any Transport
  private let clock: EmulatorClock
  private var metadata: [String: (value: ProviderMetadata, until: Int64)] = [:]
  private var keys: [WebURL: (value: ProviderKeys, until: Int64)] = [:]

  init(transport: any Transport, clock: EmulatorClock) {
    self.transport = transport
    self.clock = clock
  }

  func metadata(of issuer: String) async throws(OIDCError) -> ProviderMetadata {
    if let known = metadata[issuer], known.until > clock.seconds { return known.value }
    let found = try await ProviderMetadata.discover(issuer: issuer, over: transport)
    metadata[issuer] = (found, clock.seconds + Self.lifetime)
    return found
  }

  /// Checks a token's signature; an unknown key is looked up at the provider again, at most a few times per minute.
  func verify(_ jwt: JWT, keysAt url: WebURL) async throws(OIDCError) {
    if let known = keys[url], known.until > clock.seconds {
      return try await known.value.verify(jwt)
    }
    let clock = clock
    let fresh = ProviderKeys(url, over: transport) { clock.seconds }
    keys[url] = (fresh, clock.seconds + Self.lifetime)
    try await fresh.verify(jwt)
  }

  func profile(at url: WebURL, bearer token: Secret) async throws(IssuerProblem) -> JSONObject {
    var request = HTTPRequest(url: url, maximumResponseBytes: 1 << 20)
    request.headers.set("Accept", "application/json")
    request.headers.set("Authorization", "Bearer \(token.reveal())")
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      throw IssuerProblem(text: error.message)
    }
    guard response.status == 200 else {
      throw IssuerProblem(text: "\(url.host) answers with status \(response.status)")
    }
    guard let profile = try? response.json().object else {
      throw IssuerProblem(text: "\(url.host) answers with something other than a JSON object")
    }
    return profile
  }
}

/// Why an identity provider's response cannot be used, in a message without secrets.
struct IssuerProblem: Error {
  let text: String
}
