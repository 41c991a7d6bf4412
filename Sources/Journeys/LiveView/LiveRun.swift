import Host
import Synchronization
import System

/// One run for the live view, or only the list of the journeys.
struct LiveRun: Sendable {
  let operands: [String]
  /// The journeys to run, by their ids; nil for all that are selected.
  var journeys: Set<String>?
  /// Receives the journeys and files in place of a run.
  var list: (@Sendable (ChosenJourneys, RunSecrets) -> Void)?
  let log: LiveLog
  let control: LiveControl
  let projects: KeptProjects
}

/// The journeys that the live view lists, by file, in order.
final class ListedFiles: Sendable {
  private struct File {
    let name: String
    let journeys: [PlannedJourney]
    let failure: Failure?
  }

  private let files = Mutex<[File]>([])

  func has(_ file: String) -> Bool { files.withLock { $0.contains { $0.name == file } } }

  /// Replaces files by what they declare now.
  ///
  /// - Parameters:
  ///   - paths: The files that were read, of which those without journeys are removed; nil for all.
  ///   - secrets: The secrets to remove from failures.
  func take(_ planned: [PlannedFile], of paths: [String]?, _ secrets: RunSecrets) {
    let read = planned.map { file in
      File(
        name: file.script.name, journeys: file.journeys.filter { $0.repetition == nil },
        failure: file.failure.map { secrets.cleaned($0, of: file.script.name) })
    }
    let names = Set(read.map(\.name))
    files.withLock { files in
      files.removeAll { paths?.contains($0.name) ?? true && !names.contains($0.name) }
      for file in read {
        if let index = files.firstIndex(where: { $0.name == file.name }) {
          files[index] = file
        } else {
          files.append(file)
        }
      }
    }
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
