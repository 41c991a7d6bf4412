internal import System
internal import HTTP

extension ProviderPages {
  /// The consent page, which describes each scope.
  func consent(_ flow: PageFlow) -> ServerResponse {
    let title = words(.consentTitle, ["app": app])
    return response(
      title: title,
      content: """
        <p class="person">\(flow.email ?? "")</p>
        <h1 tabindex="-1" autofocus>\(title)</h1>
        \(deviceWarning(flow))<p class="lead">\(words(.consentLead))</p>
        <ul class="scopes">
        \(ScopeWords.lines(flow.request.scopes, in: words))
        </ul>
        \(opening(flow))
        <div class="row"><button type="submit" name="decision" value="accept">\
        \(words(.accept))</button>
        <button class="quiet" type="submit" name="decision" value="deny">\(words(.deny))</button></div>
        </form>
        """)
  }

  /// Shows the code again, so that the user does not admit somebody else's device (RFC 8628 section 5.4).
  private func deviceWarning(_ flow: PageFlow) -> Markup {
    guard let code = flow.device?.userCode else { return .nothing }
    return "<p class=\"notice\">\(words(.deviceWarning, ["code": code]))</p>\n"
  }

  /// An error page; it ends the sign-in, or offers to continue with another account.
  func notice(_ notice: Notice, flow: PageFlow? = nil) -> ServerResponse {
    let facts = notice.facts.map { fact -> Markup in
      "<dt>\(fact.label)</dt><dd>\(fact.value)</dd>"
    }
    let rows: Markup =
      "<dl><dt>\(words(.code))</dt><dd>\(notice.code)</dd>\(facts)</dl>"
    var other = Markup.nothing
    if let flow, notice.offersOtherAccount {
      other = """
        \(opening(flow))
        <div class="row"><button type="submit" name="other" value="another account">\
        \(words(.useAnother))</button>\(cancel)</div>
        </form>
        """
    }
    return response(
      status: notice.status, title: words(.errorTitle),
      content: """
        <h1 tabindex="-1" autofocus>\(words(.errorTitle))</h1>
        <p class="lead">\(words(notice.lead, ["name": provider.name]))</p>
        <p class="notice" role="alert">\(notice.code): \(notice.message)</p>
        <p>\(notice.advice)</p>
        \(rows)
        \(other)
        """)
  }

  /// The response as a form (OAuth 2.0 Form Post Response Mode).
  ///
  /// A script submits it at once. Without scripts the user presses a button.
  func handover(_ fields: FormFields, to address: String) -> ServerResponse {
    let hidden = fields.pairs.map { pair -> Markup in
      "<input type=\"hidden\" name=\"\(pair.name)\" value=\"\(pair.value)\">\n"
    }
    return response(
      title: words(.returning),
      content: """
        <h1>\(words(.returning))</h1>
        <p class="lead">\(words(.returningLead))</p>
        <form method="post" action="\(address)">
        \(hidden)<div class="row"><button type="submit">\(words(.proceed))</button></div>
        </form>
        """,
      script: "document.forms[0].submit()")
  }
}
