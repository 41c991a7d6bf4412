/// An action at a sign-in page, for observers.
///
/// It names fields, buttons and places, never the entered text.
public struct PageAction: Sendable, Equatable {
  /// A participant in the sign-in.
  public enum Party: String, Sendable, CaseIterable { case person, script, browser, provider }

  /// The kind of action.
  public enum Verb: String, Sendable, CaseIterable {
    /// A page is opened by its URL.
    case open
    case type
    case press
    /// A consent is accepted, or denied.
    case consent, deny
    /// The provider redirects back to the app.
    case redirect
  }

  /// The participant that acts.
  public let from: Party
  /// The participant that is acted on.
  public let to: Party
  /// The kind of action.
  public let verb: Verb
  /// The field, button or place.
  public let detail: String
  /// The identity provider; nil for a page outside of sign-ins.
  public let providerID: String?

  /// Creates an action.
  public init(
    from: Party, to: Party, _ verb: Verb, _ detail: String, providerID: String? = nil
  ) {
    self.from = from
    self.to = to
    self.verb = verb
    self.detail = detail
    self.providerID = providerID
  }
}

/// Receives page actions as they happen.
public typealias PageObserver = (PageAction) -> Void
