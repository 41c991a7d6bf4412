import IdentityToolkit

extension RunSecrets {
  /// What happened, without the secrets in its texts; exchanges are made without any.
  func clean(_ kind: RunEvent.Kind) -> RunEvent.Kind {
    switch kind {
    case .runStart(var start):
      start.arguments = clean(arguments: start.arguments)
      return .runStart(start)
    case .fileEnd(var end) where !end.failures.isEmpty:
      learn()
      end.failures = end.failures.map(clean)
      return .fileEnd(end)
    case .journeyEnd(var end) where !end.failures.isEmpty || end.reason != nil:
      learn()
      end.failures = end.failures.map(clean)
      end.reason = end.reason.map { clean($0) }
      return .journeyEnd(end)
    case .stepStart(var start):
      learn()
      start.name = clean(start.name)
      start.source = start.source.map { clean($0) }
      return .stepStart(start)
    case .assert(var failed):
      learn()
      failed.failure = clean(failed.failure)
      return .assert(failed)
    case .log(var line):
      learn()
      line.text = clean(line.text)
      return .log(line)
    case .page(var action):
      learn()
      action.detail = clean(action.detail)
      return .page(action)
    default: return kind
    }
  }

  private func clean(_ failure: Failure) -> Failure {
    var shown = failure
    shown.message = clean(failure.message)
    shown.code = failure.code.map { clean($0) }
    shown.hint = failure.hint.map { clean($0) }
    shown.file = failure.file.map { clean($0) }
    shown.source = failure.source.map { clean($0) }
    shown.expression = failure.expression.map { clean($0) }
    shown.expected = failure.expected.map { clean($0) }
    shown.actual = failure.actual.map { clean($0) }
    shown.diff = failure.diff.map { clean($0) }
    shown.steps = failure.steps.map { clean($0) }
    shown.traceback = failure.traceback.map { clean($0) }
    return shown
  }

  /// The arguments of the command; what follows `--api-key` and the like is left out.
  private func clean(arguments: [String]) -> [String] {
    var isValue = false
    return arguments.map { argument in
      if isValue {
        isValue = false
        return Redaction.mask
      }
      guard argument.hasPrefix("--") else { return clean(argument) }
      let name = argument.dropFirst(2).prefix { $0 != "=" }
      guard SecretNames.holdSecrets(String(name)) else { return clean(argument) }
      if name.endIndex != argument.endIndex { return "--\(name)=\(Redaction.mask)" }
      isValue = true
      return argument
    }
  }
}
