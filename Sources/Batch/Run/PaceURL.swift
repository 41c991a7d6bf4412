import HTTP
import Host
import System

/// The URL of `--pace-url`, whose responses hold a run, release it or limit its rate.
struct PaceURL: Sendable {
  /// What a response asks for.
  enum Reply: Sendable, Equatable {
    /// Make calls, at most so many a second; nil for no limit by the URL.
    case go(limit: Double?)
    /// Begin no step.
    case hold
  }

  /// A response that says nothing about the pace, or none.
  struct Unusable: Error {
    let message: String
  }

  let url: WebURL
  /// How often to ask, unless a `Retry-After` says otherwise.
  var interval = Duration.seconds(5)

  /// The longest wait that a `Retry-After` leads to.
  static let longestWait = Duration.seconds(3600)
  /// The time limit for a response.
  private static let patience = Duration.seconds(5)

  fileprivate var request: HTTPRequest {
    HTTPRequest(
      url: url, headers: ["Accept": "application/json"], timeout: Self.patience,
      maximumResponseBytes: 64 << 10, maximumRedirects: 3)
  }

  /// What a response asks for, and how long to wait before the next question.
  func reply(of response: HTTPResponse) throws(Unusable) -> (Reply, Duration) {
    switch response.status {
    case 200..<300: return (.go(limit: try Self.limit(in: response.body)), interval)
    case 429, 503:
      guard let asked = response.headers.retryAfter() else { return (.hold, interval) }
      return (.hold, max(.seconds(1), min(asked, Self.longestWait)))
    default: throw Unusable(message: "it responds with the status \(response.status)")
    }
  }

  /// The member `rate` of a JSON object, in calls a second; nil in other texts.
  private static func limit(in body: [UInt8]) throws(Unusable) -> Double? {
    guard let rate = (try? JSON.parse(body))?["rate"], rate != .null else { return nil }
    let number: Double? =
      switch rate {
      case .integer(let value): Double(value)
      case .number(let value): value
      default: nil
      }
    guard let number, case .rate(let limit)? = BatchControl("rate=\(number)") else {
      throw Unusable(message: "its rate is not a number from 0.01 to 1000000")
    }
    return limit
  }
}

/// Asks the pace URL until the run ends, and passes each reply to the executor.
///
/// While there is no usable response, the last reply applies. Before the first one, the run is held.
actor PaceWatch {
  private nonisolated let loop: EventLoop
  private let pace: PaceURL
  private let executor: Executor
  private let warn: @Sendable (_ message: String, _ hint: String) -> Void
  private let client: HTTPClient
  private var wait = Duration.zero
  private var isAway = false
  private var hasReply = false

  /// The executor of the loop's thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// - Parameter warn: Receives one warning for each time without usable responses.
  init(
    _ pace: PaceURL, _ executor: Executor,
    warn: @escaping @Sendable (_ message: String, _ hint: String) -> Void
  ) {
    self.pace = pace
    self.executor = executor
    self.warn = warn
    loop = executor.loop
    client = HTTPClient(loop: executor.loop)
  }

  /// Asks once.
  func ask() async {
    let result: Result<HTTPResponse, HTTPError>
    do throws(HTTPError) { result = .success(try await client.send(pace.request)) } catch {
      result = .failure(error)
    }
    do throws(PaceURL.Unusable) {
      let response: HTTPResponse
      do throws(HTTPError) { response = try result.get() } catch {
        throw PaceURL.Unusable(message: error.message)
      }
      let (reply, wait) = try pace.reply(of: response)
      (self.wait, isAway, hasReply) = (wait, false, true)
      await executor.obey(reply)
    } catch {
      wait = pace.interval
      if !hasReply { await executor.obey(.hold) }
      guard !isAway, !Task.isCancelled else { return }
      isAway = true
      warn(
        "the pace URL \(pace.url.origin) cannot be used: \(error.message)".printable,
        hasReply
          ? "its last response still applies; it is asked again every few seconds"
          : "the run waits for its first response; end it with Ctrl-C")
    }
  }

  /// Asks again and again until the task is canceled.
  func follow() async {
    while (try? await loop.sleep(for: wait)) != nil { await ask() }
  }
}
