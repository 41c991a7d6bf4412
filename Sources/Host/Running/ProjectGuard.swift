import HTTP
import IdentityToolkit
import Synchronization

/// Allows a run to change a real project only with the user's consent.
///
/// All threads of a run share one guard. It checks real projects only; emulators may always be changed.
public final class ProjectGuard: Sendable {
  /// The user's consent before the run.
  public struct Consent: Sendable {
    /// The projects that may be changed.
    var allowed: Set<String> = []
    /// The projects that may only be read; takes precedence over all other settings.
    var protected: Set<String> = []
    /// Asks the user about a project; nil without a terminal.
    var ask: (@Sendable (_ projectID: String, _ call: String) async -> Bool)?
    /// Whether a refusal holds for the rest of the run.
    var remembersRefusal = true
    /// Reports a project that will be changed without a question.
    var announce: (@Sendable (_ projectID: String) -> Void)?
    /// The hint for allowing changes of a project.
    var advice: @Sendable (_ projectID: String) -> String = { _ in
      ErrorCode.changeNotAllowed.hint
    }

    /// Creates a consent to no changes.
    public init() {}
  }

  enum Verdict {
    case allowed
    case refused(HTTPError)
    /// The user must be asked.
    case open
  }

  private struct State {
    var answers: [String: Bool] = [:]
    var announced: Set<String> = []
    /// Whether a question is being asked, and the calls that wait for its answer.
    var isAsking = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
    var reportedKeys: Set<String> = []
  }

  private let consent: Consent
  private let state = Mutex(State())

  /// Creates a guard with the user's consent.
  public init(_ consent: Consent = Consent()) { self.consent = consent }

  /// The decision about a call to a real project, without asking the user.
  ///
  /// - Parameter projectID: The target's project; the call's address may name another one.
  func verdict(on call: ProjectCall, of projectID: String?) -> Verdict {
    guard call.changes else { return .allowed }
    guard let id = call.projectID ?? projectID else {
      return .refused(
        HTTPError(
          .changeNotAllowed,
          "\(call.name.printable) would change a real project that no target names",
          hint: "name the project as a target of the project file, and call it by that target"))
    }
    guard !consent.protected.contains(id) else {
      return .refused(
        HTTPError(
          .changeNotAllowed,
          "\(call.name.printable) would change the project \(id.printable), which is protected",
          hint: "name another target, or take protected = true out of the project file"))
    }
    if consent.allowed.contains(id) {
      announce(id)
      return .allowed
    }
    switch state.withLock({ $0.answers[id] }) {
    case true?: return .allowed
    case false?: return .refused(refusal(call, id, "which was refused at the terminal"))
    case nil:
      return consent.ask == nil
        ? .refused(refusal(call, id, "which this run is not allowed to do")) : .open
    }
  }

  /// Returns when the call is allowed; asks the user if necessary.
  func admit(_ call: ProjectCall, of projectID: String?) async throws(HTTPError) {
    while true {
      switch verdict(on: call, of: projectID) {
      case .allowed: return
      case .refused(let error): throw error
      case .open: try await ask(call, call.projectID ?? projectID ?? "")
      }
    }
  }

  /// Asks the user, or waits while another call is asking.
  private func ask(_ call: ProjectCall, _ id: String) async throws(HTTPError) {
    let isMine = state.withLock { state in
      if state.isAsking { return false }
      state.isAsking = true
      return true
    }
    guard isMine else {
      await withUnsafeContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isAsking { state.waiting.append(continuation) }
          return !state.isAsking
        }
        if isOver { continuation.resume() }
      }
      return
    }
    let isAllowed = await consent.ask?(id, call.name) ?? false
    let waiting = state.withLock { state in
      if isAllowed || consent.remembersRefusal { state.answers[id] = isAllowed }
      state.isAsking = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    if !isAllowed { throw refusal(call, id, "which was refused at the terminal") }
  }

  private func refusal(_ call: ProjectCall, _ id: String, _ reason: String) -> HTTPError {
    HTTPError(
      .changeNotAllowed,
      "\(call.name.printable) would change the real project \(id.printable), \(reason)",
      hint: consent.advice(id))
  }

  private func announce(_ id: String) {
    guard let announce = consent.announce, state.withLock({ $0.announced.insert(id).inserted })
    else { return }
    announce(id)
  }

  /// Whether a key file is reported for the first time in this run.
  func isFirstReport(ofKey path: String) -> Bool {
    state.withLock { $0.reportedKeys.insert(path).inserted }
  }
}

/// The checks that every request of a script, its clients and its delegates passes before it is sent.
extension ScriptTransport {
  /// Throws if the run must not make the request; asks the user if necessary.
  func admit(_ sent: HTTPRequest) async throws(HTTPError) {
    if let refusal = planRefusal(of: sent) { throw refusal }
    guard let call = ProjectCall(sent) else { return }
    try await projectGuard.admit(call, of: realProject)
  }

  /// Whether the user must be asked about a request: `begin` would refuse it, `send` asks.
  func mustAsk(about request: HTTPRequest) -> Bool {
    var sent = request
    sent.url = answering(request.url)
    guard let call = ProjectCall(sent),
      case .open = projectGuard.verdict(on: call, of: realProject)
    else { return false }
    return true
  }

  /// The error of a request that must not be sent without asking the user; nil when it may be sent.
  func refusal(of sent: HTTPRequest, isRedirect: Bool = false) -> HTTPError? {
    if let refusal = planRefusal(of: sent) { return refusal }
    guard let call = ProjectCall(sent) else { return nil }
    switch projectGuard.verdict(on: call, of: realProject) {
    case .allowed: return nil
    case .refused(let error): return error
    case .open:
      return HTTPError(
        .changeNotAllowed,
        isRedirect
          ? "a redirect leads to \(call.name.printable), which would change a real project"
          : "\(call.name.printable) would change a real project",
        hint: "send the request to its final address")
    }
  }

  /// The error of a request that would change accounts while planning; nil for other requests.
  private func planRefusal(of sent: HTTPRequest) -> HTTPError? {
    guard isReadOnly else { return nil }
    let call =
      ProjectCall(sent) ?? ProjectCall(toEmulator: sent, isEmulator: isAnyEmulator(sent.url))
    guard let call, call.changes else { return nil }
    return HTTPError(
      .changeNotAllowed,
      "a plan only reads, and \(sent.method) \(call.name.printable) is a change",
      hint: "return an operation from plan instead: luath batch run carries it out")
  }
}
