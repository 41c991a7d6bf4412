/// What somebody does at a sign-in page, told to whoever keeps a record of the sign-in.
///
/// It names fields, buttons and places, never what is typed.
public struct PageAction: Sendable, Equatable {
  /// Who takes part.
  public enum Party: String, Sendable, CaseIterable { case person, script, browser, provider }

  /// What is done.
  public enum Verb: String, Sendable, CaseIterable {
    /// A page is opened by its address.
    case open
    /// A field is filled.
    case type
    /// A button or a link is pressed.
    case press
    /// What the consent page asks for is accepted, or denied.
    case consent, deny
    /// The provider sends the browser back to whoever asked.
    case redirect
  }

  /// Who does it.
  public let from: Party
  /// Whom it is done with.
  public let to: Party
  /// What is done.
  public let verb: Verb
  /// The field, the button or the place.
  public let detail: String
  /// The provider whose sign-in it is; nil for a page that is no sign-in's.
  public let providerID: String?

  /// Describes an action.
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

/// Hears what is done at pages, when it is done.
public typealias PageObserver = (PageAction) -> Void
