import HTTP
import IdentityToolkit

extension Interpreter {
  /// The program that emulates a target's project; nil for a real project or an unknown program.
  ///
  /// Each target is queried once.
  func emulatorKind(of target: Target) async throws(HTTPError) -> EmulatorKind? {
    guard case .emulator(let url) = target.backend else { return nil }
    let key = TransportKey(target)
    if let known = emulatorKinds[key] { return known }
    if key == TransportKey(context.target), let kind = context.emulatorKind { return kind }
    let kind = try await EmulatorKind.detect(at: url, over: transport(to: target))
    if let kind { emulatorKinds[key] = kind }
    return kind
  }

  func isFirebaseEmulator(_ target: Target) async -> Bool {
    do throws(HTTPError) {
      return try await emulatorKind(of: target) == .firebase
    } catch {
      // The caller reports its own error.
      return false
    }
  }

  /// Whether an issuer is emulated, but the emulator is Firebase's, which has no provider pages.
  func lacksProvider(_ issuer: String) async -> Bool {
    guard let url = WebURL(issuer), transport.isEmulator(url) else { return false }
    return await isFirebaseEmulator(context.target)
  }
}
