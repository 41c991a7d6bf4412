import Synchronization

/// The files that no worker has taken yet.
final class FileQueue: Sendable {
  private let files: Mutex<ArraySlice<PlannedFile>>

  init(_ files: [PlannedFile]) { self.files = Mutex(files[...]) }

  func next() -> PlannedFile? { files.withLock { $0.popFirst() } }
}
