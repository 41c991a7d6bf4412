public import Client
import Emulator
import HTTP
import IdentityToolkit
import SignIn
import System

/// A user whom a command signs in without a script.
public struct NamedUser: Sendable {
  /// The e-mail address, phone number or uid.
  public let name: String
  /// The password of the account, if the project file has it.
  let password: Secret?
  /// The identity providers of the account in the project file: its password there is theirs.
  let accountProviders: [String]
  /// The environment variable for the password, if it is not set.
  let missingVariable: String?
  /// The test user of the emulated identity providers.
  let person: Person?
  /// The identity providers that have the test user, the best one first.
  let providers: [String]

  /// A user with what the project file has about the name.
  public init(_ name: String, of place: ResolvedTarget, _ arguments: ParsedArguments) {
    let account = place.project.accounts(of: arguments).first { account in
      account["email"]?.string?.lowercased() == name.lowercased()
    }
    let people = place.target.isEmulated ? place.project.configuration.people : []
    let person = people.first { $0.email.lowercased() == name.lowercased() }
    self.name = name
    self.person = person
    accountProviders = (account?["providers"]?.array ?? []).compactMap(\.string)
    let isOwn = accountProviders.isEmpty
    password = isOwn ? account?["password"]?.string.map { Secret($0) } : nil
    missingVariable = isOwn ? account?["missing"]?.string : nil
    let known = place.project.configuration.providers.filter { id, provider in
      // The others, such as password, have no page with the test users.
      provider.isEnabled && id.contains(".") && person?.isKnown(to: id) == true
    }
    providers = known.keys.sorted { Self.rank($0) < Self.rank($1) }
  }

  /// All test users of the target: its accounts in the project file, and for an emulator also the users of the providers.
  public static func all(of place: ResolvedTarget, _ arguments: ParsedArguments) -> [NamedUser] {
    let accounts = place.project.accounts(of: arguments).compactMap { $0["email"]?.string }
    var seen: Set<String> = []
    return (accounts + place.people.map(\.email)).filter { seen.insert($0.lowercased()).inserted }
      .map { NamedUser($0, of: place, arguments) }
  }

  /// Google's page needs no tenant, and other OpenID Connect providers may be servers without these users.
  private static func rank(_ id: String) -> (Int, String) {
    (id == "google.com" ? 0 : id.hasPrefix("oidc.") ? 2 : 1, id)
  }

  fileprivate var identifier: UserIdentifier {
    if name.contains("@") { return .email(name) }
    return name.hasPrefix("+") ? .phoneNumber(name) : .uid(name)
  }

  fileprivate var kind: String {
    switch identifier {
    case .email: "e-mail address"
    case .phoneNumber: "phone number"
    case .uid, .provider: "uid"
    }
  }
}

extension ResolvedTarget {
  /// Signs in several users, one after the other, each with a separate session.
  ///
  /// A user with a known password signs in with it. Another one signs in with a custom token, and a test user of the
  /// identity providers without an account at a provider's page, which creates the account.
  ///
  /// - Returns: The user, or why the sign-in failed, in the order of `users`.
  public func signIn<Value: Sendable>(
    _ users: [NamedUser], tenantID: String?, _ console: Console, _ projectGuard: ProjectGuard,
    _ read: @escaping @Sendable (User) -> Value
  ) async throws(CommandFailure) -> [Result<Value, CommandFailure>] {
    let loop = try EventLoop.started("sign-in") { CommandFailure($0) }
    defer {
      loop.stop()
      loop.join()
    }
    let context = context(memory: 0, console, projectGuard, trace: nil)
    return await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: context, actor: actor)
      defer { _ = interpreter.close() }
      var results: [Result<Value, CommandFailure>] = []
      for user in users {
        do throws(CommandFailure) {
          let signedIn = try await interpreter.signIn(user, tenantID: tenantID)
          results.append(.success(read(signedIn)))
        } catch {
          results.append(.failure(error))
        }
      }
      return results
    }
  }
}

extension Interpreter {
  fileprivate func signIn(
    _ user: NamedUser, tenantID: String?
  ) async throws(CommandFailure) -> User {
    let auth = makeAuth(context.target)
    auth.tenantID = tenantID
    do throws(AuthError) {
      if let password = user.password {
        return try await auth.signIn(email: user.name, password: password).user
      }
      let admin = try administrator(for: user, tenantID)
      if let uid = try await uid(of: user, admin) {
        let token = try await administrating { () throws(AdminError) in
          try await admin.createCustomToken(uid)
        }
        return try await auth.signIn(customToken: token).user
      }
      guard let person = user.person, let id = user.providers.first else {
        throw AuthError(
          .userNotFound,
          "\(tenantID.map { "the tenant \($0) of " } ?? "")the project \(context.target.projectID) "
            + "has no account with this \(user.kind)",
          hint: "create the account first, or correct the \(user.kind) or the target")
      }
      return try await auth.signIn(with: try await credential(of: person, at: id, auth)).user
    } catch {
      throw failure(error, of: user)
    }
  }

  private func credential(
    of person: Person, at id: String, _ auth: Auth
  ) async throws(AuthError) -> Credential {
    var provider = try OAuthProvider(id)
    try provider.setCustomParameters(["login_hint": person.email])
    do throws(AuthError) {
      return try await auth.getCredential(
        provider, delegate: DefaultDelegate(self, isEmulated: true))
    } catch {
      // Compatible rules have no pages of providers, and verify no tokens.
      guard error.code == .notImplemented else { throw error }
      return try OAuthProvider.credential(
        providerID: id, idToken: person.unsignedIDToken(of: id))
    }
  }

  private func administrator(
    for user: NamedUser, _ tenantID: String?
  ) throws(AuthError) -> Admin {
    do throws(ScriptFailure) { return try administrator(tenantID: tenantID) } catch {
      if let variable = user.missingVariable {
        throw AuthError(
          .missingPassword, "the password's environment variable \(variable) is not set",
          hint: "set \(variable) before the command")
      }
      let isMissing = context.environment["GOOGLE_APPLICATION_CREDENTIALS"]?.isEmpty ?? true
      guard isMissing else {
        throw AuthError(.invalidCredential, error.message, hint: error.hint)
      }
      let reason =
        user.accountProviders.isEmpty
        ? "the project file has no password of this user"
        : "the user signs in at \(user.accountProviders.joined(separator: ", ")), and luath session fills in no page"
      throw AuthError(
        .missingPassword, reason,
        hint: (user.accountProviders.isEmpty ? "list the user in accounts of the target, or " : "")
          + "set GOOGLE_APPLICATION_CREDENTIALS to the path of the project's key")
    }
  }

  private func uid(of user: NamedUser, _ admin: Admin) async throws(AuthError) -> String? {
    let found = try await administrating { () throws(AdminError) in
      try await admin.getUsers([user.identifier])
    }
    return found.users.first?.uid
  }

  private func administrating<Value>(
    _ work: () async throws(AdminError) -> Value
  ) async throws(AuthError) -> Value {
    do throws(AdminError) { return try await work() } catch {
      throw AuthError(error.code, error.message, hint: error.hint)
    }
  }

  private func failure(_ error: AuthError, of user: NamedUser) -> CommandFailure {
    let hint =
      switch error.code {
      case .secondFactorRequired:
        "set GOOGLE_APPLICATION_CREDENTIALS and remove the user's password from the project file: a "
          + "custom token needs no second factor"
      case .invalidTenantID: "check --tenant, and the target"
      default: error.hint
      }
    let code: ExitCode =
      switch error.code {
      case .networkError: .unavailable
      case .changeNotAllowed: .usage
      default: .failed
      }
    return CommandFailure(
      code,
      "\(user.name.printable): \(error.message.printable)", hint: hint.printable)
  }
}
