import System
import Lua
import OIDC

enum CryptoModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let bytes = [LuaParameter("bytes", .bytes)]
    var crypto = Declarations(interpreter, owner: "crypto")
    crypto.add(
      "sha256", "The SHA-256 of a string in lower-case hex, as nonces are sent to providers.",
      bytes, returns: "64 hex digits"
    ) { call in
      call.push(Hex.encode(Digest.sha256(call.bytes(1) ?? [])))
      return .results(1)
    }
    crypto.add(
      "base64url", "Base 64 with the URL alphabet and no padding (RFC 4648 section 5).", bytes,
      returns: "string"
    ) { call in
      call.push(Base64URL.encode(call.bytes(1) ?? []))
      return .results(1)
    }
    crypto.add("base64", "Base 64 with padding (RFC 4648 section 4).", bytes, returns: "string") {
      call in
      call.push(Base64.encode(call.bytes(1) ?? []))
      return .results(1)
    }
    crypto.add(
      "random", "An unguessable string for a nonce or state, from the system's generator.",
      [LuaParameter("bytes", .integer, optional: true, "of randomness; 32 when not given")],
      returns: "base64url text"
    ) { call throws(LuaError) in
      let count = call.isNil(1) ? 32 : call.integer(1) ?? 0
      guard (16...1024).contains(count) else {
        throw .message("bad argument #1 to 'random' (between 16 and 1024 bytes)")
      }
      call.push(SecureRandom.token(bytes: Int(count)))
      return .results(1)
    }
    crypto.add(
      "equal",
      "Whether two secrets are the same; for a received state or nonce, as the time taken shows "
        + "nothing of where they differ.",
      [LuaParameter("one", .bytes), LuaParameter("other", .bytes)], returns: "boolean"
    ) { call in
      guard let one = call.view(1), let other = call.view(2) else { return .results(0) }
      call.push(constantTimeEqual(one, other))
      return .results(1)
    }
    crypto.add(
      "pkce", "A verifier and its S256 challenge (RFC 7636).",
      returns: "a table with verifier and challenge"
    ) { call in
      let pair = PKCE()
      call.push(
        .record([
          ("verifier", .string(pair.verifier.reveal())), ("challenge", .string(pair.challenge)),
        ]))
      return .results(1)
    }
    crypto.add(
      "claims",
      "Decodes a JWT, such as an ID token, without verifying it; returns claims such as sub and oid.",
      [LuaParameter("token", .secret)], returns: "a table"
    ) { [unowned interpreter] call throws(LuaError) in
      do throws(JOSEError) {
        let token = try JWT(decoding: call.string(1) ?? "")
        JSONBridge.push(.object(token.claims), on: call, interpreter)
      } catch {
        throw .object([
          ("code", .string("malformedJWT")), ("message", .string(error.message)),
          ("hint", .string(error.hint)),
        ])
      }
      return .results(1)
    }
    return Module(
      "luath.crypto", "What a script needs to write a sign-in flow by hand.", crypto.list)
  }
}
