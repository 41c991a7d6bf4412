import HTTP
import IdentityToolkit

/// The one place that every request of a script, its clients and its delegates passes before it is sent.
extension ScriptTransport {
  /// Refuses what this run may not change; asks the user where that is open.
  func admit(_ sent: HTTPRequest) async throws(HTTPError) {
    if let refusal = planRefusal(of: sent) { throw refusal }
    guard let call = ProjectCall(sent) else { return }
    try await projectGuard.admit(call, of: realProject)
  }

  /// Whether `begin` would refuse a request that `send` asks the user about.
  func mustAsk(about request: HTTPRequest) -> Bool {
    var sent = request
    sent.url = answering(request.url)
    guard let call = ProjectCall(sent),
      case .open = projectGuard.verdict(on: call, of: realProject)
    else { return false }
    return true
  }

  /// Why a request is not sent, where nobody can be asked; nil when it may be.
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

  /// Refuses what would change accounts, where a script only reads.
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
