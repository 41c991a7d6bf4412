internal import System
internal import HTTP

extension DashboardPage {
  /// The maximum number of e-mails and of SMS shown.
  private static let shownMessages = 100

  /// The e-mails and SMS that were sent, and the links that administrators asked for, newest first.
  func codes(_ scope: DashboardPath.Scope, _ backend: Backend) -> ServerResponse {
    let sent = backend.outbox.all
    let sms = sent.filter { !$0.isEmail }.suffix(Self.shownMessages).reversed().map {
      message -> Markup in
      """
      <tr><td>\(moment(message.sentAt))</td><th scope="row">\(message.recipient)\
      <small>\(message.text)</small></th>\
      <td>\(usedPill(message, backend))<code class="big">\(message.code)</code></td></tr>

      """
    }
    return response(
      .codes, title: "Messages of \(scope.title)", scope: scope,
      content: """
        <h1>Messages</h1>
        <p class="lead">The emulator sends no e-mail and no SMS. They are listed here, \
        the last \(number(Outbox.limit)) at most.</p>
        \(tabs(scope, backend, section: "codes"))
        <section aria-labelledby="mails-title" id="mails" data-live>
        <h2 id="mails-title">E-mails</h2>
        \(table(["Sent", "To", "Subject", "Link"], emails(scope, backend), empty: "No e-mail yet."))
        </section>
        <section aria-labelledby="sms-title" id="sms" data-live>
        <h2 id="sms-title">SMS</h2>
        \(table(["Sent", "To", "Code"], sms, empty: "No SMS yet."))
        </section>
        """)
  }

  private func emails(_ scope: DashboardPath.Scope, _ backend: Backend) -> [Markup] {
    let sent = backend.outbox.all.filter(\.isEmail)
    let known = Set(sent.map { ExactString(string: $0.code) })
    var rows = sent.suffix(Self.shownMessages).map { message -> (Int64, Markup) in
      let email = message.email
      let purpose = email.map { Self.purpose($0.purpose) } ?? ""
      let row: Markup = """
        <tr><td>\(moment(message.sentAt))</td>\
        <th scope="row"><bdi>\(message.recipient)</bdi><small>\(purpose)</small></th>\
        <td><a href="\(scope.address("message"))?number=\(String(message.number))">\(email?.subject ?? "")</a></td>\
        <td>\(usedPill(message, backend))\(link(of: message, backend))</td></tr>

        """
      return (message.sentAt, row)
    }
    rows += backend.codes.all.filter { !known.contains(ExactString(string: $0.code)) }
      .suffix(Self.shownMessages).map { code -> (Int64, Markup) in
        let row: Markup = """
          <tr><td>\(moment(code.createdAt))</td>\
          <th scope="row"><bdi>\(code.email)</bdi><small>\(Self.purpose(code.purpose))</small></th>\
          <td class="soft">not sent: an administrator has the link</td>\
          <td>\(Self.anchor(code.link))</td></tr>

          """
        return (code.createdAt, row)
      }
    // Sorting is stable, so messages of the same second keep their order.
    return rows.sorted { $0.0 < $1.0 }.suffix(Self.shownMessages).reversed().map(\.1)
  }

  private func link(of message: SentMessage, _ backend: Backend) -> Markup {
    guard !backend.isUsed(message), let link = message.email?.link else { return .nothing }
    return Self.anchor(link)
  }

  private func usedPill(_ message: SentMessage, _ backend: Backend) -> Markup {
    backend.isUsed(message) ? "\(pill("used", "plain")) " : .nothing
  }

  /// One e-mail as its recipient would see it.
  ///
  /// The HTML is in a frame of its own that runs no script and loads nothing.
  func message(_ scope: DashboardPath.Scope, _ message: SentMessage, _ backend: Backend)
    -> ServerResponse
  {
    let email = message.email
    let from = [email?.senderName, email?.sender].compactMap(\.self).joined(separator: " · ")
    let new: Markup =
      email?.newAddress.map { "<dt>New address</dt><dd><bdi>\($0)</bdi></dd>\n" } ?? .nothing
    let html: Markup =
      email?.html.map { html in
        """
        <section aria-labelledby="html-title"><h2 id="html-title">HTML</h2>
        <iframe class="card mail" sandbox title="The e-mail as HTML" srcdoc="\(html)"></iframe></section>
        """
      } ?? .nothing
    return response(
      .codes, title: email?.subject ?? message.recipient, scope: scope,
      content: """
        <p class="crumbs"><a href="\(scope.address("codes"))">Messages of \
        <bdi>\(scope.title)</bdi></a></p>
        <h1><bdi>\(email?.subject ?? "SMS")</bdi></h1>
        <div class="card" id="message" data-live><dl>
        <dt>To</dt><dd><bdi>\(message.recipient)</bdi></dd>
        \(new)<dt>From</dt><dd><bdi>\(from.isEmpty ? message.recipient : from)</bdi></dd>
        <dt>Sent</dt><dd>\(time(message.sentAt * 1000))</dd>
        <dt>Language</dt><dd>\(message.language)</dd>
        <dt>Link</dt><dd>\(usedPill(message, backend))\(link(of: message, backend))</dd>
        </dl></div>
        <section aria-labelledby="text-title"><h2 id="text-title">Text</h2>
        <div class="card"><pre tabindex="0">\(message.text)</pre></div></section>
        \(html)
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
