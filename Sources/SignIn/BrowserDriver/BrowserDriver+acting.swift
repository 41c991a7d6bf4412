internal import Client
internal import System
internal import HTTP

extension BrowserDriver {
  /// Performs a step in the browser; false when the page has changed and must be read again.
  func perform(
    _ step: FormReader.Step, _ report: PageReport, on shown: SignInPage, _ visit: inout DriveState,
    _ reader: FormReader
  ) async throws(AuthError) -> Bool {
    switch step {
    case .follow(let url, let purpose):
      if purpose == .deny { visit.deny(on: shown, button: nil) }
      return try await settled { () async throws(PageError) in
        let link = zip(shown.links, report.links).first { $0.0.address == url }?.1
        guard let link else { return try await page.open(url.description) }
        try await page.press(link)
      }
    case .send(let form, let submitter, let purpose):
      if purpose == .deny { visit.deny(on: shown, button: submitter?.title) }
      var origins: [String] = []
      if reader.isSecretFilled {
        origins = try guardSecrets(form, submitter, on: shown, visit, reader)
      }
      return try await settled { () async throws(PageError) in
        if !origins.isEmpty { try await page.watchForms(for: origins) }
        let last = try await page.fill(form, as: report)
        try await page.submit(form, submitter, report, after: last)
      }
    }
  }

  /// Whether the action could be performed; its effect on the page is read later.
  private func settled(_ body: () async throws(PageError) -> Void) async throws(AuthError) -> Bool {
    do throws(PageError) {
      try await body()
      return true
    } catch {
      switch error.code {
      case .elementNotFound: return false
      // The redirect may lead to a closed port, which is not a failure here.
      case .navigationFailed: return true
      default: throw failed(error)
      }
    }
  }

  /// Checks that both the page, whose scripts see the input, and its form's target belong to the provider.
  ///
  /// Returns their origins. The actual submission is watched in the page, because a script may replace it.
  private func guardSecrets(
    _ form: PageForm, _ submitter: FormControl?, on shown: SignInPage, _ visit: DriveState,
    _ reader: FormReader
  ) throws(AuthError) -> [String] {
    let target = form.destination(submitter: submitter, page: shown.url, base: shown.base)
    let places = [shown.url, target ?? shown.url]
    for url in places {
      guard let objection = visit.objection(toSecretsAt: url, answers) else { continue }
      throw failed(
        reader.failure(
          .unsafePage, on: visit.place(url), because: objection.reason,
          trustable: objection.origin))
    }
    return places.map(\.origin) + answers.trustedOrigins.map { $0.lowercased() }
  }
}

extension Page {
  /// Reads the page in the form that `FormReader` uses.
  func report() async throws(PageError) -> PageReport {
    do throws(PageError) {
      return PageReport(
        try await command("read the page") { session throws(WebDriverError) in
          try await session.execute(PageScript.report)
        })
    } catch {
      // A script fails when its page is being replaced.
      if [.javascriptError, .elementNotFound].contains(error.code) { return PageReport(.null) }
      throw error
    }
  }

  func watchForms(for origins: [String]) async throws(PageError) {
    try await command("watch the page's forms") { session throws(WebDriverError) in
      _ = try await session.execute(
        PageScript.watchForms, [.array(origins.map { .string($0) })])
    }
  }

  /// Clicks an element, even if another one covers it.
  func press(_ element: ElementID) async throws(PageError) {
    try await command("press a button") { session throws(WebDriverError) in
      try await toggle(element)
    }
  }

  /// Fills the controls with the values in the form; returns the last one that was typed into.
  func fill(_ form: PageForm, as report: PageReport) async throws(PageError) -> ElementID? {
    let before = Dictionary(
      (report.page?.forms ?? []).flatMap(\.controls).map { ($0.position, $0) }
    ) { first, _ in first }
    return try await command("fill the page") { session throws(WebDriverError) in
      var last: ElementID?
      for control in form.controls {
        guard let old = before[control.position], let element = report.controls[control.position]
        else { continue }
        switch control.kind {
        case .text, .password, .textarea:
          guard control.value != old.value else { continue }
          let tag = control.kind == .textarea ? "textarea" : "input"
          try await write(Secret(control.value), into: element, tag: tag, type: control.type)
          last = element
        case .checkbox: if control.isChecked != old.isChecked { try await toggle(element) }
        case .radio: if control.isChecked, !old.isChecked { try await toggle(element) }
        case .select:
          guard control.options != old.options else { continue }
          let chosen = control.options.filter(\.isSelected).map { JSON.string($0.value) }
          _ = try await session.execute(PageScript.select, [element.json, .array(chosen)])
        default: break
        }
      }
      return last
    }
  }

  /// Submits the form by its button, or as a user at the keyboard would.
  func submit(
    _ form: PageForm, _ submitter: FormControl?, _ report: PageReport, after last: ElementID?
  ) async throws(PageError) {
    let button = submitter.flatMap { report.controls[$0.position] }
    if let button {
      try await waitUntilEnabled(button)
      return try await press(button)
    }
    let owner = form.controls.lazy.compactMap { report.owners[$0.position] }.first
    try await command("send the form") { session throws(WebDriverError) in
      if let owner, let element = report.forms[owner] {
        _ = try await session.execute(PageScript.submit, [element.json])
      } else if let last {
        try await session.type(Secret("\u{E007}"), into: last)
      }
    }
  }

  /// Waits for a button that scripts enable once they accept the input.
  private func waitUntilEnabled(_ button: ElementID) async throws(PageError) {
    for round in 0..<40 {
      let isDisabled = try await command("look at the button") { session throws(WebDriverError) in
        try await session.execute(PageScript.isDisabled, [button.json]).bool ?? false
      }
      if !isDisabled { return }
      try await pause(round)
    }
    throw await placed(
      PageError(
        .notInteractable, "the button stays disabled after everything was filled in",
        hint: "give answers for further fields, or drive the page with a script"))
  }
}
