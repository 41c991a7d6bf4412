internal import HTTP

/// Responds from a recording, as long as the requests equal the recorded ones.
final class ReplayTransport: Transport {
  private let recording: PageRecording
  private let mask: PageMask
  private var position = 0
  /// How the sign-in differs from the recording, if it does.
  private(set) var divergence: String?

  /// Whether all recorded exchanges were replayed.
  var isAtEnd: Bool { position == recording.exchanges.count }

  init(_ recording: PageRecording, mask: PageMask) {
    self.recording = recording
    self.mask = mask
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    guard position < recording.exchanges.count else {
      throw leave(
        "the recording ends after \(position) exchanges, and this sign-in goes on to "
          + mask.address("\(request.url.origin)\(request.url.path)"))
    }
    let known = recording.exchanges[position]
    position += 1
    let (address, fields) = PageRecording.Exchange.outline(of: request, mask)
    let place = "exchange \(position) of the recording is \(known.method) \(shown(known.address))"
    guard request.method == known.method, address == known.address else {
      throw leave("\(place), and this sign-in would send \(request.method) \(shown(address))")
    }
    guard fields == known.fields else {
      throw leave("\(place) with \(words(known.fields)), and this sign-in has \(words(fields))")
    }
    return HTTPResponse(
      status: known.status, headers: HTTPHeaders(known.headers.map { ($0.name, $0.value) }),
      body: Array(known.page.utf8), url: request.url)
  }

  func pause(for duration: Duration) async throws(HTTPError) {}

  private func leave(_ words: String) -> HTTPError {
    divergence = words
    return HTTPError(.unsupported, words, hint: "")
  }

  private func shown(_ address: String) -> String { String(address.prefix { $0 != "?" }) }

  private func words(_ fields: [String]) -> String {
    fields.isEmpty ? "no fields" : "the fields \(fields.joined(separator: ", "))"
  }
}
