import IdentityToolkit
import Host
import System

extension RunSecrets {
  /// Creates the event of an exchange.
  ///
  /// - Parameter number: The number in its attempt, from 1.
  func event(_ exchange: ObservedExchange, number: Int) -> ExchangeEvent {
    learn()
    return ExchangeEvent(exchange, number: number, hiding: self)
  }

  /// Removes secrets from the texts of an event.
  ///
  /// Exchange events have none, so they pass unchanged.
  func clean(_ kind: RunEvent.Kind) -> RunEvent.Kind {
    switch kind {
    case .runStart(var start):
      start.arguments = clean(arguments: start.arguments)
      start.rerunOptions = clean(arguments: start.rerunOptions)
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
      line.text = clean(line.text, as: .words)
      return .log(line)
    case .page(var action):
      learn()
      action.detail = clean(action.detail)
      return .page(action)
    default: return kind
    }
  }

  private func clean(_ failure: Failure) -> Failure {
    // The message may repeat a value that the diff shows under a secret name: `.password differs: expected "…"`.
    let named = masker.masker(of: areShown ? [] : namedSecrets(failure))
    func shown(_ text: String, as reading: LooseFields.Reading? = nil) -> String {
      named.clean(clean(text, as: reading))
    }
    var cleaned = failure
    cleaned.message = shown(failure.message, as: .words)
    cleaned.code = failure.code.map { clean($0) }
    cleaned.hint = failure.hint.map { shown($0, as: .words) }
    cleaned.file = failure.file.map { clean($0) }
    cleaned.source = failure.source.map { shown($0) }
    cleaned.expression = failure.expression.map { expression in
      areShown ? shown(expression) : SourceSecrets(expression).masked { shown($0) }
    }
    cleaned.expected = failure.expected.map { shown($0, as: .words) }
    cleaned.actual = failure.actual.map { shown($0, as: .words) }
    cleaned.diff = failure.diff.map { shown($0, as: .words) }
    cleaned.steps = failure.steps.map { shown($0) }
    cleaned.traceback = failure.traceback.map { clean($0) }
    return cleaned
  }

  private func namedSecrets(_ failure: Failure) -> [(value: String, kind: SecretKind)] {
    let texts =
      failure.diff + [failure.message, failure.expected, failure.actual].compactMap { $0 }
    return texts.filter { $0.utf8.count <= Self.longestText }
      .flatMap { LooseFields($0, as: .words).pairs }
      .filter { SecretNames.isSecret($0.value, under: $0.name) }
      .map { ($0.value, SecretNames.kind(of: $0.name)) }
  }

  /// Cleans the command line arguments; masks the value after options such as `--api-key`.
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
