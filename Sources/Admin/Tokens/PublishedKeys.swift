import HTTP
import IdentityToolkit
import OIDC

/// The keys that a signer publishes at one address, kept for as long as the signer says.
///
/// Lives where its transport lives and is not shared between threads.
final class PublishedKeys {
  /// How long the signer is left in peace after it was asked for a key it does not have, in seconds:
  /// anybody can send a token that names one.
  private static let pause: Int64 = 10
  /// How long an emulator that publishes nothing is taken for one that signs nothing, in seconds.
  private static let absence: Int64 = 60

  private struct Answer {
    /// Nil from an emulator that signs nothing.
    let keys: KeySet?
    /// The seconds in which it may be used.
    let isFresh: Range<Int64>
  }

  private let url: WebURL
  private let transport: any Transport
  /// Whether a signer without keys is no failure.
  private let mayBeAbsent: Bool
  private var answer: Answer?
  private var inPeace: Range<Int64> = 0..<0
  private let asking = SharedWork<KeySet?, AdminError>()

  init(at url: WebURL, over transport: any Transport, mayBeAbsent: Bool) {
    self.url = url
    self.transport = transport
    self.mayBeAbsent = mayBeAbsent
  }

  /// The signer's keys, asked for again when the known ones are too old or lack the key of that name.
  ///
  /// Nil from an emulator that signs nothing.
  func keys(naming keyID: String?, now: Int64) async throws(AdminError) -> KeySet? {
    if let answer, answer.isFresh.contains(now) {
      let isThere = keyID.map { answer.keys?.contains(keyID: $0) ?? false } ?? true
      if isThere || inPeace.contains(now) { return answer.keys }
    }
    let keys = try await load(now: now)
    if let keyID, keys?.contains(keyID: keyID) != true { inPeace = now..<(now + Self.pause) }
    return keys
  }

  /// Asks the signer; callers at the same time share one request.
  private func load(now: Int64) async throws(AdminError) -> KeySet? {
    while true {
      let keys = try await asking.share { () async throws(AdminError) in try await ask(now: now) }
      if let keys { return keys }
    }
  }

  private func ask(now: Int64) async throws(AdminError) -> KeySet? {
    var request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
    // A dozen certificates have a fiftieth of this.
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
        ? "an answer without certificates" : "status \(response.status)"
      throw AdminError(
        .certificateFetchFailed,
        "\(url.origin) gives \(words) for the keys that tokens are signed with")
    }
    answer = Answer(keys: keys, isFresh: now..<(now + Self.lifetime(response.headers)))
    return keys
  }

  /// How long an answer is fresh, in seconds (RFC 9111 sections 4.2.1 and 4.2.3); 0 when it does not say.
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
    // Nobody's keys stay for a year; the limit keeps sums of times from overflowing.
    return min(max(max(age, 0) - max(spent, 0), 0), 31_536_000)
  }
}
