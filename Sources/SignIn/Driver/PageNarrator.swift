internal import HTTP
internal import Client

/// An action at a sign-in page, or a message to the user, for observers.
///
/// It names fields, buttons and places, never the entered text.
public struct PageAction: Sendable, Equatable {
  /// A participant in the sign-in.
  public enum Party: String, Sendable, CaseIterable {
    case person, script, browser, provider
    /// The emulated Identity Toolkit.
    case toolkit
  }

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
    /// An e-mail or SMS is sent to the user.
    case email = "e-mail"
    case sms = "SMS"
  }

  /// The participant that acts.
  public let from: Party
  /// The participant that is acted on.
  public let to: Party
  /// The kind of action.
  public let verb: Verb
  /// The field, button or place; of a message, a line with recipient and subject, and its text below.
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

/// Reports to an observer what a driver does on the pages of one sign-in.
struct PageNarrator {
  let observe: PageObserver?
  let providerID: String

  func opens(_ url: WebURL) { tell(.script, .browser, .open, Self.place(url)) }

  func arrives(_ url: WebURL) { tell(.provider, .script, .redirect, Self.place(url)) }

  /// Reports the user actions that a step stands for.
  func takes(_ step: FormReader.Step, on page: SignInPage) {
    guard observe != nil else { return }
    switch step {
    case .send(let form, let submitter, let purpose):
      let before = Dictionary(page.forms.flatMap(\.controls).map { ($0.position, $0) }) {
        first, _ in
        first
      }
      for control in form.controls {
        guard [.text, .password, .textarea].contains(control.kind),
          let old = before[control.position], control.value != old.value
        else { continue }
        tell(.person, .browser, .type, control.title)
      }
      presses(submitter.map(Self.words) ?? "Enter", purpose)
    case .follow(let url, let purpose):
      guard let link = page.links.first(where: { $0.address == url }) else { return }
      presses(link.text, purpose)
    }
  }

  private func presses(_ words: String, _ purpose: FormReader.Purpose) {
    let verb: PageAction.Verb =
      switch purpose {
      case .accept: .consent
      case .deny: .deny
      default: .press
      }
    tell(.person, .browser, verb, words)
  }

  private func tell(
    _ from: PageAction.Party, _ to: PageAction.Party, _ verb: PageAction.Verb, _ detail: String
  ) {
    observe?(PageAction(from: from, to: to, verb, detail, providerID: providerID))
  }

  /// Returns the visible text of a button.
  private static func words(of button: FormControl) -> String {
    if !button.label.isEmpty { return button.label }
    return button.value.isEmpty ? button.title : button.value
  }

  /// Returns a URL without its parameters.
  private static func place(_ url: WebURL) -> String { "\(url.origin)\(url.path)" }
}
