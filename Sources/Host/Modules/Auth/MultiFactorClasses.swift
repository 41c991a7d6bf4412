import Client
import Lua
import System

/// The class of `user.multiFactor`: holds the user, and has the members for second factors.
enum MultiFactorClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.multiFactor
    type.properties = [
      .computed("enrolledFactors", .list(.table), "One table for each second factor.") { call in
        let factors = call.object(1, as: User.self)?.enrolledFactors ?? []
        call.push(.list(factors.map(MultiFactorBridge.value)))
        return .results(1)
      }
    ]
    type.describe = { object in
      (object as? User).map { "MultiFactor(\($0.enrolledFactors.count) factors)" } ?? "MultiFactor"
    }
    var methods = Declarations(interpreter, owner: "multiFactor", type: type)
    methods.wait(
      "getSession", "What to ask for a code or a secret with, to enrol a factor.",
      returns: "MultiFactorSession"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.userEffect(call) { user throws(AuthError) in
        [.object(interpreter.classes.multiFactorSession, try await user.multiFactor.session())]
      }
    }
    methods.wait(
      "enroll", "Adds a second factor, which every later sign-in asks for.",
      [
        LuaParameter("assertion", .object(interpreter.classes.multiFactorAssertion)),
        LuaParameter("displayName", .string, optional: true),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let (assertion, name) = (call.object(2, as: MultiFactorAssertion.self), call.string(3))
      return interpreter.userEffect(call) { user throws(AuthError) in
        guard let assertion else { return [] }
        try await user.multiFactor.enroll(with: assertion, displayName: name)
        return []
      }
    }
    methods.wait(
      "unenroll", "Takes a second factor away; needs a recent sign-in.",
      [MultiFactorBridge.factor("factor")]
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = try MultiFactorBridge.factorUID(call, 2, of: "unenroll")
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.multiFactor.unenroll(factorUID: uid)
        return []
      }
    }
    type.methods = methods.members
    return methods.list
  }

  static func property(_ interpreter: Interpreter) -> LuaClass.Property {
    .computed(
      "multiFactor", .object(interpreter.classes.multiFactor), optional: true,
      "The second factors, and what changes them."
    ) { [unowned interpreter] call in
      call.push(
        call.object(1, as: User.self).map { .object(interpreter.classes.multiFactor, $0) } ?? .nil)
      return .results(1)
    }
  }
}

/// Second factors as plain tables.
enum MultiFactorBridge {
  static func value(_ info: MultiFactorInfo) -> LuaValue {
    .record([
      ("uid", .string(info.uid)), ("factorID", .string(info.factorID)),
      ("displayName", .string(ifAny: info.displayName)),
      ("enrollmentDate", info.enrollmentDate.map(LuaValue.integer) ?? .nil),
      ("phoneNumber", .string(ifAny: info.phoneNumber)),
    ])
  }

  static func factor(_ name: String, optional: Bool = false) -> LuaParameter {
    LuaParameter(
      name, .either([.string, .table]), optional: optional,
      "a table of enrolledFactors or of hints, or its uid")
  }

  static func factorUID(
    _ call: LuaCall, _ index: Int, of function: String
  ) throws(LuaError) -> String {
    if let uid = call.string(index) { return uid }
    if call.isTable(index), let uid = call.field(index, "uid", { $0.string($1) }) { return uid }
    throw .message(
      "bad argument to '\(function)' (a second factor is a table with a uid, or the uid itself)")
  }
}

enum MultiFactorResolverClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.multiFactorResolver
    type.properties = [
      .computed("hints", .list(.table), "One table for each factor that can finish it.") { call in
        let hints = call.object(1, as: MultiFactorResolver.self)?.hints ?? []
        call.push(.list(hints.map(MultiFactorBridge.value)))
        return .results(1)
      },
      .computed(
        "session", .object(interpreter.classes.multiFactorSession),
        "What is needed to request an SMS code."
      ) { [unowned interpreter] call in
        let session = call.object(1, as: MultiFactorResolver.self)?.session
        call.push(session.map { .object(interpreter.classes.multiFactorSession, $0) } ?? .nil)
        return .results(1)
      },
      .computed(
        "auth", .object(interpreter.classes.auth), optional: true,
        "The Auth that was asked to sign in."
      ) { [unowned interpreter] call in
        let auth = call.object(1, as: MultiFactorResolver.self)?.auth
        call.push(auth.map { .object(interpreter.classes.auth, $0) } ?? .nil)
        return .results(1)
      },
    ]
    type.describe = { object in
      (object as? MultiFactorResolver).map { "MultiFactorResolver(\($0.hints.count) hints)" }
        ?? "MultiFactorResolver"
    }
    var methods = Declarations(interpreter, owner: "resolver", type: type)
    methods.wait(
      "resolveSignIn", "Finishes what asked for a second factor; a wrong code may be tried again.",
      [LuaParameter("assertion", .object(interpreter.classes.multiFactorAssertion))],
      returns: "what the first factor alone would have given"
    ) { [unowned interpreter] call throws(LuaError) in
      let resolver = call.object(1, as: MultiFactorResolver.self)
      let assertion = call.object(2, as: MultiFactorAssertion.self)
      return { () async throws(LuaError) in
        guard let resolver, let assertion else { return [] }
        return try await interpreter.auth { () async throws(AuthError) in
          [interpreter.value(try await resolver.resolveSignIn(with: assertion))]
        }
      }
    }
    type.methods = methods.members
    return methods.list
  }
}

enum MultiFactorGenerators {
  static func declare(in auth: inout Declarations, _ interpreter: Interpreter) {
    let classes = interpreter.classes
    auth.add(
      "PhoneMultiFactorGenerator.assertion", "The proof of a phone number, by an SMS code.",
      [LuaParameter("credential", .object(classes.credential), "of PhoneAuthProvider.credential")],
      returns: "MultiFactorAssertion"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let credential = call.object(1, as: Credential.self) else { return .results(0) }
      let made = try interpreter.checked { () throws(AuthError) in
        try PhoneMultiFactorGenerator.assertion(with: credential)
      }
      call.push(interpreter.classes.multiFactorAssertion, made)
      return .results(1)
    }
    auth.wait(
      "TOTPMultiFactorGenerator.generateSecret",
      "A new secret, to be put into an authenticator app.",
      [LuaParameter("session", .object(classes.multiFactorSession), "of multiFactor:getSession()")],
      returns: "TOTPSecret"
    ) { [unowned interpreter] call throws(LuaError) in
      let session = call.object(1, as: MultiFactorSession.self)
      return { () async throws(LuaError) in
        guard let session else { return [] }
        return try await interpreter.auth { () async throws(AuthError) in
          [
            .object(
              interpreter.classes.totpSecret,
              try await TOTPMultiFactorGenerator.generateSecret(with: session))
          ]
        }
      }
    }
    let code = LuaParameter("code", .secret, "what the app shows, or totp.code(secret)")
    auth.add(
      "TOTPMultiFactorGenerator.assertionForEnrollment", "The proof that an app has the secret.",
      [LuaParameter("secret", .object(classes.totpSecret)), code], returns: "MultiFactorAssertion"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let secret = call.object(1, as: TOTPSecret.self) else { return .results(0) }
      let code = Secret(call.string(2) ?? "")
      let made = try interpreter.checked { () throws(AuthError) in
        try TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
      }
      call.push(interpreter.classes.multiFactorAssertion, made)
      return .results(1)
    }
    auth.add(
      "TOTPMultiFactorGenerator.assertionForSignIn", "The proof of an app that is enrolled.",
      [MultiFactorBridge.factor("factor"), code], returns: "MultiFactorAssertion"
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = try MultiFactorBridge.factorUID(call, 1, of: "assertionForSignIn")
      let code = Secret(call.string(2) ?? "")
      let made = try interpreter.checked { () throws(AuthError) in
        try TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: uid, oneTimePassword: code)
      }
      call.push(interpreter.classes.multiFactorAssertion, made)
      return .results(1)
    }
  }
}

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
