internal import System
internal import HTTP
internal import IdentityToolkit
public import Client

/// Signs in by forms and records the page exchanges in a file, for `RecordedDelegate`.
///
/// Failed sign-ins are recorded as well. A file holds one sign-in: the next one overwrites it.
public final class RecordingDelegate: PageDelegate {
  private let transport: any Transport
  private let answers: SignInAnswers
  private let limits: FormLimits
  private let file: String
  private let trace: SignInTrace?
  private let observe: PageObserver?
  private let recorder: PageRecorder?

  /// Creates a delegate for one user that records to `file`.
  init(
    transport: any Transport, answers: SignInAnswers, limits: FormLimits = FormLimits(),
    file: String, trace: SignInTrace? = nil, observe: PageObserver? = nil,
    recorder: PageRecorder? = nil
  ) {
    self.transport = transport
    self.answers = answers
    self.limits = limits
    self.file = file
    self.trace = trace
    self.observe = observe
    self.recorder = recorder
  }

  /// Checks that the file can be written, before anything is sent.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    do throws(SystemError) { try PrivateFile.checkPlace(of: file) } catch {
      throw unwritten(error)
    }
    return .page(self)
  }

  /// Signs the user in, writes the file, and returns the final redirect.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let recorder = RecordingTransport(transport)
    var answers = answers
    answers.languages = answers.languages ?? request.language
    let driver = FormDriver(transport: recorder, answers: answers, limits: limits)
    let run = SignInTrace.begin(request.providerID, trace, self.recorder)
    let outcome: Result<SignInArrival, FormDriverError>
    do throws(FormDriverError) {
      outcome = .success(
        try await driver.drive(
          from: request.url, until: request.redirectURI, keeping: run,
          telling: PageNarrator(observe: observe, providerID: request.providerID)))
    } catch {
      outcome = .failure(error)
    }
    try write(recorder, request, outcome)
    do throws(FormDriverError) {
      return try outcome.get().answer
    } catch {
      throw AuthError(error, providerID: request.providerID, keepsPages: trace != nil)
    }
  }

  private func write(
    _ recorder: RecordingTransport, _ request: SignInPageRequest,
    _ outcome: Result<SignInArrival, FormDriverError>
  ) throws(AuthError) {
    var secrets = answers.secrets + PageMask.secrets(in: request.url)
    let answer: PageRecording.Answer
    switch outcome {
    case .success(let arrival):
      answer = PageRecording.Answer(arrival)
      secrets += PageMask.secrets(in: arrival.url)
      // Posted values may be secret under any name.
      if answer == .success {
        secrets += arrival.posted?.pairs.map { Secret($0.value) } ?? []
      }
    case .failure(let error): answer = .failure(error.code.rawValue)
    }
    let recording = PageRecording(
      (request.providerID, request.url, request.redirectURI), recorder.exchanges,
      secrets: secrets, answer: answer)
    do throws(SystemError) {
      try PrivateFile.write(recording.encoded, to: file)
    } catch {
      throw unwritten(error)
    }
  }

  private func unwritten(_ problem: SystemError) -> AuthError {
    AuthError(
      .webPageUnusable, "the recording \(file) cannot be written: \(problem.message)",
      hint: "give ui.record a file in a folder that exists and can be written")
  }
}

extension PageRecording.Answer {
  init(_ arrival: SignInArrival) {
    guard let error = arrival.providerError else {
      self = .success
      return
    }
    let inFragment = arrival.url.fragmentFields["error"] != nil
    let description =
      arrival.posted?["error_description"] ?? arrival.url.fields["error_description"]
      ?? arrival.url.fragmentFields["error_description"]
    self = .refusal(
      error: error, description: description, isPosted: arrival.posted?["error"] != nil,
      isInFragment: inFragment)
  }
}

/// Forwards requests and records the exchanges.
final class RecordingTransport: Transport {
  typealias Exchange = (request: HTTPRequest, response: HTTPResponse)

  private let transport: any Transport
  private(set) var exchanges: [Exchange] = []

  init(_ transport: any Transport) { self.transport = transport }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await transport.send(request)
    exchanges.append((request, response))
    return response
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await transport.pause(for: duration)
  }
}
