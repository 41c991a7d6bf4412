import System
import OIDC

extension PlanHeader {
  /// Whether the plan was made with this script text.
  func isMade(by script: [UInt8]) -> Bool {
    Hex.encode(Digest.sha256(script)) == scriptDigest
  }
}
