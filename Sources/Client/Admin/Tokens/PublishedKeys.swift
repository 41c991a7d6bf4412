import HTTP
import IdentityToolkit
import OIDC

/// The keys that a signer publishes at a URL, cached as its response allows.
///
/// It has the isolation of its transport and is not shared between threads.
final class PublishedKeys {
  /// The minimum time between requests for unknown keys, in seconds.
  ///
  /// Anybody can send tokens that name one.
  private static let pause: Int64 = 10
  /// How long an emulator without keys is assumed not to sign, in seconds.
  private static let absence: Int64 = 60

  private struct Answer {
    /// Nil from an emulator that does not sign.
    let keys: KeySet?
    /// The period in which it may be used, in seconds since 1970.
    let isFresh: Range<Int64>
  }

  private let url: WebURL
  private let transport: any Transport
  /// Whether missing keys are not an error.
  private let mayBeAbsent: Bool
  private var answer: Answer?
  private var inPeace: Range<Int64> = 0..<0
  private let asking = SharedWork<KeySet?, AdminError>()

  init(at url: WebURL, over transport: any Transport, mayBeAbsent: Bool) {
    self.url = url
    self.transport = transport
    self.mayBeAbsent = mayBeAbsent
  }

  /// Returns the signer's keys; fetches them when the cached ones are stale or lack the key with that id.
  ///
  /// Nil from an emulator that does not sign.
  func keys(naming keyID: String?, now: Int64) async throws(AdminError) -> KeySet? {
    if let answer, answer.isFresh.contains(now) {
      let isThere = keyID.map { answer.keys?.contains(keyID: $0) ?? false } ?? true
      if isThere || inPeace.contains(now) { return answer.keys }
    }
    let keys = try await load(now: now)
    if let keyID, keys?.contains(keyID: keyID) != true { inPeace = now..<(now + Self.pause) }
    return keys
  }

  /// Fetches the keys; concurrent callers share one request.
  private func load(now: Int64) async throws(AdminError) -> KeySet? {
    while true {
      let keys = try await asking.share { () async throws(AdminError) in try await ask(now: now) }
      if let keys { return keys }
    }
  }

  private func ask(now: Int64) async throws(AdminError) -> KeySet? {
    var request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
    // Fifty times the size of a dozen certificates.
    request.maximumResponseBytes = 1 << 20
    request.timeout = .seconds(15)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      throw AdminError(.networkError, error.message, hint: error.hint)
    }
    return try read(response, now: now)
  }

  private func read(_ response: HTTPResponse, now: Int64) throws(AdminError) -> KeySet? {
    if response.status == 404, mayBeAbsent {
      answer = Answer(keys: nil, isFresh: now..<(now + Self.absence))
      return nil
    }
    guard response.status == 200, let json = try? response.json(),
      let keys = try? KeySet(certificates: json), keys.count > 0
    else {
      let words =
        response.status == 200
        ? "a response without certificates" : "status \(response.status)"
      throw AdminError(
        .certificateFetchFailed,
        "\(url.origin) returned \(words) for the keys that tokens are signed with")
    }
    answer = Answer(keys: keys, isFresh: now..<(now + Self.lifetime(response.headers)))
    return keys
  }

  /// Returns how long a response is fresh, in seconds (RFC 9111 sections 4.2.1 and 4.2.3); 0 by default.
  static func lifetime(_ headers: HTTPHeaders) -> Int64 {
    var age: Int64 = 0
    for field in headers.fields where field.name.lowercased() == "cache-control" {
      for directive in field.value.lowercased().split(separator: ",") {
        let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
        switch parts.first {
        case "no-store", "no-cache": return 0
        case "max-age": age = parts.count == 2 ? Int64(parts[1].filter { $0 != "\"" }) ?? 0 : 0
        default: break
        }
      }
    }
    let spent = headers["Age"].flatMap { Int64($0) } ?? 0
    // At most a year, which also prevents overflows.
    return min(max(max(age, 0) - max(spent, 0), 0), 31_536_000)
  }
}
