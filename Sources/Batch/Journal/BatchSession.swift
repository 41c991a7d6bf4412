import Glibc
import Host
import IdentityToolkit
import System

/// Who began or continued a run, and how.
struct BatchSession: Sendable, Equatable {
  /// The run's number.
  var run: Int64
  /// The user, and the user who became this one by sudo.
  var operatorName: String
  var host: String
  /// The command, without passwords.
  var command: String
  /// The reason that the operator gave.
  var reason: String?
  /// The start, in milliseconds since 1970.
  var at: Int64
  /// The signature of the plan that the run required.
  var signature: PlanSignature?

  /// The user of this process, and the machine.
  struct User {
    /// The user, and the user who became this one by sudo.
    let name: String
    let host: String

    /// - Parameter environment: The environment, for the user before sudo.
    static func current(_ environment: [String: String]) -> User {
      var name = BatchSession.userName ?? "uid \(geteuid())"
      if let other = environment["SUDO_USER"], !other.isEmpty, other != name {
        name += " (sudo by \(other))"
      }
      return User(name: name, host: Machine.name)
    }
  }

  /// The session of this process.
  ///
  /// - Parameters:
  ///   - signature: The signature of the plan that the run required.
  ///   - environment: The environment, for the user before sudo.
  ///   - arguments: The words of the command line.
  static func now(
    _ run: BatchRun, reason: String?, signature: PlanSignature? = nil,
    environment: [String: String], arguments: [String]
  ) -> BatchSession {
    let user = User.current(environment)
    let words = arguments.enumerated().map { index, word in
      // The address of a database may have a password.
      if index > 0, word.contains("://") { return "URL" }
      // `--where password=…` names a secret of rows.
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      let isSecret = parts.count == 2 && SecretNames.mayHoldSecrets(parts[0])
      return ShellWord.quoted(isSecret ? "\(parts[0])=\(Redaction.mask)" : word)
    }
    return BatchSession(
      run: run.number, operatorName: user.name, host: user.host,
      command: words.joined(separator: " "), reason: reason, at: Timestamp.now,
      signature: signature)
  }

  fileprivate static var userName: String? {
    var user = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getpwuid_r(geteuid(), &user, &buffer, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return String(cString: user.pw_name)
  }

  /// A line for users, and another one for the signature.
  var text: String {
    let words = reason.map { ": \($0.printable)" } ?? ""
    return
      "\(Timestamp.text(milliseconds: at)) by \(operatorName.printable) on \(host.printable)\(words)"
      + (signature.map { "\n    plan signed by \($0.text)" } ?? "")
  }
}

extension BatchSession {
  init?(json: JSON, run: Int64, at: Int64) {
    guard let name = json["operator"]?.string, let host = json["host"]?.string,
      let command = json["command"]?.string
    else { return nil }
    self.init(
      run: run, operatorName: name, host: host, command: command, reason: json["reason"]?.string,
      at: at, signature: json["signature"].flatMap(PlanSignature.init(json:)))
  }

  var json: JSON {
    var object: JSONObject = [
      "at": .string(Timestamp.text(milliseconds: at)), "operator": .string(operatorName),
      "host": .string(host), "command": .string(command),
    ]
    object["reason"] = reason.map(JSON.string)
    object["signature"] = signature?.json
    return .object(object)
  }
}
