import Client
import System
import Lua

enum UserProperties {
  static func all(_ interpreter: Interpreter) -> [LuaClass.Property] {
    [
      text("uid", "The account's id, which security rules see.") { $0.uid },
      text("email", "The e-mail address, if any.") { $0.email },
      text("displayName", "The name, if any.") { $0.displayName },
      text("photoURL", "The picture's address, if any.") { $0.photoURL },
      text("phoneNumber", "The phone number, if any.") { $0.phoneNumber },
      text("tenantID", "The Identity Platform tenant, if any.") { $0.tenantID },
      text("providerID", "The constant Firebase, as in the SDK.") { _ in "Firebase" },
      text("refreshToken", "The refresh token.") { $0.refreshToken.reveal() },
      MultiFactorClass.property(interpreter),
      property("isAnonymous", .boolean, "Whether there is no way to sign in again.") {
        .boolean($0.isAnonymous)
      },
      property("isEmailVerified", .boolean, "Whether the address was verified.") {
        .boolean($0.isEmailVerified)
      },
      property("providerData", .list(.table), "One table for each way to sign in.") { user in
        .list(user.providerData.map(table))
      },
      property("metadata", .table, "creationDate and lastSignInDate, milliseconds since 1970.") {
        user in
        .record([
          ("creationDate", user.metadata.creationDate.map(LuaValue.integer) ?? .nil),
          ("lastSignInDate", user.metadata.lastSignInDate.map(LuaValue.integer) ?? .nil),
        ])
      },
    ]
  }

  private static func table(_ info: UserInfo) -> LuaValue {
    .record([
      ("providerID", .string(info.providerID)), ("uid", .string(info.uid)),
      ("displayName", .string(ifAny: info.displayName)),
      ("photoURL", .string(ifAny: info.photoURL)), ("email", .string(ifAny: info.email)),
      ("phoneNumber", .string(ifAny: info.phoneNumber)),
    ])
  }

  private static func text(
    _ name: String, _ summary: String, _ read: @escaping (User) -> String?
  ) -> LuaClass.Property {
    property(name, .string, summary) { .string(ifAny: read($0)) }
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (User) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, optional: true, summary) { call in
      call.push(call.object(1, as: User.self).map(read) ?? .nil)
      return .results(1)
    }
  }
}
