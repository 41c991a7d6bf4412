import Client
import System
import Lua

extension Interpreter {
  /// An account as a plain table with the field names of Firebase's admin SDKs.
  func value(_ user: UserRecord) -> LuaValue {
    func time(_ time: Int64?) -> LuaValue { time.map(LuaValue.integer) ?? .nil }
    return .record([
      ("uid", .string(user.uid)), ("email", .string(ifAny: user.email)),
      ("emailVerified", .boolean(user.isEmailVerified)),
      ("displayName", .string(ifAny: user.displayName)),
      ("photoURL", .string(ifAny: user.photoURL)),
      ("phoneNumber", .string(ifAny: user.phoneNumber)), ("disabled", .boolean(user.isDisabled)),
      (
        "metadata",
        .record([
          ("creationTime", time(user.creationTime)), ("lastSignInTime", time(user.lastSignInTime)),
          ("lastRefreshTime", .string(ifAny: user.lastRefreshTime)),
        ])
      ),
      (
        "customClaims",
        user.customClaims.map { JSONBridge.value(.object($0), self) } ?? .nil
      ),
      ("tenantID", .string(ifAny: user.tenantID)),
      ("providerData", JSONBridge.list(user.providerData.map(Self.value))),
      (
        "multiFactor",
        .record([
          ("enrolledFactors", JSONBridge.list(user.enrolledFactors.map(Self.value)))
        ])
      ),
      ("tokensValidAfterTime", time(user.tokensValidAfterTime)),
      ("passwordHash", .string(ifAny: user.passwordHash?.reveal())),
      ("passwordSalt", .string(ifAny: user.passwordSalt?.reveal())),
    ])
  }

  private static func value(_ info: UserRecord.ProviderInfo) -> LuaValue {
    .record([
      ("providerID", .string(info.providerID)), ("uid", .string(info.uid)),
      ("displayName", .string(ifAny: info.displayName)), ("email", .string(ifAny: info.email)),
      ("photoURL", .string(ifAny: info.photoURL)),
      ("phoneNumber", .string(ifAny: info.phoneNumber)),
    ])
  }

  private static func value(_ factor: UserRecord.Factor) -> LuaValue {
    .record([
      ("uid", .string(factor.uid)), ("factorID", .string(factor.factorID)),
      ("displayName", .string(ifAny: factor.displayName)),
      ("phoneNumber", .string(ifAny: factor.phoneNumber)),
      ("enrollmentTime", .string(ifAny: factor.enrollmentTime)),
    ])
  }
}
