import Delegates
import Encoding
import HTTP
import IdentityToolkit
import Lua

extension Interpreter {
  /// The target by the project file's name for it.
  func target(named name: String) throws(LuaError) -> Target {
    if let need = context.unusableTargets[name] {
      throw .message("the target '\(name.printable)' needs \(need)")
    }
    guard let target = context.targets[name] else {
      let names = context.targets.keys.sorted()
      let advice = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      let known = names.isEmpty ? "it names none" : "it names " + names.joined(separator: ", ")
      throw .message("the project file has no target '\(name.printable)'\(advice) (\(known))")
    }
    return target
  }

  /// Hears what is done at pages; nil when nobody keeps a record.
  var pageObserver: PageObserver? {
    context.observer.map { observer in { observer.acted($0) } }
  }

  /// Keeps texts out of the record, but for words that stand in every other message.
  func hide(_ texts: [String]) {
    for text in texts where SecretNames.isSecret(text, under: "password") { mark(secret: text) }
  }

  /// Keeps out of the record what a person is going to type.
  func hide(_ answers: SignInAnswers) {
    hide([answers.password].compactMap { $0?.reveal() })
    hide(answers.fields.values.map { $0.reveal() }.filter(SecretNames.looksRandom))
  }

  /// What the clients of a target send requests with: an emulator that is the run's target answers for
  /// Google's hosts, which must not happen to the requests of a real project.
  func transport(to target: Target) -> ScriptTransport {
    let key = TransportKey(target)
    if key == TransportKey(context.target) { return transport }
    if let known = transports[key] { return known }
    let made = ScriptTransport(target, context, loop: actor.loop)
    transports[key] = made
    return made
  }
}

/// What two targets must have in common to share connections and counts.
struct TransportKey: Hashable {
  private let projectID: ExactString
  private let backend: Target.Backend
  private let detour: Target.Detour

  /// The key of a target.
  init(_ target: Target) {
    projectID = ExactString(target.projectID)
    backend = target.backend
    detour = target.detour
  }
}
