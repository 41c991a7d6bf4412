import Host
import System

/// A scenario with a server's responses, in the format of the conformance corpus.
struct RecordedScenario: Sendable {
  /// The folder for its file.
  let topic: String
  /// The name of its file.
  let file: String
  /// The content of the file.
  let bytes: [UInt8]

  init(_ result: ScenarioResult) {
    let parts = result.scenario.name.split(separator: "/", maxSplits: 1).map(String.init)
    topic = parts[0]
    let slug = (parts.last ?? "").map { $0.isLetter || $0.isNumber ? $0 : "-" }
    file = String(slug) + ".json"
    var steps: [JSON] = []
    for (index, step) in result.scenario.steps.enumerated() {
      // A missing response means that the step could not be sent.
      guard index < result.answers.count, result.answers[index].normal["notSent"] == nil else {
        break
      }
      steps.append(step.recorded(result.answers[index]))
    }
    var members: JSONObject = [
      "name": .string("\(topic)/\(String(slug))"), "family": .string(topic),
      "about": .string(result.scenario.about),
    ]
    if !result.scenario.settings.isEmpty {
      members["settings"] = [
        "mask": .string(result.scenario.settings.keys.joined(separator: ",")),
        "body": .object(result.scenario.settings),
      ]
    }
    members["steps"] = .array(steps)
    bytes = JSON.object(members).encodedBytes(pretty: true) + [0x0A]
  }
}

extension ComparisonReport {
  /// The target's responses as scenarios, without the scenarios that did not run.
  var recordings: [RecordedScenario] {
    results.filter { $0.outcome == .equal || $0.outcome == .different }.map(RecordedScenario.init)
  }

  /// The project of the emulators that replay recordings, for the file `project.lua` in their folder.
  static let recordedProject =
    "return { project = { id = \"\(projectName)\", apiKey = \"\(RunName.shownKey)\" } }\n"
  private static let projectName = "demo-recorded"

  /// The end of the text about a set of recordings.
  static let recordedMark = " to luath compare."

  /// The description of the recordings, for the file `set.json` in their folder.
  ///
  /// - Parameter rules: The rules of the emulators that replay them; nil when they are unknown.
  func recordedSet(rules: String?) -> JSON {
    // Firebase's emulator refuses a mask with a field that the body lacks.
    let hasPermissions = settings["client"] != nil
    let mask = ProjectSettings.recorded.filter { hasPermissions || $0 != "client.permissions" }
    let settings = ProjectSettings.recordable(settings)
    let options = rules.map { ["--rules", $0] } ?? []
    return [
      "about": .string(
        "Responses of \(target.isEmulated ? "an emulator" : "Google's servers")\(Self.recordedMark)"
      ),
      "emulator": .array((options + ["--project", "{{set}}/project.lua"]).map(JSON.string)),
      "project": .string(Self.projectName), "fresh": true,
      "settings": [
        "mask": .string(mask.joined(separator: ",")), "body": .object(settings),
      ],
      "forms": [
        "factor": "[A-Za-z0-9]{28}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "tenant": "[A-Za-z0-9]{28}|[A-Za-z][A-Za-z0-9-]{3,19}-[a-z0-9]{5}",
        "time": "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z",
      ],
    ]
  }
}

extension Step {
  /// The step with its response, in the format of the corpus.
  fileprivate func recorded(_ answer: StepAnswer) -> JSON {
    var members: JSONObject = [
      "name": .string(name), "method": .string(method), "path": .string(path),
    ]
    if !query.isEmpty { members["query"] = Self.plain(.object(query)) }
    if !headers.isEmpty { members["headers"] = Self.plain(.object(headers)) }
    if let body { members["body"] = Self.plain(body) }
    if let form { members["form"] = Self.plain(form) }
    if let raw { members["raw"] = Self.plain(.string(raw)) }
    let saved = JSONObject(
      save.entries.filter { !answer.unsaved.contains($0.key) }.map { ($0.key, $0.value) })
    if !saved.isEmpty { members["save"] = .object(saved) }
    if !unordered.isEmpty { members["unordered"] = .array(unordered.map(JSON.string)) }
    if isPreparation { members["arrange"] = true }
    if pause > 0 { members["pause_ms"] = .integer(pause) }
    if advance > 0 { members["advance_seconds"] = .integer(advance) }
    members["expect"] = answer.normal
    return .object(members)
  }

  /// The value with the same replacements as in responses.
  private static func plain(_ value: JSON) -> JSON {
    switch value {
    case .string(let text):
      var text = text.replacing("{{prefix}}", with: RunName.shownPrefix)
      text = text.replacing("{{key}}", with: RunName.shownKey)
      text = text.replacing("{{testPhone}}", with: RunName.shownTestPhone)
      text = text.replacing("{{testCode}}", with: RunName.shownTestCode)
      for index in 1...9 {
        text = text.replacing("{{phone\(index)}}", with: RunName.shownPhone(index))
      }
      return .string(text)
    case .array(let items): return .array(items.map(plain))
    case .object(let object):
      return .object(JSONObject(object.entries.map { ($0.key, plain($0.value)) }))
    default: return value
    }
  }
}

struct ScenarioResult: Sendable {
  /// How it ended.
  enum Outcome: String, Sendable {
    case equal
    case different
    /// The project does not allow it, or it is for emulators only.
    case skipped
    /// A server did not respond.
    case failed
    /// The comparison ended before.
    case notPlayed
  }

  let scenario: Scenario
  /// How it ended.
  let outcome: Outcome
  /// Why it was not compared; nil when it was.
  var reason: String?
  /// The differences between the responses.
  var differences: [Difference] = []
  /// The target's responses, one for each step that ran.
  var answers: [StepAnswer] = []

  init(_ scenario: Scenario, _ outcome: Outcome, _ reason: String? = nil) {
    self.scenario = scenario
    self.outcome = outcome
    self.reason = reason
  }

  /// Compares the responses of both servers.
  init(_ scenario: Scenario, _ target: [StepAnswer], _ reference: [StepAnswer]) {
    self.scenario = scenario
    answers = target
    for (index, step) in scenario.steps.enumerated()
    where index < min(target.count, reference.count) {
      let mine = Self.compared(target[index].normal, step)
      let other = Self.compared(reference[index].normal, step)
      differences += Difference.all(mine, other, number: index + 1, of: step)
    }
    outcome = differences.isEmpty ? .equal : .different
  }

  /// The part of a response that is compared.
  private static func compared(_ answer: JSON, _ step: Step) -> JSON {
    if step.isPreparation, let status = answer["status"] { return ["status": status] }
    return step.comparesTokens ? answer : withoutSignatures(answer)
  }

  private static func withoutSignatures(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): return .array(items.map(withoutSignatures))
    case .object(let object):
      if object.count == 1, let claims = object["$jwt"]?["claims"] {
        return ["$jwt": ["claims": claims]]
      }
      return .object(JSONObject(object.entries.map { ($0.key, withoutSignatures($0.value)) }))
    default: return value
    }
  }
}
