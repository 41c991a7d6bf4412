@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// A transport that answers with recorded answers and keeps what it was asked.
///
/// Answers are queued by endpoint; what is not queued and has a usual answer gets that one.
final class RecordedBackend: Transport {
  struct Call {
    let endpoint: Endpoint
    let body: JSON
    let form: FormFields
    let headers: HTTPHeaders
  }

  enum Answer {
    case ok(JSON)
    case refused(String)
    case failed(HTTPError)
    /// Waits for `release`, then answers.
    indirect case held(Answer)
  }

  private(set) var calls: [Call] = []
  private var queued: [Endpoint: [Answer]] = [:]
  private var gates: [CheckedContinuation<Void, Never>] = []

  /// What `lookup` answers.
  var account: JSON = Recorded.account("U1")

  func queue(_ endpoint: Endpoint, _ answers: Answer...) {
    queued[endpoint, default: []] += answers
  }

  /// How many requests wait.
  var heldCount: Int { gates.count }

  func release() {
    let waiting = gates
    gates = []
    for gate in waiting { gate.resume() }
  }

  func calls(of endpoint: Endpoint) -> [Call] { calls.filter { $0.endpoint == endpoint } }

  /// The times waited before a request was sent again; nothing waits here.
  private(set) var pauses: [Duration] = []

  func pause(for duration: Duration) async throws(HTTPError) { pauses.append(duration) }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    // It is neither luath's emulator nor Firebase's.
    if request.url.path == "/emulator/v1/clock" {
      return HTTPResponse(status: 404, url: request.url)
    }
    guard
      let endpoint = Endpoint.allCases.first(where: {
        // An emulator has the host as the first segment of the path.
        ["/\($0.service.host)/\($0.path)", "/\($0.path)"].contains(request.url.path)
      })
    else {
      Issue.record("nothing is served at \(request.url.path)")
      throw HTTPError(.unsupported, "no such endpoint", hint: "")
    }
    calls.append(
      Call(
        endpoint: endpoint, body: (try? request.json()) ?? .null, form: request.form,
        headers: request.headers))
    var answer: Answer
    if queued[endpoint, default: []].isEmpty {
      switch endpoint {
      case .lookup: answer = .ok(["users": [account]])
      default:
        Issue.record("no answer is queued for \(endpoint)")
        answer = .refused("NO_ANSWER_QUEUED")
      }
    } else {
      answer = queued[endpoint, default: []].removeFirst()
    }
    while case .held(let later) = answer {
      await withCheckedContinuation { gates.append($0) }
      answer = later
    }
    switch answer {
    case .ok(let json):
      return HTTPResponse(status: 200, body: json.encodedBytes(), url: request.url)
    case .refused(let message):
      let body = Refusal(status: 400, message: message).body(.emulator)
      return HTTPResponse(status: 400, body: body.encodedBytes(), url: request.url)
    case .failed(let error): throw error
    case .held: preconditionFailure("held answers were taken out above")
    }
  }
}
