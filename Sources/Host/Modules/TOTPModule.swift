import Client
import System
import Lua
import OIDC

enum TOTPModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var totp = Declarations(interpreter, owner: "totp")
    let at = LuaParameter(
      "at", .number, optional: true, "seconds since 1970; now, by the emulator's clock, otherwise")
    let period = LuaParameter("period", .integer, optional: true, "seconds a code lasts; 30")
    totp.add(
      "code", "The code that an authenticator app with the secret shows (RFC 6238).",
      [
        LuaParameter(
          "secret", .either([.secret, .object(interpreter.classes.totpSecret), .table]),
          "in base 32, a TOTPSecret, or what totp.parse gave"),
        LuaParameter(
          "options",
          .options([
            at, period, LuaParameter("digits", .integer, optional: true, "6 to 8; 6"),
            LuaParameter("algorithm", .string, optional: true, "SHA1, SHA256 or SHA512; SHA1"),
          ]), optional: true),
      ], returns: "the digits, a string"
    ) { [unowned interpreter] call throws(LuaError) in
      let totp = try TOTPReader(call, "code").totp()
      let now = try time(call, 2, "code", interpreter)
      let code = totp.code(at: totp.step(at: now))
      interpreter.mark(secret: code)
      call.push(code)
      return .results(1)
    }
    totp.add(
      "secret", "A new secret of 20 random bytes.",
      returns: "base 32, as authenticator apps take it"
    ) { [unowned interpreter] call in
      let secret = Base32.encode(TOTP.freshSecret().reveal())
      interpreter.mark(secret: secret)
      call.push(secret)
      return .results(1)
    }
    totp.add(
      "remaining", "The seconds after which the next code is shown.",
      [LuaParameter("options", .options([at, period]), optional: true)],
      returns: "integer, 1 to period"
    ) { [unowned interpreter] call throws(LuaError) in
      let period = try TOTPReader.period(call, 1, "remaining")
      let now = try time(call, 1, "remaining", interpreter)
      let passed = now % Int64(period)
      call.push(Int64(period) - (passed < 0 ? passed + Int64(period) : passed))
      return .results(1)
    }
    totp.add(
      "parse", "What the address behind an authenticator app's QR code says.",
      [LuaParameter("url", .secret, "otpauth://totp/…")],
      returns: "a table with secret, account, issuer, algorithm, digits and period"
    ) { call throws(LuaError) in
      call.push(try OTPAuthURL(parsing: call.string(1) ?? "").value)
      return .results(1)
    }
    return Module("luath.totp", "The codes of authenticator apps.", totp.list)
  }

  /// The option `at`, or the current time of the script's clock, which follows the emulator's.
  private static func time(
    _ call: LuaCall, _ index: Int, _ function: String, _ interpreter: Interpreter
  ) throws(LuaError) -> Int64 {
    guard call.isTable(index), let at = call.field(index, "at", { $0.number($1) }) else {
      return interpreter.clock.now
    }
    // Beyond 2^53 a Lua float cannot represent every second.
    guard at.isFinite, at.magnitude < 0x1p53 else {
      throw .message("bad argument to '\(function)' (option 'at': seconds since 1970 expected)")
    }
    return Int64(at.rounded(.down))
  }
}
