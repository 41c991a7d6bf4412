import Client
import IdentityToolkit
import Lua
import System

enum UserClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.user
    var methods = Declarations(interpreter, owner: "user", type: type)
    proofs(&methods, interpreter)
    tokens(&methods, interpreter)
    changes(&methods, interpreter)
    phone(&methods, interpreter)
    emailActions(&methods, interpreter)
    methods.alias(Spellings.shared.methods(of: "User"))
    type.methods = methods.members
    type.properties = UserProperties.all(interpreter)
    type.describe = { ($0 as? User).map { "User(\($0.uid))" } ?? "User" }
    return methods.list
  }

  private static func proof(_ interpreter: Interpreter) -> LuaParameter {
    LuaParameter(
      "proof",
      .either([
        .object(interpreter.classes.credential), .object(interpreter.classes.provider),
      ]), "a credential, or a provider whose page is shown")
  }

  private static func proofs(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "link", "Adds a sign-in method to this user.",
      [proof(interpreter), AuthModule.delegate(interpreter)],
      returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      try interpreter.prove(call, "user:link") { user, credential throws(AuthError) in
        try await user.link(with: credential)
      }
    }
    methods.wait(
      "reauthenticate", "Reauthenticates the user, for changes that need a recent sign-in.",
      [proof(interpreter), AuthModule.delegate(interpreter)], returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      try interpreter.prove(call, "user:reauthenticate") { user, credential throws(AuthError) in
        try await user.reauthenticate(with: credential)
      }
    }
    methods.wait(
      "unlink", "Removes a sign-in method from this user; the e-mail address stays.",
      [LuaParameter("providerID", .string)], returns: "User"
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      return interpreter.userEffect(call) { user throws(AuthError) in
        let user = try await user.unlink(id)
        interpreter.signInWarnings.note(unlinked: user)
        return [.object(interpreter.classes.user, user)]
      }
    }
  }

  private static func tokens(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let forcing = LuaParameter("forcingRefresh", .boolean, optional: true, "even when still fresh")
    methods.wait(
      "getIDToken", "The Firebase ID token, refreshed five minutes before it ends.", [forcing],
      returns: "string"
    ) { [unowned interpreter] call throws(LuaError) in
      let forcing = call.boolean(2)
      return interpreter.userEffect(call) { user throws(AuthError) in
        [.string(try await user.getIDToken(forcingRefresh: forcing).reveal())]
      }
    }
    methods.wait(
      "getIDTokenResult", "The ID token with its claims and times (in seconds since 1970).",
      [forcing], returns: "a table"
    ) { [unowned interpreter] call throws(LuaError) in
      let forcing = call.boolean(2)
      return interpreter.userEffect(call) { user throws(AuthError) in
        let result = try await user.getIDTokenResult(forcingRefresh: forcing)
        func number(_ value: Int64?) -> LuaValue { value.map(LuaValue.integer) ?? .nil }
        return [
          AuthRecord.tokenResult.table([
            ("token", .string(result.token.reveal())),
            ("claims", JSONBridge.value(.object(result.claims), interpreter)),
            ("expirationDate", number(result.expirationDate)),
            ("authDate", number(result.authDate)), ("issuedAtDate", number(result.issuedAtDate)),
            ("signInProvider", .string(ifAny: result.signInProvider)),
            ("signInSecondFactor", .string(ifAny: result.signInSecondFactor)),
          ])
        ]
      }
    }
    methods.wait("reload", "Reads the account's data again.") {
      [unowned interpreter] call throws(LuaError) in
      interpreter.userEffect(call) { user throws(AuthError) in
        try await user.reload()
        return []
      }
    }
  }

  private static func changes(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "updateEmail", "Changes the e-mail address; needs a recent sign-in.",
      [LuaParameter("email", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let email = call.string(2) ?? ""
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.updateEmail(email)
        return []
      }
    }
    methods.wait(
      "updatePassword", "Changes or sets the password; needs a recent sign-in.",
      [LuaParameter("password", .secret)]
    ) { [unowned interpreter] call throws(LuaError) in
      let password = Secret(call.string(2) ?? "")
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.updatePassword(password)
        return []
      }
    }
    let text = LuaParameter.Kind.either([.string, .boolean])
    methods.wait(
      "updateProfile", "Changes name and picture; false clears one.",
      [
        LuaParameter(
          "changes",
          .options([
            LuaParameter("displayName", text, optional: true),
            LuaParameter("photoURL", text, optional: true),
          ]))
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let (name, photo) = (try change(call, "displayName"), try change(call, "photoURL"))
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.updateProfile(displayName: name, photoURL: photo)
        return []
      }
    }
    methods.add(
      "createProfileChangeRequest",
      "A change of name and picture in the Apple SDK's way; updateProfile does it in one call.",
      returns: "UserProfileChangeRequest"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let user = call.object(1, as: User.self) else { return .results(0) }
      call.push(interpreter.classes.profileChange, ProfileChangeBox(user))
      return .results(1)
    }
    methods.wait("delete", "Deletes the account and signs out; needs a recent sign-in.") {
      [unowned interpreter] call throws(LuaError) in
      interpreter.userEffect(call) { user throws(AuthError) in
        try await user.delete()
        return []
      }
    }
  }

  private static func change(_ call: LuaCall, _ name: String) throws(LuaError) -> ProfileChange {
    let found = call.field(2, name) { call, at -> ProfileChange? in
      if call.isNil(at) { return .keep }
      if let text = call.string(at) { return .set(text) }
      return call.boolean(at) ? nil : .clear
    }
    guard let found else {
      throw .message("option '\(name)': a string, or false to clear it, but not true")
    }
    return found
  }
}

extension Interpreter {
  func userEffect(
    _ call: LuaCall, _ work: @escaping (User) async throws(AuthError) -> [LuaValue]
  ) -> Effect {
    let user = call.object(1, as: User.self)
    return { () async throws(LuaError) in
      guard let user else { return [] }
      return try await self.auth { () async throws(AuthError) in try await work(user) }
    }
  }

  /// An effect that gets a credential, from a sign-in page if a provider was given, and passes it to `work`.
  ///
  /// - Parameter name: The name of the method, for advice.
  func prove(
    _ call: LuaCall, _ name: String,
    _ work: @escaping (User, Credential) async throws(AuthError) -> AuthResult
  ) throws(LuaError) -> Effect {
    if let credential = call.object(2, as: Credential.self) {
      try refuseDelegate(call, 3, of: "\(name)(credential)")
      signInWarnings.note(used: credential)
      return userEffect(call) { user throws(AuthError) in
        [self.value(try await work(user, credential))]
      }
    }
    // The page is shown by this user's Auth, unless the provider was created for another one.
    let auth =
      call.object(2, as: ProviderBox.self)?.auth ?? call.object(1, as: User.self)?.authOfProject
      ?? defaultAuth
    let provider = try provider(call, 2)
    let delegate = try delegate(call, 3, for: auth, of: "\(name)(provider)")
    return userEffect(call) { user throws(AuthError) in
      let credential = try await auth.getCredential(provider, delegate: delegate)
      return [self.value(try await work(user, credential))]
    }
  }
}

enum UserProperties {
  static func all(_ interpreter: Interpreter) -> [LuaClass.Property] {
    [
      text("uid", "The account's id, which security rules see.") { $0.uid },
      text("email", optional: true, "The e-mail address, if any.") { $0.email },
      text("displayName", optional: true, "The name, if any.") { $0.displayName },
      text("photoURL", optional: true, "The picture's address, if any.") { $0.photoURL },
      text("phoneNumber", optional: true, "The phone number, if any.") { $0.phoneNumber },
      text("tenantID", optional: true, "The Identity Platform tenant, if any.") { $0.tenantID },
      text("providerID", "The constant Firebase, as in the SDK.") { _ in "Firebase" },
      text("refreshToken", "The refresh token.") { $0.refreshToken.reveal() },
      MultiFactorClass.property(interpreter),
      property("isAnonymous", .boolean, "Whether the user has no sign-in method.") {
        .boolean($0.isAnonymous)
      },
      property("isEmailVerified", .boolean, "Whether the address was verified.") {
        .boolean($0.isEmailVerified)
      },
      property("providerData", .list(.table), "A table for each sign-in method.") { user in
        ListMetatable.list(user.providerData.map(table))
      },
      property("metadata", .table, "creationDate and lastSignInDate, milliseconds since 1970.") {
        user in
        AuthRecord.metadata.table([
          ("creationDate", user.metadata.creationDate.map(LuaValue.integer) ?? .nil),
          ("lastSignInDate", user.metadata.lastSignInDate.map(LuaValue.integer) ?? .nil),
        ])
      },
    ]
  }

  private static func table(_ info: UserInfo) -> LuaValue {
    AuthRecord.userInfo.table([
      ("providerID", .string(info.providerID)), ("uid", .string(info.uid)),
      ("displayName", .string(ifAny: info.displayName)),
      ("photoURL", .string(ifAny: info.photoURL)), ("email", .string(ifAny: info.email)),
      ("phoneNumber", .string(ifAny: info.phoneNumber)),
    ])
  }

  private static func text(
    _ name: String, optional: Bool = false, _ summary: String,
    _ read: @escaping (User) -> String?
  ) -> LuaClass.Property {
    property(name, .string, optional: optional, summary) { .string(ifAny: read($0)) }
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, optional: Bool = false, _ summary: String,
    _ read: @escaping (User) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, optional: optional, summary) { call in
      call.push(call.object(1, as: User.self).map(read) ?? .nil)
      return .results(1)
    }
  }
}
