internal import Encoding
internal import HTTP
internal import OIDC

/// Discovery documents and key sets of the providers, kept for a while.
final class IssuerDirectory {
  /// How long a document is believed without asking again, in seconds.
  private static let lifetime: Int64 = 600

  private let transport: any Transport
  private let clock: EmulatorClock
  private var metadata: [String: (value: ProviderMetadata, until: Int64)] = [:]
  private var keySets: [WebURL: (value: KeySet, until: Int64)] = [:]

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

  /// Checks a token's signature; a key the kept set lacks is looked for once more at the provider.
  func verify(_ jwt: JWT, keysAt url: WebURL) async throws(IssuerProblem) {
    if let known = keySets[url], known.until > clock.seconds {
      do throws(JOSEError) {
        return try jwt.verify(known.value)
      } catch {
        // The provider may have changed its keys since.
      }
    }
    let keys: KeySet
    do throws(OIDCError) {
      keys = try await KeySet.fetch(from: url, over: transport)
    } catch {
      throw IssuerProblem(text: error.message)
    }
    keySets[url] = (keys, clock.seconds + Self.lifetime)
    do throws(JOSEError) {
      try jwt.verify(keys)
    } catch {
      throw IssuerProblem(text: error.message)
    }
  }

  /// Reads the profile of the person an access token is for.
  func profile(at url: WebURL, bearer token: Secret) async throws(IssuerProblem) -> JSONObject {
    var request = HTTPRequest(url: url, timeout: .seconds(15), maximumResponseBytes: 1 << 20)
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

/// Why an identity provider's answer cannot be used, in words that hold no secret.
struct IssuerProblem: Error {
  let text: String
}
