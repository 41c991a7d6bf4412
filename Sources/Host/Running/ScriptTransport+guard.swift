import HTTP
import IdentityToolkit

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
