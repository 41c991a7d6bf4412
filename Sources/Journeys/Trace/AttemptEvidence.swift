import HTTP
import Host
import IdentityToolkit
import SignIn
import System

/// What an attempt leaves besides exchanges: pages, attachments of the script, and browsers' logs.
struct AttemptEvidence {
  /// How many pages of an attempt are kept, and how many bytes of their pictures.
  private static let mostPages = 100
  private static let mostBytes = 16 << 20
  /// How many attachments of the script are kept.
  private static let mostAttachments = 100
  /// How many entries of browsers' logs are kept.
  private static let mostEntries = 1000

  private(set) var pages: [(at: Double, page: PageEvidence)] = []
  private(set) var attachments: [(at: Double, attachment: ScriptAttachment)] = []
  private(set) var entries: [(at: Double, entry: BrowserEntry)] = []
  /// How many pages, attachments and entries were left out.
  private(set) var leftOut = (pages: 0, attachments: 0, entries: 0)
  private var bytes = 0

  var isEmpty: Bool { pages.isEmpty && attachments.isEmpty && entries.isEmpty }

  mutating func add(_ page: PageEvidence, at now: Double) {
    let size = page.picture?.count ?? 0
    guard pages.count < Self.mostPages, bytes + size <= Self.mostBytes else {
      leftOut.pages += 1
      return
    }
    bytes += size
    pages.append((now, page))
  }

  mutating func add(_ attachment: ScriptAttachment, at now: Double) {
    guard attachments.count < Self.mostAttachments else {
      leftOut.attachments += 1
      return
    }
    attachments.append((now, attachment))
  }

  mutating func add(_ entry: BrowserEntry, at now: Double) {
    guard entries.count < Self.mostEntries else {
      leftOut.entries += 1
      return
    }
    entries.append((now, entry))
  }

  /// Drops what was recorded in case the attempt fails, because it passed.
  mutating func dropFailures() { pages.removeAll { $0.page.reason == .failure } }

  /// Drops all entries of logs but the last ones.
  mutating func keepEntries(last count: Int) { entries = Array(entries.suffix(count)) }
}

extension AttemptEvidence {
  private typealias TimedAttachment = (at: Double, attachment: AttachmentEvent)

  /// Returns the events, not sorted.
  ///
  /// - Parameters:
  ///   - place: Returns the step that was open at a time.
  ///   - folder: Where `--pages` saves files; nil without it.
  func events(
    _ hub: EventHub, _ place: (Double) -> EventSource?, folder: SignInTrace?
  ) -> [RunEvent] {
    let secrets = hub.secrets
    var made: [TimedAttachment] = []
    for (at, page) in pages { made += secrets.events(of: page).map { (at: at, attachment: $0) } }
    made += attachments.map { (at: $0.at, attachment: secrets.event(of: $0.attachment)) }
    made.sort { $0.at < $1.at }
    save(&made, in: folder, of: place(0)?.journey)
    var events = made.map { RunEvent(at: $0.at, place: place($0.at), .attachment($0.attachment)) }
    events += entries.map { RunEvent(at: $0.at, place: place($0.at), secrets.event(of: $0.entry)) }
    if let note, let last = events.map(\.at).max() {
      events.append(
        RunEvent(at: last, place: place(last), .log(LogEvent(level: .warning, text: note))))
    }
    return events
  }

  /// Saves what is not saved yet.
  private func save(
    _ made: inout [TimedAttachment], in folder: SignInTrace?, of journey: String?
  ) {
    let open = made.indices.filter {
      made[$0].attachment.file == nil && made[$0].attachment.bytes != nil
    }
    guard let folder, !open.isEmpty else { return }
    let files = open.map { index in
      let attachment = made[index].attachment
      return (name: attachment.name, ending: attachment.ending, bytes: attachment.bytes ?? [])
    }
    let owner = (journey ?? "file").split(" > ").last ?? "file"
    for (index, path) in zip(open, folder.save(files, of: owner)) {
      made[index].attachment.file = path
    }
  }

  private var note: String? {
    let parts = [
      (leftOut.pages, "pages"), (leftOut.attachments, "attachments"),
      (leftOut.entries, "entries of browsers' logs"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty
      ? nil : "\(parts.joined(separator: " and ")) of this journey are too many for its reports"
  }
}

extension RunSecrets {
  /// Returns the picture and the HTML of a page.
  fileprivate func events(of page: PageEvidence) -> [AttachmentEvent] {
    learn()
    var base = AttachmentEvent(
      name: clean(page.name), type: "image/png", size: page.picture?.count ?? 0, content: .leftOut,
      isFailure: page.reason == .failure)
    if let url = page.url {
      var cleaner = ExchangeCleaner(masker, isBrowser: true)
      base.url = cleaner.address(url)
    }
    let shown = page.shown
    let problem = shown == nil ? page.documentProblem : nil
    base.title = (shown?.title ?? problem.map { _ in page.titleAtStart }).map { clean($0) }
    var events: [AttachmentEvent] = []
    if page.picture != nil || page.problem != nil {
      var event = base
      event.file = page.pictureFile
      event.set(page.picture, orElse: page.problem)
      events.append(event)
    }
    if let shown {
      var event = base
      event.type = "text/html"
      event.file = page.documentFile
      event.set(clean(shown.html), size: shown.html.utf8.count)
      events.append(event)
    } else if let problem {
      var event = base
      event.type = "text/html"
      event.set(nil, orElse: "the HTML cannot be read: \(problem)")
      events.append(event)
    }
    return events
  }

  /// Returns what a script attached, without secrets.
  fileprivate func event(of attachment: ScriptAttachment) -> AttachmentEvent {
    learn()
    var event = AttachmentEvent(
      name: clean(attachment.name), type: attachment.type, size: attachment.bytes.count,
      content: .leftOut)
    let isPicture = ["image/png", "image/jpeg"].contains(attachment.type)
    if isPicture || PictureMetadata.isPicture(attachment.bytes) {
      event.set(
        PictureMetadata.removed(
          from: attachment.bytes, type: isPicture ? attachment.type : nil),
        orElse: isPicture
          ? "it is not the picture that its type names, or is damaged"
          : "it is a damaged picture")
    } else if let text = clean(attached: attachment.bytes, type: attachment.type) {
      event.set(text, size: attachment.bytes.count)
    } else {
      event.set(attachment.bytes, orElse: nil)
      if let bytes = event.bytes, holdsSecret(bytes) {
        event.content = .leftOut
        event.note = "left out: it contains a secret of the run"
      }
    }
    return event
  }

  private func holdsSecret(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return masker.clean(text) != text
  }

  fileprivate func event(of entry: BrowserEntry) -> RunEvent.Kind {
    learn()
    switch entry.kind {
    case .console(let line):
      let text = clean(line.text, as: .words)
      return .console(
        ConsoleEvent(level: line.level, source: line.source, text: text.shortened(to: 8 << 10)))
    case .request(let request):
      var cleaner = ExchangeCleaner(masker, isBrowser: true)
      let url = WebURL(request.url).map { cleaner.address($0) } ?? clean(request.url)
      return .request(
        PageRequestEvent(
          method: request.method, url: url.shortened(to: 8 << 10), type: request.type,
          status: request.status, error: request.error.map { clean($0) }))
    }
  }
}

extension AttachmentEvent {
  /// Sets a text; one over the limit is cut.
  fileprivate mutating func set(_ text: String, size: Int) {
    self.size = size
    content = .text(text.shortened(to: Self.longestText))
    if content != .text(text) { note = "cut off at 1 MiB" }
  }

  /// Sets other content; what is over the limit is left out.
  fileprivate mutating func set(_ bytes: [UInt8]?, orElse problem: String?) {
    guard let bytes else {
      note = "left out: \(problem ?? "there is none")"
      return
    }
    size = bytes.count
    if bytes.count > Self.mostBytes {
      note = "left out: it is larger than 4 MiB"
    } else {
      content = .bytes(bytes)
    }
  }
}

extension String {
  /// Returns the text, or its first bytes with an ellipsis.
  fileprivate func shortened(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    return String(self[..<utf8.index(startIndex, offsetBy: limit)]) + "…"
  }
}
