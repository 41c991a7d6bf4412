import Client
import IdentityToolkit

/// Collects the lookups of rows that are planned at the same time into batch calls of up to a hundred.
///
/// Use it on the thread of the script's loop.
final class AccountLookups {
  /// Receives the accounts that an identifier names.
  typealias Done = (Result<[UserRecord], AdminError>) -> Void

  private struct Question {
    let identifier: UserIdentifier
    let key: AccountKey
  }

  /// How often a throttled call is retried.
  private static let mostWaits = 8

  private let source: any AccountSource
  /// Starts a task that runs after the caller's current turn of the loop.
  private let begin: (@escaping () async -> Void) -> Void
  /// Sleeps; false when planning was canceled meanwhile.
  private let pause: (Duration) async -> Bool
  /// Receives an error that makes all lookups impossible.
  private let fail: (AdminError) -> Void
  private var waiting: [Question] = []
  private var askers: [AccountKey: [Done]] = [:]
  private var isFlushing = false
  private(set) var calls = 0

  init(
    _ source: any AccountSource, begin: @escaping (@escaping () async -> Void) -> Void,
    pause: @escaping (Duration) async -> Bool, fail: @escaping (AdminError) -> Void
  ) {
    self.source = source
    self.begin = begin
    self.pause = pause
    self.fail = fail
  }

  /// Looks up an account, in one call with the other lookups of the same turn of the loop.
  func find(_ identifier: UserIdentifier, _ key: AccountKey, _ done: @escaping Done) {
    if askers[key] != nil {
      askers[key]?.append(done)
      return
    }
    askers[key] = [done]
    waiting.append(Question(identifier: identifier, key: key))
    guard !isFlushing else { return }
    isFlushing = true
    begin { [self] in flush() }
  }

  private func flush() {
    isFlushing = false
    let questions = waiting
    waiting = []
    for start in stride(from: 0, to: questions.count, by: Admin.mostLookedUp) {
      let part = questions[start..<min(start + Admin.mostLookedUp, questions.count)]
      begin { [self] in await ask(part) }
    }
  }

  private func ask(_ questions: ArraySlice<Question>) async {
    do {
      let identifiers = questions.map(\.identifier)
      let found = try await answer { [self] () async throws(AdminError) in
        calls += 1
        return try await source.find(identifiers)
      }
      for (question, users) in zip(questions, found) { end(question, .success(users)) }
    } catch {
      if FaultClass(error) != .row {
        fail(error)
      } else if questions.count > 1 {
        // The backend rejects the whole call for one malformed identifier, so halve it to find which.
        let middle = questions.startIndex + questions.count / 2
        await ask(questions[..<middle])
        return await ask(questions[middle...])
      }
      for question in questions { end(question, .failure(error)) }
    }
  }

  /// Whether the project allows only one account per e-mail address.
  func oneAccountPerEmail() async throws(AdminError) -> Bool {
    try await answer { [source] () async throws(AdminError) in
      try await source.oneAccountPerEmail()
    }
  }

  private func answer<Answer>(
    _ ask: () async throws(AdminError) -> Answer
  ) async throws(AdminError) -> Answer {
    var waits = 0
    while true {
      do throws(AdminError) {
        return try await ask()
      } catch {
        guard case .throttled(let asked) = FaultClass(error), waits < Self.mostWaits else {
          throw error
        }
        // Half of the wait is random, so that calls throttled together do not resume at the same moment.
        let longest = min(0.5 * Double(1 << waits), 30)
        let wait = Duration.milliseconds(Int64(longest * Double.random(in: 500...1000)))
        guard await pause((asked ?? .zero) + wait) else { throw error }
        waits += 1
      }
    }
  }

  private func end(_ question: Question, _ result: Result<[UserRecord], AdminError>) {
    for done in askers.removeValue(forKey: question.key) ?? [] { done(result) }
  }
}
