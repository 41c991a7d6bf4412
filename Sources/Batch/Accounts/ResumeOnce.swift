/// A continuation that ignores every resume after the first.
final class ResumeOnce {
  private var continuation: CheckedContinuation<Void, Never>?

  init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

  func resume() { continuation.take()?.resume() }
}
