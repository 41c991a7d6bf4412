import System
import Lua

extension Interpreter {
  /// The error for saving a session of the run's own target in a fixture or `beforeAll`; nil where it is possible.
  ///
  /// The embedded emulator creates a new project for each journey, or on request for each file. The session's
  /// account would no longer exist when another journey loads the session.
  var savingRefusal: LuaError? {
    guard context.observer?.options["isInside"]?.bool == true, let job = currentJob else {
      return nil
    }
    let place: String
    switch job.lifetime {
    case .run: place = "a fixture of the run"
    case .file where !keepsProject: place = "a fixture of the file or beforeAll"
    case .journey, .hooks, .file: return nil
    }
    let hint =
      job.lifetime == .run
      ? "use scope = \"file\" with journey.configure { project = \"file\" }, or a target with --target"
      : "keep one project for the file: journey.configure { project = \"file\" }"
    return .object([
      ("code", .string("sessionEnds")),
      (
        "message",
        .string(
          "\(place) cannot save a session: the emulator inside begins a new project for "
            + (job.lifetime == .run ? "each file" : "each journey"))
      ),
      ("hint", .string(hint)),
    ])
  }
}
