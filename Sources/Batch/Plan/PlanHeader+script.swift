import Encoding
import OIDC

extension PlanHeader {
  /// Whether a script's text is the one that the plan was made with.
  public func isMade(by script: [UInt8]) -> Bool {
    Hex.encode(Digest.sha256(script)) == scriptDigest
  }
}
