import Client
import System
import IdentityToolkit
import Lua

enum AuthClass {
  private static func proof(_ interpreter: Interpreter) -> LuaParameter {
    LuaParameter(
      "proof",
      .either([
        .object(interpreter.classes.credential), .object(interpreter.classes.provider),
        .options([
          LuaParameter("email", .string, optional: true),
          LuaParameter("password", .secret, optional: true),
          LuaParameter("link", .secret, optional: true, "of the e-mail, in place of the password"),
          LuaParameter("customToken", .secret, optional: true),
        ]),
      ]),
      "a credential, a provider whose page is shown, { email, password }, { email, link } or "
        + "{ customToken }")
  }

  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.auth
    type.properties = properties(interpreter)
    var methods = Declarations(interpreter, owner: "auth", type: type)
    signIn(&methods, interpreter)
    phone(&methods, interpreter)
    lookUp(&methods, interpreter)
    listen(&methods, interpreter)
    sessions(&methods, interpreter)
    emailActions(&methods, interpreter)
    projectAnswers(&methods, interpreter)
    session(&methods, interpreter)
    BrowserStateClass.declare(in: &methods, interpreter)
    methods.alias(Spellings.shared.methods(of: "Auth"))
    type.methods = methods.members
    type.describe = { object in
      guard let auth = object as? Auth else { return "Auth" }
      return "Auth(\(auth.target.projectID), \(auth.currentUser?.uid ?? "nobody signed in"))"
    }
    return methods.list
  }

  private static func signIn(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "signIn", "Signs in a user, who becomes the current user.",
      [proof(interpreter), AuthModule.delegate(interpreter)],
      returns: "a table with user, additionalUserInfo, credential"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let auth = call.object(1, as: Auth.self) else {
        return { () async throws(LuaError) in [] }
      }
      return try interpreter.signIn(auth, call)
    }
    methods.wait(
      "signInWithEmail", "Signs in with e-mail address and password.",
      [LuaParameter("email", .string), LuaParameter("password", .secret)],
      returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      let (email, password) = (call.string(2) ?? "", Secret(call.string(3) ?? ""))
      return interpreter.authEffect(call) { auth throws(AuthError) in
        try await auth.signIn(email: email, password: password)
      }
    }
    methods.wait(
      "signInWithCustomToken", "Signs in the uid of a custom token that your server signed.",
      [LuaParameter("token", .secret)], returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      let token = Secret(call.string(2) ?? "")
      return interpreter.authEffect(call) { auth throws(AuthError) in
        try await auth.signIn(customToken: token)
      }
    }
    methods.wait(
      "signInAnonymously", "Creates an account without a sign-in method, to be linked later.",
      returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.authEffect(call) { auth throws(AuthError) in try await auth.signInAnonymously() }
    }
    methods.wait(
      "createUser", "Makes an account with e-mail address and password, and signs it in.",
      [LuaParameter("email", .string), LuaParameter("password", .secret)],
      returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      let (email, password) = (call.string(2) ?? "", Secret(call.string(3) ?? ""))
      return interpreter.authEffect(call) { auth throws(AuthError) in
        try await auth.createUser(email: email, password: password)
      }
    }
  }

  private static func lookUp(_ methods: inout Declarations, _ interpreter: Interpreter) {
    lookUp(
      &methods, "fetchProviders",
      "The providers an e-mail address can sign in with; empty under enumeration protection.",
      returns: "a list of provider ids with :contains(id)", interpreter
    ) { auth, email throws(AuthError) in try await auth.fetchProviders(email: email) }
    lookUp(
      &methods, "fetchSignInMethods",
      "The same, with password and emailLink apart; empty under enumeration protection.",
      returns: "a list of sign-in methods with :contains(name)", interpreter
    ) { auth, email throws(AuthError) in try await auth.fetchSignInMethods(email: email) }
    // The SDK for Objective-C returns whether it signed out.
    methods.add(
      "signOut", "Forgets the current user; the account stays as it is.", returns: "true"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let auth = call.object(1, as: Auth.self) else { return .results(0) }
      try interpreter.checked { () throws(AuthError) in try auth.signOut() }
      call.push(.boolean(true))
      return .results(1)
    }
  }

  /// Declares a look-up of an address, which warns if a conflict has shown that the empty list is wrong.
  private static func lookUp(
    _ methods: inout Declarations, _ name: String, _ summary: String, returns: String,
    _ interpreter: Interpreter,
    _ fetch: @escaping (Auth, String) async throws(AuthError) -> [String]
  ) {
    methods.wait(name, summary, [LuaParameter("email", .string)], returns: returns) {
      [unowned interpreter] call throws(LuaError) in
      let (auth, email) = (call.object(1, as: Auth.self), call.string(2) ?? "")
      // `luath.merge` goes on without the list.
      let isQuiet = call.isFromLibrary
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          guard let auth else { return [] }
          let found = try await fetch(auth, email)
          if found.isEmpty, !isQuiet { interpreter.warnOfProtection(email) }
          return [interpreter.list(found)]
        }
      }
    }
  }

  private static func properties(_ interpreter: Interpreter) -> [LuaClass.Property] {
    func text(
      _ name: String, _ summary: String, _ path: ReferenceWritableKeyPath<Auth, String?>
    ) -> LuaClass.Property {
      .computed(
        name, .string, optional: true, summary,
        get: { call in
          call.push(.string(ifAny: call.object(1, as: Auth.self)?[keyPath: path]))
          return .results(1)
        },
        set: { call in
          call.object(1, as: Auth.self)?[keyPath: path] = call.string(2)
          return .results(0)
        })
    }
    return [
      .computed(
        "currentUser", .object(interpreter.classes.user), optional: true,
        "Who is signed in, or nil."
      ) {
        [unowned interpreter] call in
        let user = call.object(1, as: Auth.self)?.currentUser
        call.push(user.map { .object(interpreter.classes.user, $0) } ?? .nil)
        return .results(1)
      },
      text("languageCode", "The language of mails the backend sends, such as fr.", \.languageCode),
      text("tenantID", "The Identity Platform tenant to sign in to.", \.tenantID),
      text("customAuthDomain", "The host providers send the browser back to.", \.customAuthDomain),
      recaptchaToken,
      createsAccounts,
    ]
  }
}

extension Interpreter {
  func signIn(_ auth: Auth, _ call: LuaCall) throws(LuaError) -> Effect {
    if let credential = call.object(2, as: Credential.self) {
      try refuseDelegate(call, 3, of: "auth:signIn(credential)")
      signInWarnings.note(used: credential)
      return authEffect(call) { auth throws(AuthError) in try await auth.signIn(with: credential) }
    }
    if call.object(2, as: ProviderBox.self) != nil {
      let provider = try provider(call, 2)
      let delegate = try delegate(call, 3, for: auth, of: "auth:signIn(provider)")
      return authEffect(call) { auth throws(AuthError) in
        try await auth.signIn(with: try await auth.getCredential(provider, delegate: delegate))
      }
    }
    func text(_ name: String) -> String? { call.field(2, name) { $0.string($1) } }
    if let token = text("customToken") {
      guard text("email") == nil, text("password") == nil, text("link") == nil else {
        throw .message(
          "bad argument #1 to 'signIn' (give email and password, or customToken, but not both)")
      }
      return authEffect(call) { auth throws(AuthError) in
        try await auth.signIn(customToken: Secret(token))
      }
    }
    if let email = text("email"), let link = text("link") {
      guard text("password") == nil else {
        throw .message("bad argument #1 to 'signIn' (give password or link, but not both)")
      }
      return authEffect(call) { auth throws(AuthError) in
        try await auth.signIn(email: email, link: link)
      }
    }
    guard let email = text("email"), let password = text("password") else {
      throw .message(
        "bad argument #1 to 'signIn' (give email and password, email and link, or customToken)")
    }
    return authEffect(call) { auth throws(AuthError) in
      try await auth.signIn(email: email, password: Secret(password))
    }
  }

  /// Raises an error for a delegate beside a credential, which needs no page.
  ///
  /// - Parameter usage: The call without delegate, for advice.
  func refuseDelegate(_ call: LuaCall, _ index: Int, of usage: String) throws(LuaError) {
    if call.isCompletion(index) {
      throw .message("bad argument #\(index - 1) (\(ArgumentAdvice.callback(usage)))")
    }
    guard call.isNil(index) else {
      throw .message(
        "bad argument #\(index - 1) (a credential needs no delegate; pass the provider to show its page)"
      )
    }
  }

  func authEffect(
    _ call: LuaCall, _ work: @escaping (Auth) async throws(AuthError) -> AuthResult
  ) -> Effect {
    let auth = call.object(1, as: Auth.self)
    return { () async throws(LuaError) in
      guard let auth else { return [] }
      return try await self.auth { () async throws(AuthError) in
        let result = try await work(auth)
        self.note(result)
        return [self.value(result)]
      }
    }
  }
}
