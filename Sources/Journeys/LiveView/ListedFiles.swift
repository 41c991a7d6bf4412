import Host
import Synchronization
import System

/// The journeys that the live view lists, by file, in order.
final class ListedFiles: Sendable {
  private struct File {
    let name: String
    let journeys: [PlannedJourney]
    let failure: Failure?
  }

  private let files = Mutex<[File]>([])

  var isEmpty: Bool { files.withLock(\.isEmpty) }

  func has(_ file: String) -> Bool { files.withLock { $0.contains { $0.name == file } } }

  /// Replaces files by what they declare now, and removes those that are not in the order.
  ///
  /// - Parameters:
  ///   - isReplaced: Whether a listed file was read again; it is removed if it has no journeys now.
  ///   - order: All files, in the order of the list.
  ///   - secrets: The secrets to remove from failures.
  /// - Returns: The files that did not load before, and load now.
  func take(
    _ planned: [PlannedFile], replacing isReplaced: (String) -> Bool, order: [String],
    _ secrets: RunSecrets
  ) -> [String] {
    let read = planned.map { file in
      File(
        name: file.script.name, journeys: file.journeys.filter { $0.repetition == nil },
        failure: file.failure.map { secrets.cleaned($0, of: file.script.name) })
    }
    return files.withLock { files in
      let broken = Set(files.filter { $0.failure != nil }.map(\.name))
      let names = Set(read.map(\.name))
      files.removeAll { isReplaced($0.name) || names.contains($0.name) }
      files += read
      Self.sort(&files, by: order)
      return read.filter { $0.failure == nil && broken.contains($0.name) }.map(\.name)
    }
  }

  /// Removes files that are not in the order.
  func keep(only order: [String]) { files.withLock { Self.sort(&$0, by: order) } }

  private static func sort(_ files: inout [File], by order: [String]) {
    let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
    files = files.filter { places[$0.name] != nil }
      .sorted { places[$0.name, default: 0] < places[$1.name, default: 0] }
  }

  /// The ids of these journeys and of all journeys of these files, without those that are not listed.
  func journeys(named ids: Set<String>, and whole: Set<String>) -> Set<String> {
    files.withLock { files in
      Set(
        files.flatMap { file in
          file.journeys.map(\.id).filter { ids.contains($0) || whole.contains(file.name) }
        })
    }
  }

  /// The files of these journeys, and these files if they are listed, in order.
  func paths(of ids: Set<String>, and whole: Set<String>) -> [String] {
    files.withLock { files in
      files.filter { file in
        whole.contains(file.name) || file.journeys.contains { ids.contains($0.id) }
      }.map(\.name)
    }
  }

  var json: JSON {
    .array(
      files.withLock { $0 }.map { file in
        var members: [(String, JSON)] = [
          ("file", .string(file.name)), ("journeys", .array(file.journeys.map(\.listed))),
        ]
        if let failure = file.failure { members.append(("failure", failure.json)) }
        return .object(JSONObject(members))
      })
  }
}

extension PlannedJourney {
  /// The journey in the list of a page.
  fileprivate var listed: JSON {
    [
      "id": .string(id), "name": .array(name.map(JSON.string)), "line": .integer(Int64(line)),
      "tags": .array(tags.map(JSON.string)),
    ]
  }

  /// The id of a journey without the number of its repetition.
  static func withoutRepetition(_ id: String) -> String {
    guard id.hasSuffix(")"), let open = id.lastIndex(of: "("), id[..<open].hasSuffix(" ") else {
      return id
    }
    let words = id[id.index(after: open)...].dropLast().split(separator: " ")
    guard words.count == 2, words[0] == "run", Int(words[1]) != nil else { return id }
    return String(id[..<open].dropLast())
  }
}

extension RunSecrets {
  /// The failure of a file that does not load, without secrets.
  fileprivate func cleaned(_ failure: Failure, of file: String) -> Failure {
    let end = FileEnd(file: file, worker: 0, duration: 0, failures: [failure])
    guard case .fileEnd(let cleaned) = clean(.fileEnd(end)) else { return failure }
    return cleaned.failures.first ?? failure
  }
}
