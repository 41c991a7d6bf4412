@testable import Emulator
@testable import System
@testable import HTTP

/// Requests made of arbitrary bytes, to an emulator that knows nothing yet.
///
/// An input is a list of requests with a byte 0x1E between them. The first line of each is `METHOD PATH`, the
/// second a word for the headers, the rest the body. `$idToken` and such stand for what an earlier
/// answer said under that name, so that one input can be a whole story.
struct EmulatorTarget {
  private let gateway: RequestRouter
  private let pages: IdentityProviders
  private var told: [String: String] = [:]

  private static let keys = SigningKeys()
  /// Never run: what would wait on it is left out.
  private static let loop: EventLoop = {
    guard let loop = try? EventLoop(name: "fuzz") else { fatalError("the machine has no epoll") }
    return loop
  }()
  private static let names = [
    "idToken", "refreshToken", "localId", "oobCode", "sessionInfo", "mfaPendingCredential",
    "mfaEnrollmentId", "temporaryProof", "tenantId", "code", "nextPageToken",
  ]

  private init(rules: Rules) {
    let context = EmulatorContext(
      configuration: .demo, rules: rules, clock: EmulatorClock(), keys: Self.keys)
    context.origin = "http://127.0.0.1:9099"
    gateway = RequestRouter(context: context, transport: Nowhere(), loop: Self.loop)
    pages = IdentityProviders(context: context)
  }

  /// Plays one input under compatible rules.
  static func feed(_ bytes: [UInt8]) {
    var target = EmulatorTarget(rules: .compatible)
    for part in bytes.split(separator: 0x1E).prefix(12) {
      guard let request = target.request(part) else { continue }
      target.ask(request)
    }
  }

  private mutating func ask(_ request: HTTPRequest) {
    if pages.answer(request) != nil { return }
    guard let response = response(to: request) else { return }
    precondition(
      response.status < 500 || response.status == 501,
      "\(request.method) \(request.url.pathAndQuery) is answered with \(response.status)")
    guard let json = try? JSON.parse(String(decoding: response.body, as: UTF8.self)) else { return }
    remember(json, depth: 0)
  }

  /// The answer, unless it would have to come from the network, which is not there.
  private func response(to request: HTTPRequest) -> ServerResponse? {
    switch gateway.turn(request) {
    case .done(let response): return response
    case .struck: return nil
    case .waits(let call, let backend):
      guard !backend.asksOthers(call) else { return nil }
      let work = Waiting(gateway: gateway, call: call, backend: backend)
      // It ends before this line does, since it waits for nobody.
      Task.immediate { work.response = await work.gateway.finish(work.call, work.backend) }
      return work.response
    }
  }

  /// One call on its way into a task; unchecked, because the task runs on this very thread.
  private final class Waiting: @unchecked Sendable {
    let gateway: RequestRouter
    let call: Call
    let backend: Backend
    var response: ServerResponse?

    init(gateway: RequestRouter, call: Call, backend: Backend) {
      self.gateway = gateway
      self.call = call
      self.backend = backend
    }
  }

  /// Keeps what the answer says under the names that requests may ask for.
  private mutating func remember(_ json: JSON, depth: Int) {
    switch json {
    case .object(let object) where depth < 4:
      for (name, value) in object.entries {
        if case .string(let text) = value, Self.names.contains(name) { told[name] = text }
        remember(value, depth: depth + 1)
      }
    case .array(let items) where depth < 4:
      for item in items.suffix(2) { remember(item, depth: depth + 1) }
    default: break
    }
  }

  private func request(_ bytes: ArraySlice<UInt8>) -> HTTPRequest? {
    let lines = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3 else { return nil }
    let words = filled(lines[0]).split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard words.count == 2,
      let url = WebURL("http://127.0.0.1:9099" + String(decoding: words[1], as: UTF8.self))
    else { return nil }
    return HTTPRequest(
      method: String(decoding: words[0], as: UTF8.self), url: url, headers: Self.headers(lines[1]),
      body: filled(lines[2]))
  }

  /// A letter for each header that is sent.
  private static func headers(_ letters: ArraySlice<UInt8>) -> HTTPHeaders {
    var headers: HTTPHeaders = ["Host": "127.0.0.1:9099"]
    for letter in letters.prefix(8) {
      switch letter {
      case UInt8(ascii: "j"): headers.set("Content-Type", "application/json")
      case UInt8(ascii: "f"): headers.set("Content-Type", "application/x-www-form-urlencoded")
      case UInt8(ascii: "t"): headers.set("Content-Type", "text/plain; charset=utf-8")
      case UInt8(ascii: "o"): headers.set("Authorization", "Bearer owner")
      case UInt8(ascii: "b"): headers.set("Authorization", "Bearer a.b.c")
      case UInt8(ascii: "k"): headers.set("X-Goog-Api-Key", "any")
      case UInt8(ascii: "c"): headers.set("Origin", "http://localhost:3000")
      case UInt8(ascii: "l"): headers.set("Accept-Language", "fr")
      default: break
      }
    }
    return headers
  }

  /// The bytes with `$NAME` replaced by what was told under the name.
  private func filled(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "$")) else { return Array(bytes) }
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let known = byte != UInt8(ascii: "$") ? nil : Self.names.first { rest.starts(with: $0.utf8) }
      if let known {
        result += (told[known] ?? "none").utf8
        rest = rest.dropFirst(known.utf8.count)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
