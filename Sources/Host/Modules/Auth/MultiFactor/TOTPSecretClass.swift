import Client
import System
import Lua

enum TOTPSecretClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.totpSecret
    type.properties = [
      property("sharedSecretKey", .string, "The secret in base 32, as apps take it.") {
        .string($0.sharedSecretKey.reveal())
      },
      property("hashingAlgorithm", .string, "What codes are made with, such as SHA1.") {
        .string($0.hashingAlgorithm)
      },
      property("digits", .integer, "How long a code is.") { .integer($0.digits) },
      property("period", .integer, "How many seconds a code lasts.") { .integer($0.period) },
      property(
        "enrollmentDeadline", .integer, "Until when to enrol the app, milliseconds since 1970."
      ) { $0.enrollmentDeadline.map(LuaValue.integer) ?? .nil },
    ]
    type.describe = {
      ($0 as? TOTPSecret).map { "TOTPSecret(\($0.digits) digits)" } ?? "TOTPSecret"
    }
    var methods = Declarations(interpreter, owner: "secret", type: type)
    methods.add(
      "generateQRCodeURL", "The address to show as a QR code to an authenticator app.",
      [
        LuaParameter("accountName", .string, optional: true, "the user's e-mail address otherwise"),
        LuaParameter("issuer", .string, optional: true, "the project's id otherwise"),
      ], returns: "an otpauth address, with the secret in it"
    ) { call in
      let url = call.object(1, as: TOTPSecret.self)?.generateQRCodeURL(
        accountName: call.string(2), issuer: call.string(3))
      call.push(.string(ifAny: url?.reveal()))
      return .results(1)
    }
    methods.alias([(old: "generateQrCodeUrl", current: "generateQRCodeURL")])
    type.methods = methods.members
    return methods.list
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (TOTPSecret) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, optional: true, summary) { call in
      call.push(call.object(1, as: TOTPSecret.self).map(read) ?? .nil)
      return .results(1)
    }
  }
}
