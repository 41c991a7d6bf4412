import Client
import HTTP
import Host
import IdentityToolkit
import System

/// Runs one scenario at one server.
struct Player {
  let peer: Peer
  let scenario: Scenario
  /// Whether to continue; called before each request.
  let mayGoOn: () -> Bool
  private var expansion: Expansion
  private var normaliser: Normaliser

  /// The result of running the steps.
  struct Outcome {
    /// The responses to the steps that ran.
    var answers: [StepAnswer] = []
    /// Why the scenario did not finish.
    var failure: PeerFailure?
    var wasStopped = false
  }

  init(_ scenario: Scenario, _ number: Int, at peer: Peer, mayGoOn: @escaping () -> Bool) {
    self.peer = peer
    self.scenario = scenario
    self.mayGoOn = mayGoOn
    let run = peer.belongings.run
    let prefix = "\(run.prefix)-\(number)"
    let admin = peer.admin
    expansion = Expansion { uid, claims in
      try await admin.createCustomToken(uid, claims: claims).reveal()
    }
    var variables: [String: JSON] = [
      "project": .string(peer.target.projectID), "key": .string(peer.target.apiKey.reveal()),
      "prefix": .string(prefix),
    ]
    var texts = [(prefix, RunName.shownPrefix)]
    if case .emulator(let url) = peer.target.backend { texts.append((url.origin, "<base>")) }
    for (index, phone) in run.phones.enumerated() {
      variables["phone\(index + 1)"] = .string(phone)
      let shown = RunName.shownPhone(index + 1)
      texts += [(phone, shown), (RunName.masked(phone), RunName.masked(shown))]
    }
    if let test = ProjectSettings.testNumber(in: peer.settings) {
      variables["testPhone"] = .string(test.number)
      variables["testCode"] = .string(test.code)
      texts.append((test.number, RunName.shownTestPhone))
    }
    expansion.variables = variables
    normaliser = Normaliser(
      projectID: peer.target.projectID, key: peer.target.apiKey.reveal(), texts: texts,
      secondsAhead: peer.secondsAhead)
  }

  /// Runs all steps, and always the steps that undo them.
  mutating func play() async -> Outcome {
    var outcome = Outcome()
    do throws(PeerFailure) {
      let old = try await prepare()
      await play(scenario.steps, &outcome)
      await undo()
      if let old { await restore(old) }
    } catch {
      outcome.failure = error
    }
    return outcome
  }

  private mutating func play(_ steps: [Step], _ outcome: inout Outcome) async {
    for step in steps {
      guard mayGoOn() else {
        outcome.wasStopped = true
        return
      }
      do throws(PeerFailure) {
        outcome.answers.append(try await answer(to: step))
      } catch {
        outcome.failure = error
        return
      }
    }
  }

  /// Applies the scenario's settings, and returns those to restore.
  private func prepare() async throws(PeerFailure) -> JSONObject? {
    guard !settings.isEmpty else { return nil }
    let before = try await peer.readSettings()
    var old = JSONObject()
    for key in settings.keys { old[key] = before[key] }
    old = ProjectSettings.mirrorable(old)
    do throws(PeerFailure) {
      try await peer.change(settings: settings, of: settings.keys)
    } catch {
      await restore(old)
      throw error
    }
    return old
  }

  /// The scenario's settings, without those that the server would keep.
  private var settings: JSONObject {
    guard peer.keepsSettings else { return scenario.settings }
    return JSONObject(scenario.settings.entries.filter { peer.settings[$0.key] != nil })
  }

  private func restore(_ old: JSONObject) async {
    do throws(PeerFailure) {
      try await peer.change(settings: old, of: settings.keys)
    } catch {
      peer.belongings.note(left: "settings of the project: \(error.message)")
    }
  }

  private mutating func undo() async {
    for step in scenario.finally {
      var failure = ""
      do throws(PeerFailure) {
        let answer = try await answer(to: step).normal
        // If an earlier step failed, there is nothing to undo, and this step may fail too.
        let status = answer["status"]?.integer ?? 501
        // Not implemented (501): nothing was created.
        if status < 500 || status == 501 { continue }
        failure = "status \(status)"
      } catch {
        failure = error.message
      }
      peer.belongings.note(
        left: "what the step \(step.name) of \(scenario.name) deletes: \(failure)")
    }
  }

  private mutating func answer(to step: Step) async throws(PeerFailure) -> StepAnswer {
    let message: Message
    if step.pause > 0 { try await peer.wait(for: .milliseconds(step.pause)) }
    if step.advance > 0 { try await peer.advance(seconds: step.advance) }
    expansion.secondsAhead = peer.secondsAhead
    normaliser.secondsAhead = peer.secondsAhead
    do {
      message = try await Message(step, expansion)
    } catch let unset as Expansion.Unset {
      return StepAnswer(["notSent": .string("no earlier response has \(unset.name)")])
    } catch let error as AdminError {
      return StepAnswer(["notSent": .string(error.message)])
    } catch {
      throw PeerFailure("the step \(step.name) cannot be sent", hint: "")
    }
    let names = message.noted.reduce(into: Set<String>()) { names, body in
      names.formUnion(peer.belongings.note(sending: body, to: message.path))
    }
    let response: HTTPResponse
    do {
      response = try await peer.send(
        message.method, message.path, query: message.query, headers: message.headers,
        body: message.body)
    } catch {
      peer.belongings.note(unsettled: names)
      if error.isOutcomeUnknown {
        peer.belongings.note(lost: message.path, body: message.noted.first)
      }
      throw error
    }
    let body = try? response.json()
    peer.belongings.note(answer: response, to: message.path, naming: names)
    var answer = StepAnswer(normal(response, body, step))
    for entry in step.save.entries {
      guard let source = entry.value.string else { continue }
      let value = ValuePath.saved(source, response.headers, body ?? .null)
      expansion.variables[entry.key] = value
      if value == nil { answer.unsaved.insert(entry.key) }
    }
    return answer
  }

  private mutating func normal(_ response: HTTPResponse, _ body: JSON?, _ step: Step) -> JSON {
    var answer: JSONObject = ["status": .integer(Int64(response.status))]
    if let body {
      answer["body"] = normaliser.normalise(body, unordered: step.unordered)
    } else if response.body.isEmpty {
      answer["empty"] = true
    } else if response.headers["Content-Type"]?.hasPrefix("text/html") == true {
      answer["html"] = true
    } else {
      answer["text"] = normaliser.normalise(.string(response.text))
    }
    return .object(answer)
  }
}

/// A server's response to a step.
struct StepAnswer {
  /// The normalized response, or `notSent` with the reason.
  let normal: JSON
  /// The variables that the step saves and this response lacks.
  var unsaved: Set<String> = []

  init(_ normal: JSON) { self.normal = normal }

  /// Whether it is not an internal error (501, "not implemented", is none either); nil when nothing was sent.
  var isOrderly: Bool? { (normal["status"]?.integer).map { $0 < 500 || $0 == 501 } }
}

/// The name of a comparison; the names of all accounts it creates start with it.
struct RunName: Sendable {
  /// For example `luath-compare-k3x9q2ab`.
  let prefix: String
  /// Phone numbers without subscribers: 555-01XX is reserved for examples in North America.
  let phones: [String]

  /// The replacement for the prefix in reports and recordings.
  static let shownPrefix = "luath-compare-run"

  /// A new random name.
  init() {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    prefix =
      "luath-compare-"
      + String((0..<8).map { _ in letters.randomElement(using: &generator) ?? "a" })
    let area = ["201", "212", "305", "415", "503", "617", "702", "808"].randomElement(
      using: &generator)
    // Start at 10: then no number has the last four digits of a replacement.
    let first = Int.random(in: 10...90, using: &generator)
    phones = (first..<(first + 9)).map { "+1\(area ?? "650")55501\($0)" }
  }

  /// The replacement for the API key in reports and recordings.
  static let shownKey = "compare-key"

  /// A phone number as second factors show it: only its last four digits.
  static func masked(_ phone: String) -> String {
    "+" + String(repeating: "*", count: max(0, phone.count - 5)) + phone.suffix(4)
  }

  /// The replacements for the test phone number and its code.
  static let shownTestPhone = "+16505550199"
  static let shownTestCode = "123456"

  /// The replacement for a phone number.
  static func shownPhone(_ index: Int) -> String { "+1650555010\(index)" }
}
