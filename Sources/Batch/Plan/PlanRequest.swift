import Host
import OIDC
import System

/// The settings for making a plan.
struct PlanRequest: Sendable {
  /// The script that plans each row.
  var script: Script
  /// SHA-256 of the script's file, in hexadecimal.
  var scriptDigest: String
  /// The environment of the script; `init` makes it read-only, so that planning cannot change accounts.
  var context: ScriptContext
  /// The tenant whose accounts are looked up; nil for the project's own accounts.
  var tenantID: String?
  /// A file of `firebase auth:export` to look accounts up in, instead of the backend.
  var accountsPath: String?
  /// The maximum number of rows to plan.
  var sample: Int64?
  /// The time limit for the plan of one row, in seconds: for waiting in total, and for computing without a yield.
  var secondsPerRow = 30
  /// How many rows are planned concurrently.
  var workers = 512
  /// Called when nothing but the end of the process can stop a row.
  var stuck: @Sendable () -> Void = {}

  /// Creates a request with a read-only context.
  ///
  /// - Parameter file: The bytes of the script's file, if `script` was made from one; the digest is of these.
  init(script: Script, file: [UInt8]? = nil, context: ScriptContext) {
    self.script = script
    scriptDigest = Hex.encode(Digest.sha256(file ?? script.text))
    self.context = context
    self.context.isReadOnly = true
  }
}

extension PlanHeader {
  /// Whether the plan was made with this script text.
  func isMade(by script: [UInt8]) -> Bool {
    Hex.encode(Digest.sha256(script)) == scriptDigest
  }
}
