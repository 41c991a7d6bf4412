internal import System
internal import HTTP

extension DashboardPage {
  /// The maximum number of e-mails and of SMS messages shown.
  private static let shownCodes = 100

  /// The page with the e-mails and SMS that would have been sent.
  func codes(_ scope: DashboardPath.Scope, _ backend: Backend) -> ServerResponse {
    let mails = backend.codes.all.suffix(Self.shownCodes).reversed().map { code -> Markup in
      let new: Markup = code.newEmail.map { " → <bdi>\($0)</bdi>" } ?? .nothing
      return """
        <tr><td>\(moment(code.createdAt))</td>\
        <th scope="row"><bdi>\(code.email)</bdi>\(new)<small>\(Self.purpose(code.purpose))</small></th>\
        <td>\(Self.anchor(code.link))<code class="cut wide">\(code.code)</code></td></tr>

        """
    }
    let messages = backend.verifications.all.suffix(Self.shownCodes).reversed().map {
      code -> Markup in
      """
      <tr><td>\(moment(code.createdAt))</td><th scope="row">\(code.phoneNumber)</th>\
      <td><code class="big">\(code.code)</code></td></tr>

      """
    }
    return response(
      .codes, title: "Codes of \(scope.tenant ?? scope.project)", scope: scope,
      content: """
        <h1>Codes</h1>
        <p class="lead">What would have been sent: no mail and no SMS leaves this machine. Used codes vanish.</p>
        \(tabs(scope, backend, section: "codes"))
        <section aria-labelledby="mails-title" id="mails" data-live>
        <h2 id="mails-title">Mails</h2>
        \(table(["Sent", "To", "Link and code"], mails, empty: "No mail waits."))
        </section>
        <section aria-labelledby="sms-title" id="sms" data-live>
        <h2 id="sms-title">SMS</h2>
        \(table(["Sent", "To", "Code"], messages, empty: "No message waits."))
        </section>
        """)
  }

  /// A time whose date is shown on wide screens only.
  private func moment(_ seconds: Int64) -> Markup {
    let full = Timestamp.text(milliseconds: seconds * 1000)
    let day = String(full.prefix(10))
    let clock = String(full.dropFirst(11).prefix(8))
    return "<time datetime=\"\(full)\"><span class=\"wide\">\(day) </span><b>\(clock)</b></time>"
  }

  private func table(_ names: [String], _ rows: [Markup], empty: String) -> Markup {
    guard !rows.isEmpty else { return "<div class=\"card empty\"><p>\(empty)</p></div>" }
    let heads = names.map { name -> Markup in "<th scope=\"col\">\(name)</th>" }
    return """
      <div class="card flush"><table>
      <thead><tr>\(heads)</tr></thead>
      <tbody>
      \(rows)</tbody></table></div>
      """
  }

  /// A link to a web page; settings may contain any address, so only http and https addresses get one.
  private static func anchor(_ link: String) -> Markup {
    guard WebURL(link) != nil else { return .nothing }
    return "<a href=\"\(link)\" rel=\"noreferrer\">Open the link</a> "
  }

  private static func purpose(_ purpose: OutOfBandCode.Purpose) -> String {
    switch purpose {
    case .emailSignIn: "Sign in by link"
    case .passwordReset: "Reset the password"
    case .recoverEmail: "Get the old address back"
    case .verifyEmail: "Verify the address"
    case .verifyAndChangeEmail: "Verify the new address"
    }
  }
}
