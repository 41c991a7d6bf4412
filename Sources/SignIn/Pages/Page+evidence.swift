internal import System
internal import HTTP

/// What a page shows at one moment.
struct PageView {
  /// The media type of a browser's page source.
  static let type = "text/html; charset=utf-8"

  /// The URL; nil for a page without a web address.
  let url: WebURL?
  /// The picture, or why its secrets could not be covered.
  let picture: Result<[UInt8], PageError>
  let html: [UInt8]
}

extension Page {
  /// How long to wait for other commands, and for each response of the driver.
  private static let patience: Duration = .seconds(2)
  /// The same at the end of a page.
  private static let lastPatience: Duration = .seconds(1)
  /// How often a page may show new secrets while its picture is taken.
  private static let tries = 3

  /// Records what the page shows and what its browser has logged; does nothing without a recorder.
  ///
  /// Never throws, and ends within seconds, also in a canceled task.
  ///
  /// - Parameters:
  ///   - name: what reports call it.
  ///   - isOneOfSeveral: whether other pages have the same name, so that the title is added.
  public func record(
    _ name: String, _ reason: PageEvidence.Reason, isOneOfSeveral: Bool = false
  ) async {
    guard let recorder, recorder.wants(reason) else { return await recordLogs() }
    let mask = PageMask([])
    if let view = await view(covering: { mask.text(recorder.clean($0)) }) {
      var evidence = PageEvidence(
        name, reason, at: view.url, html: view.html, type: PageView.type, secrets: [])
      evidence.add(view.picture)
      if isOneOfSeveral { evidence.addTitle() }
      recorder.took?(evidence)
    } else if !isClosed {
      var evidence = PageEvidence(name, reason, at: nil, html: [], type: nil, secrets: [])
      evidence.problem = "the browser did not respond"
      recorder.took?(evidence)
    }
    await recordLogs()
  }

  /// Passes on what the browser has logged so far.
  public func recordLogs() async {
    guard let logged = recorder?.logged, !isClosed else { return }
    await undisturbed { [self] in
      guard await isFree(), !isClosed else { return }
      await readLogs(within: Self.patience, logged)
    }
  }

  /// Passes on the rest of the log when the page has been closed.
  func readLastLogs() async {
    guard let logged = recorder?.logged else { return }
    await undisturbed { [self] in
      await readLogs(within: Self.lastPatience, logged)
      let rest = log.rest()
      if !rest.isEmpty { logged(rest) }
    }
  }

  private func readLogs(
    within limit: Duration, _ logged: @Sendable ([BrowserEntry]) -> Void
  ) async {
    let logs = try? await session.hurrying(limit) { () async throws(WebDriverError) in
      try await session.logs()
    }
    guard let logs else { return }
    let entries = log.read(console: logs.console, performance: logs.performance)
    if !entries.isEmpty { logged(entries) }
  }

  /// Returns what the page shows, its secrets covered; nil when the browser does not respond.
  ///
  /// - Parameter clean: removes the secrets from a text of the page.
  func view(covering clean: @escaping (String) -> String) async -> PageView? {
    var view: PageView?
    await undisturbed { [self] in
      guard await isFree() else { return }
      view = try? await command("record the page") { session throws(WebDriverError) in
        try await session.hurrying(Self.patience) { () async throws(WebDriverError) in
          let address = try await session.url()
          let html = Array(try await session.source().utf8)
          return PageView(
            url: WebURL(address), picture: await picture(covering: clean), html: html)
        }
      }
    }
    return view
  }

  /// Takes a picture of the window, while its secrets are covered in the page.
  ///
  /// The page sends its own texts here and gets back those to show instead, so that it learns no secret.
  private func picture(covering clean: (String) -> String) async -> Result<[UInt8], PageError> {
    do throws(WebDriverError) {
      let picture = try await coveredPicture(clean)
      _ = try await session.execute(PageScript.uncover)
      guard let picture else {
        return .failure(
          PageError(.notSupported, "the page shows secrets again and again", hint: ""))
      }
      guard let bare = PictureMetadata.removed(from: picture, type: "image/png") else {
        return .failure(PageError(.browserFailed, "the browser's picture is no PNG", hint: ""))
      }
      return .success(bare)
    } catch {
      _ = try? await session.execute(PageScript.uncover)
      return .failure(PageError(error, to: "take a picture"))
    }
  }

  private func coveredPicture(
    _ clean: (String) -> String
  ) async throws(WebDriverError) -> [UInt8]? {
    var covered: [JSON] = try await revealing(clean)
    for _ in 0..<Self.tries {
      _ = try await session.execute(PageScript.cover, [.array(covered)])
      let picture = try await session.screenshot()
      // The page may have changed meanwhile.
      let more = try await revealing(clean)
      if more.isEmpty { return picture }
      covered = more
    }
    return nil
  }

  /// Returns the texts of the page that contain secrets, each with the text to show instead.
  private func revealing(_ clean: (String) -> String) async throws(WebDriverError) -> [JSON] {
    let texts = try await session.execute(PageScript.texts).array ?? []
    return texts.compactMap { text -> JSON? in
      guard let text = text.string else { return nil }
      let shown = clean(text)
      return shown == text ? nil : .array([.string(text), .string(shown)])
    }
  }

  /// Whether no other command is under way, after some waiting.
  private func isFree() async -> Bool {
    let deadline = ContinuousClock.now + Self.patience
    var round = 0
    while turns.isTaken {
      guard ContinuousClock.now < deadline else { return false }
      try? await pause(round)
      round += 1
    }
    return true
  }

  /// Runs work that the cancellation of the caller does not end.
  private func undisturbed(_ body: @escaping () async -> Void) async {
    await LoopTask(on: loop, body).value
  }
}

extension PageEvidence {
  /// Adds the picture, or why there is none.
  mutating func add(_ picture: Result<[UInt8], PageError>?) {
    switch picture {
    case .success(let bytes)?: self.picture = bytes
    case .failure(let error)?: problem = error.message
    case nil: break
    }
  }
}
