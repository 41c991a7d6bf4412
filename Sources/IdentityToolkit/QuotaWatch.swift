import System
public import HTTP

/// Counts a run's requests to a real project, and warns before it reaches one of Google's documented limits.
///
/// Each limit is warned about once, when four fifths of it are used up within its time. Only this
/// run is counted, although earlier runs and other machines with the same address share the limits.
public struct QuotaWatch: Sendable {
  /// A warning about a limit.
  public struct Warning: Sendable, Equatable {
    /// The limit and how much is used.
    public let message: String
    /// What to do about it.
    public let hint: String
  }

  enum Action: CaseIterable {
    case newAccount, createAuthUri, signInMail, resetMail, textMessage
    case deletion, batchDeletion, adminUpdate, customTokenSignIn, tokenExchange
  }

  private var times: [Action: [Duration]] = [:]
  private var isWarned: Set<Action> = []

  /// Creates a watch with all counts at zero.
  public init() {}

  /// Counts a request that is about to be sent; `now` is a time of any monotonic clock.
  public mutating func warning(before request: HTTPRequest, at now: Duration) -> Warning? {
    Action(request).flatMap { count($0, now) }
  }

  /// Counts the account that a sign-in created, as its response shows.
  public mutating func warning(after answer: HTTPResponse, at now: Duration) -> Warning? {
    guard Action.mayMakeAccount(answer.url), (200..<300).contains(answer.status),
      (try? answer.json())?["isNewUser"]?.bool == true
    else { return nil }
    return count(.newAccount, now)
  }

  private mutating func count(_ action: Action, _ now: Duration) -> Warning? {
    guard !isWarned.contains(action) else { return nil }
    let limit = action.limit
    var recent = times[action, default: []]
    recent.append(now)
    // The times are in order, so old ones are at the front.
    if let first = recent.first, first <= now - limit.window {
      recent.removeAll { $0 <= now - limit.window }
    }
    guard recent.count >= limit.warnsAt else {
      times[action] = recent
      return nil
    }
    isWarned.insert(action)
    times[action] = nil
    return Warning(
      message: "\(limit.words): this is number \(recent.count) of this run, "
        + "and a project takes \(limit.amount) \(limit.per)",
      hint: limit.hint)
  }
}

extension QuotaWatch.Action {
  /// Google's documented limit of an action.
  struct Limit {
    let amount: Int
    let window: Duration
    let per: String
    let words: String
    let hint: String

    /// The count at which to warn.
    var warnsAt: Int { max(amount * 4 / 5, 2) }
  }

  var limit: Limit {
    let hour = Duration.seconds(3600)
    let minute = Duration.seconds(60)
    let day = Duration.seconds(86_400)
    let second = Duration.seconds(1)
    return switch self {
    case .newAccount:
      Limit(
        amount: 100, window: hour, per: "an hour from one address", words: "many new accounts",
        hint: "sign in to accounts made before, import them, or raise the quota for the day")
    case .createAuthUri:
      Limit(
        amount: 120, window: hour, per: "an hour from one address",
        words: "many questions how addresses sign in, or sign-in pages",
        hint: "ask as an administrator instead, or spread the run over hours")
    case .signInMail:
      Limit(
        amount: 5, window: day, per: "a day, unless billing is on", words: "many sign-in mails",
        hint: "generate the links as an administrator, which sends none")
    case .resetMail:
      Limit(
        amount: 150, window: day, per: "a day, unless billing is on", words: "many reset mails",
        hint: "generate the links as an administrator, which sends none")
    case .textMessage:
      Limit(
        amount: 50, window: minute, per: "a minute from one address", words: "many SMS",
        hint: "use the project's numbers for tests, which get none")
    case .deletion:
      Limit(
        amount: 10, window: second, per: "a second", words: "many deletions",
        hint: "pause between them, or delete many in one call as an administrator")
    case .batchDeletion:
      Limit(
        amount: 1, window: second, per: "a second", words: "batch deletions in a row",
        hint: "pause for a second between them; one takes 1000 accounts")
    case .adminUpdate:
      Limit(
        amount: 10, window: second, per: "a second", words: "many changes of accounts",
        hint: "pause between them, or import the accounts")
    case .customTokenSignIn:
      Limit(
        amount: 45_000, window: minute, per: "a minute", words: "many custom tokens",
        hint: "pause between the sign-ins")
    case .tokenExchange:
      Limit(
        amount: 18_000, window: minute, per: "a minute", words: "many renewed tokens",
        hint: "renew a token only when it has run out")
    }
  }

  /// Determines the action of a request; nil when it has no limit, and for all other hosts.
  init?(_ request: HTTPRequest) {
    let url = request.url
    guard Endpoint.Service.allCases.contains(where: { $0.host == url.host }),
      let name = url.path.split(separator: "/").last
    else { return nil }
    let isAdmin = url.path.contains("/projects/")
    switch name {
    case "accounts:signUp" where !isAdmin:
      // With a token, it adds a password to an account.
      guard Self.body(request)?["idToken"] == nil else { return nil }
      self = .newAccount
    case "accounts:createAuthUri": self = .createAuthUri
    case "accounts:sendOobCode":
      let body = Self.body(request)
      guard body?["returnOobLink"]?.bool != true else { return nil }
      switch body?["requestType"]?.string {
      case "EMAIL_SIGNIN"?: self = .signInMail
      case "PASSWORD_RESET"?: self = .resetMail
      default: return nil
      }
    case "accounts:sendVerificationCode": self = .textMessage
    case "mfaEnrollment:start":
      guard Self.body(request)?["phoneEnrollmentInfo"] != nil else { return nil }
      self = .textMessage
    case "mfaSignIn:start": self = .textMessage
    case "accounts:delete": self = .deletion
    case "accounts:batchDelete": self = .batchDeletion
    case "accounts:update" where isAdmin: self = .adminUpdate
    case "accounts:signInWithCustomToken": self = .customTokenSignIn
    case "token": self = .tokenExchange
    default: return nil
    }
  }

  /// Whether the URL is of a sign-in that may create an account.
  static func mayMakeAccount(_ url: WebURL) -> Bool {
    [
      Endpoint.signInWithIdp, .signInWithEmailLink, .signInWithPhoneNumber, .signInWithCustomToken,
    ].contains { url.host == $0.service.host && url.path == "/\($0.path)" }
  }

  private static func body(_ request: HTTPRequest) -> JSON? { try? request.json() }
}
