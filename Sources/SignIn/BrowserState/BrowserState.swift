public import Client
import HTTP
public import IdentityToolkit
public import System

/// What the web apps of signed-in users keep in a browser, for one or more origins.
///
/// It contains refresh tokens: anyone who has it can act as the users. Printing it shows none.
public struct BrowserState: Sendable {
  /// Where the SDK keeps its user, by the names of the SDK's persistences.
  public enum Persistence: String, CaseIterable, Sendable {
    case indexedDB
    case local
    case session
  }

  /// One user of one app.
  public struct Entry: Sendable {
    /// The origin of the app's pages.
    public let origin: String
    /// The key of the record: `firebase:authUser:APIKEY:APPNAME`.
    public let key: String
    /// Where the record is kept.
    public let persistence: Persistence
    /// The user's e-mail address, or else the uid.
    public let name: String
    /// The record as JSON text.
    let record: Secret
  }

  /// The options of an app.
  public struct App: Sendable {
    /// The origin of its pages.
    public let origin: String
    let apiKey: Secret
    let name: String
    let persistence: Persistence

    /// The name of an app that `initializeApp` gets no name for.
    public static let usualName = "[DEFAULT]"

    /// An app; throws for an origin, key or name that no app can have.
    ///
    /// - Parameter apiKey: The key of its configuration; nil for the key of the target, if that is known.
    public init(
      origin: String, apiKey: Secret?, name: String?, persistence: Persistence, of target: Target
    ) throws(Problem) {
      self.origin = try Self.checked(origin)
      self.apiKey = try Self.checked(apiKey, target)
      self.name = name ?? Self.usualName
      self.persistence = persistence
      guard !self.name.isEmpty else {
        throw Problem(
          "the app's name is empty", hint: "leave it out for the app \(Self.usualName)")
      }
    }

    private static func checked(_ text: String) throws(Problem) -> String {
      let example = "such as http://localhost:3000"
      guard text.contains("://") else {
        let url = text.contains("/") ? nil : WebURL("http://\(text)")
        throw Problem(
          "the origin '\(text)' has no scheme",
          hint: url.map { "write \($0.origin), or https" }
            ?? "write scheme, host and port, \(example)")
      }
      guard let url = WebURL(text) else {
        throw Problem(
          "'\(text)' is not the origin of a web page",
          hint: "write http or https, host and port, \(example)")
      }
      guard url.pathAndQuery == "/", url.fragment == nil else {
        throw Problem(
          "the origin \(url.origin) is followed by a path, a query or a fragment",
          hint: "write only \(url.origin)")
      }
      return url.origin
    }

    private static func checked(_ given: Secret?, _ target: Target) throws(Problem) -> Secret {
      let known = target.apiKey == Target.anyKey ? nil : target.apiKey
      guard let key = given ?? known else {
        throw Problem(
          "the API key of the app is not known, and its record has the key in its name",
          hint: "pass the apiKey of the app's firebaseConfig, or set project.apiKey in luath.lua")
      }
      guard known == nil || known == key else {
        throw Problem(
          "the API key is not the one of the project \(target.projectID)",
          hint: "leave it out to use the project's key, or choose the app's project as the target")
      }
      guard !key.reveal().isEmpty else {
        throw Problem("the API key is empty", hint: "pass the apiKey of the app's firebaseConfig")
      }
      return key
    }
  }

  /// The users, in the order in which they were added.
  public private(set) var entries: [Entry]

  /// The state of a signed-in user in an app.
  public init(of user: User, in app: App) {
    entries = [
      Entry(
        origin: app.origin, key: "firebase:authUser:\(app.apiKey.reveal()):\(app.name)",
        persistence: app.persistence, name: user.email ?? user.uid,
        record: user.browserRecord(apiKey: app.apiKey, appName: app.name))
    ]
  }

  /// The state with the users of another one; throws if an app would have two users.
  public func adding(_ other: BrowserState) throws(Problem) -> BrowserState {
    var sum = self
    for entry in other.entries {
      if let known = sum.entries.first(where: { $0.origin == entry.origin && $0.key == entry.key })
      {
        throw Problem(
          "\(known.name) and \(entry.name) would be users of the same app at \(entry.origin)",
          hint: "give one of them another origin, apiKey or appName, or save two files")
      }
      sum.entries.append(entry)
    }
    return sum
  }

  /// The origins, each once.
  public var origins: [String] {
    var seen: Set<String> = []
    return entries.map(\.origin).filter { seen.insert($0).inserted }
  }

  /// The users and origins, without secrets: `ada@contoso.example at http://localhost:3000`.
  public var summary: String {
    entries.map { "\($0.name) at \($0.origin)" }.joined(separator: ", ")
  }
}
