internal import System
public import HTTP
internal import IdentityToolkit

/// What a page showed at one moment: its picture, its document, or both.
public struct PageEvidence: Sendable {
  /// Why a page is recorded.
  public enum Reason: Sendable, Equatable {
    /// Something failed.
    case failure
    /// A step of the journey or of a sign-in ended.
    case step
    /// The script attached the page.
    case request
  }

  /// What the reports call it: `failed`, the name of a step, or the script's own name.
  public private(set) var name: String
  /// Why it was recorded.
  public let reason: Reason
  /// The page's URL, with its secrets; nil for a page that has no web address.
  public let url: WebURL?
  /// A PNG in which secrets are covered; nil without a browser, or when they could not be covered.
  public var picture: [UInt8]?
  /// Why there is no picture although there is a browser.
  public var problem: String?
  /// The file of the picture under `--pages`.
  public internal(set) var pictureFile: String?
  /// The file of the document under `--pages`.
  public internal(set) var documentFile: String?
  let html: [UInt8]
  let type: String?
  let status: Int?
  /// What was entered, and the values in URLs.
  let secrets: [Secret]

  init(
    _ name: String, _ reason: Reason, at url: WebURL?, html: [UInt8], type: String?,
    status: Int? = nil, secrets: [Secret]
  ) {
    self.name = name
    self.reason = reason
    self.url = url
    self.html = html
    self.type = type
    self.status = status
    self.secrets = secrets + (url.map { PageMask.secrets(in: $0) } ?? [])
  }

  /// Adds the title to the name, or without one the address.
  mutating func addTitle() {
    let title = shown?.title ?? titleAtStart
    let place = url.map { mask.address("\($0.origin)\($0.path)") } ?? ""
    let words = title.isEmpty ? place : title
    if !words.isEmpty { name += ": \(words)" }
  }

  private var mask: PageMask { PageMask(secrets) }

  /// The title of a document that cannot be read to its end.
  public var titleAtStart: String {
    let start = HTMLDocument(parsing: Array(html.prefix(Self.start)))
    let title = start?.all(["title"]).first.map { SignInPage.words(start?.rawText(of: $0) ?? "") }
    return mask.text(title ?? "")
  }

  private static let start = 64 << 10

  /// Why an HTML document cannot be shown; nil when it can, and for other types.
  public var documentProblem: String? {
    guard !html.isEmpty, SignInPage.isHTML(type) else { return nil }
    do throws(PageFault) {
      _ = try HTMLDocument(reading: html, charset: nil)
      return nil
    } catch {
      return error.reason
    }
  }

  /// The page's title and its HTML without values, scripts and secrets that were entered; nil if it is not HTML.
  public var shown: (title: String, html: String)? {
    let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
    guard SignInPage.isHTML(type), let document = HTMLDocument(parsing: html, charset: charset)
    else { return nil }
    let mask = mask
    let title = document.all(["title"]).first.map { SignInPage.words(document.rawText(of: $0)) }
    return (
      mask.text(title ?? ""), MaskedPage.html(of: document, mask: mask, for: .viewing)
    )
  }
}

/// How luath records what pages show, and what their browsers log.
///
/// Used on the loop's thread.
public struct PageRecorder: Sendable {
  /// When pages are recorded.
  public enum Moment: String, Sendable, CaseIterable {
    /// At each failure.
    case failure
    /// At each failure, and after each step.
    case step
  }

  /// When pages are recorded; nil: only when a script asks.
  public let moment: Moment?
  /// Removes the secrets of the run from a text.
  let clean: @Sendable (String) -> String
  /// Receives pages; nil when nothing records them.
  let took: (@Sendable (PageEvidence) -> Void)?
  /// Receives what browsers logged; nil when it is not recorded.
  let logged: (@Sendable ([BrowserEntry]) -> Void)?

  /// Creates a recorder.
  public init(
    moment: Moment? = nil, clean: @escaping @Sendable (String) -> String = { $0 },
    took: (@Sendable (PageEvidence) -> Void)? = nil,
    logged: (@Sendable ([BrowserEntry]) -> Void)? = nil
  ) {
    self.moment = moment
    self.clean = clean
    self.took = took
    self.logged = logged
  }

  /// Whether a page that is recorded for this reason is wanted.
  func wants(_ reason: PageEvidence.Reason) -> Bool {
    guard took != nil else { return false }
    switch reason {
    case .failure: return moment != nil
    case .step: return moment == .step
    case .request: return true
    }
  }
}
