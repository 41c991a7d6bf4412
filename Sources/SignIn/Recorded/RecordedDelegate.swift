internal import System
internal import HTTP
internal import IdentityToolkit
public import Client
internal import Glibc

/// Replays a recorded sign-in with a script's answers, without network access.
///
/// Wrong answers fail as they would at the server. A recorded error is returned. A recorded success
/// contains no valid code, so `Finish` must complete it.
public final class RecordedDelegate: PageDelegate {
  /// Completes a sign-in whose recording succeeded.
  public typealias Finish = (SignInPageRequest) async throws(AuthError) -> PageAnswer

  private let answers: SignInAnswers
  private let limits: FormLimits
  private let file: String
  private let finish: (SignInPageRequest) -> Finish?

  /// Creates a delegate that replays `file`.
  ///
  /// - Parameter finish: returns how to complete a success at the current server, or nil if that is
  ///   not possible.
  public init(
    answers: SignInAnswers, limits: FormLimits = FormLimits(), file: String,
    finish: @escaping (SignInPageRequest) -> Finish?
  ) {
    self.answers = answers
    self.limits = limits
    self.file = file
    self.finish = finish
  }

  /// Replays the pages and returns the recorded error or a fresh success.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let recording = try read()
    guard recording.providerID == request.providerID else {
      throw AuthError(
        .webPageUnusable,
        "the recording \(file) is of \(recording.providerID), and this sign-in is with "
          + request.providerID,
        hint: "give the recording of a sign-in with \(request.providerID)")
    }
    let finish = finish(request)
    if recording.answer == .success, finish == nil {
      throw AuthError(
        .webPageUnusable,
        "the recorded response cannot be redeemed: its code was for one use, and \(request.url.origin) "
          + "is not the emulator",
        hint: "replay it against the emulator, or sign in with ui.form")
    }
    try await walk(recording, request)
    switch recording.answer {
    case .success:
      guard let finish else { preconditionFailure("checked above") }
      return try await finish(request)
    case .refusal(let error, let description, let isPosted, let isInFragment):
      var fields = [("error", error)]
      if let description { fields.append(("error_description", description)) }
      if let state = request.url.fields["state"] { fields.append(("state", state)) }
      let text = FormFields(fields).encoded
      let place = request.redirectURI
      if isPosted { return PageAnswer(finalURL: place.description, postBody: Secret(text)) }
      return PageAnswer(
        finalURL: (isInFragment ? place.with(fragment: text) : place.with(query: text)).description)
    case .failure(let reason):
      throw AuthError(
        .webPageUnusable,
        "the recorded sign-in ended with \(reason), and this one got further than its pages",
        hint: "record it again with ui.record")
    }
  }

  private func walk(
    _ recording: PageRecording, _ request: SignInPageRequest
  ) async throws(AuthError) {
    let mask = PageMask(answers.secrets)
    let replay = ReplayTransport(recording, mask: mask)
    let driver = FormDriver(transport: replay, answers: answers, limits: limits)
    do throws(FormDriverError) {
      _ = try await driver.drive(from: recording.start, until: recording.redirectURI)
    } catch {
      // The replay ends as the recording did. What the denial leads to is checked afterwards.
      if error.code == .denialIgnored { return }
      if case .failure(let reason) = recording.answer, replay.isAtEnd, replay.divergence != nil {
        throw ended(reason, request)
      }
      guard let divergence = replay.divergence else {
        throw AuthError(error, providerID: request.providerID)
      }
      throw AuthError(
        .webPageUnusable, "\(request.providerID): \(divergence)",
        hint:
          "give the answers that the recording was made with, or record it again with ui.record",
        details: ["reason": "otherThanRecorded", "recording": .string(file)])
    }
  }

  /// Returns the recorded failure of a sign-in that failed without a further page.
  private func ended(_ reason: String, _ request: SignInPageRequest) -> AuthError {
    let failure = FormDriverError(
      code: FormDriverError.Code(rawValue: reason) ?? .network,
      message: "the recorded sign-in ended with \(reason)",
      hint: "record it again with ui.record when the server responds again", page: nil, title: nil,
      pageMessage: nil, field: nil)
    return AuthError(failure, providerID: request.providerID)
  }

  // MARK: The file

  private func read() throws(AuthError) -> PageRecording {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try PrivateFile.read(file, atMost: 64 << 20)
    } catch {
      let isMissing = error.code == ENOENT
      throw AuthError(
        .webPageUnusable,
        isMissing
          ? "there is no recording \(file)"
          : "the recording \(file) cannot be read: \(error.message)",
        hint: isMissing
          ? "make one with ui.record(ui.form{ … }, file)" : "give the path of a recording")
    }
    do throws(PageRecording.Fault) {
      return try PageRecording(parsing: bytes)
    } catch {
      throw AuthError(error, file: file)
    }
  }
}

extension AuthError {
  init(_ fault: PageRecording.Fault, file: String) {
    let words =
      switch fault {
      case .notJSON(let reason): "the recording \(file) is damaged: \(reason)"
      case .notARecording: "\(file) is no recording of a sign-in"
      case .otherVersion(let version):
        "the recording \(file) has the version \(version.map(String.init) ?? "unknown"), and this "
          + "luath reads version \(PageRecording.version)"
      case .damaged(let reason): "the recording \(file) is damaged: \(reason)"
      }
    self.init(.webPageUnusable, words, hint: "record the sign-in again with ui.record")
  }
}

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
        "the recording ends after \(position) exchanges, and this sign-in continues to "
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
