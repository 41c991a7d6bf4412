import Synchronization

/// The files that no worker has taken yet.
final class FileQueue: Sendable {
  private let files: Mutex<ArraySlice<PlannedFile>>

  /// The number of files, with each part of a split file counted.
  let count: Int

  init(_ files: [PlannedFile], workers: Int) {
    let parts = files.flatMap { $0.parts(atMost: workers) }
    count = parts.count
    self.files = Mutex(parts[...])
  }

  func next() -> PlannedFile? { files.withLock { $0.popFirst() } }
}

extension PlannedFile {
  /// Splits the file for several workers, if all its journeys may run in parallel.
  fileprivate func parts(atMost workers: Int) -> [PlannedFile] {
    let count = min(workers, journeys.count)
    guard count > 1, failure == nil, journeys.allSatisfy(\.isParallel) else { return [self] }
    return (0..<count).map { part in
      var file = self
      // Interleaved, because neighboring journeys often take equally long.
      file.journeys = stride(from: part, to: journeys.count, by: count).map { journeys[$0] }
      return file
    }
  }
}
