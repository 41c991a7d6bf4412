import Encoding
import OIDC
public import Scripting

/// What a plan is to be made of.
public struct PlanRequest: Sendable {
  /// The script.
  public var script: Script
  /// SHA-256 of the script's file, in hexadecimal.
  public var scriptDigest: String
  /// What the script finds around it; nothing in it may change accounts.
  public var context: ScriptContext
  /// The tenant whose accounts they are.
  public var tenantID: String?
  /// A file of `firebase auth:export` that accounts are looked up in, in place of the backend.
  public var accountsPath: String?
  /// How many rows are planned at most.
  public var sample: Int64?
  /// How many seconds the plan of one row may wait, and compute without giving way.
  public var secondsPerRow = 30
  /// How many rows are planned side by side.
  public var workers = 512
  /// Is called when a row can be stopped by nothing but the end of the process.
  public var stuck: @Sendable () -> Void = {}

  /// Describes a plan.
  ///
  /// - Parameter file: The script's file as it is, if `script` was made from one.
  public init(script: Script, file: [UInt8]? = nil, context: ScriptContext) {
    self.script = script
    scriptDigest = Hex.encode(Digest.sha256(file ?? script.text))
    self.context = context
    self.context.isReadOnly = true
  }
}
