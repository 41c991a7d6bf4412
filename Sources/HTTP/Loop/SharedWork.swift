/// Work that callers at the same time share: the first one does it, the others wait for its result.
///
/// Lives where its callers live and is not shared between threads.
public final class SharedWork<Value: Sendable, Failure: Error> {
  private var isUnderWay = false
  /// Who waits for the result; nil tells them that the work was given up.
  private var waiters: [CheckedContinuation<Result<Value, Failure>?, Never>] = []

  /// Work that nobody has begun.
  public init() {}

  /// Does the work, or waits for whoever does it already.
  ///
  /// Gives nil when the one who did it gave up, which is no failure of the others: they look again
  /// whether there is still something to do, and then one of them does it.
  ///
  /// - Parameter isGivenUp: whether a failure only means that the caller was cancelled.
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
