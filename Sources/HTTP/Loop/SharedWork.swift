/// Deduplicates concurrent work: the first caller does it, the others wait for its result.
///
/// All callers must be isolated to the same actor; it is not shared between threads.
public final class SharedWork<Value: Sendable, Failure: Error> {
  private var isUnderWay = false
  /// The waiting callers; nil means that the work was given up.
  private var waiters: [CheckedContinuation<Result<Value, Failure>?, Never>] = []

  /// Creates work that has not begun.
  public init() {}

  /// Does the work, or waits for the caller that is doing it.
  ///
  /// Returns nil when the other caller gave up, which is not a failure of this one: check again
  /// whether the work is still needed, and call `share` again.
  ///
  /// - Parameter isGivenUp: whether an error only means that the caller was canceled.
  public func share(
    _ work: () async throws(Failure) -> Value,
    isGivenUp: (Failure) -> Bool = { _ in Task.isCancelled }
  ) async throws(Failure) -> Value? {
    guard !isUnderWay else {
      return try await withCheckedContinuation { waiters.append($0) }?.get()
    }
    isUnderWay = true
    let result: Result<Value, Failure>
    var isOver = false
    do throws(Failure) {
      result = .success(try await work())
    } catch {
      result = .failure(error)
      isOver = isGivenUp(error)
    }
    isUnderWay = false
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: isOver ? nil : result) }
    return try result.get()
  }
}
