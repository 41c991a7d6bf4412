internal import System
internal import HTTP

/// The pages of one provider in one language, without external resources.
struct ProviderPages {
  let provider: IdentityProvider
  let words: Wording
  /// The app that the user signs in to.
  let app: String
  /// The test users of the provider; an emulator may list them.
  let people: [Person]

  /// A page with the common frame.
  func response(
    status: Int = 200, title: String, content: Markup, script: String? = nil
  ) -> ServerResponse {
    var response = CardPage(
      title: "\(title) – \(provider.name)", language: words.language.rawValue, kind: provider.kind,
      content: """
        <p class="who"><span class="sign" aria-hidden="true">\(monogram)</span>\(provider.name)</p>
        \(content)
        """,
      footer: words(.footer, ["name": provider.name]), script: script
    ).response(status: status)
    // No form-action: browsers also apply it to the redirect to the app.
    response.headers.set("X-Frame-Options", "DENY")
    response.headers.set("Content-Language", words.language.rawValue)
    return response
  }

  private var monogram: String { provider.name.first.map { String($0).uppercased() } ?? "?" }

  /// The start of every sign-in form, with the CSRF token.
  func opening(_ flow: PageFlow) -> Markup {
    let path = provider.signInPath(tenant: flow.request.tenant)
    return """
      <form method="post" action="\(path)?flow=\(flow.id)">
      <input type="hidden" name="csrf" value="\(flow.formToken)">
      """
  }

  func problem(_ flow: PageFlow) -> Markup {
    guard let problem = flow.problem else { return .nothing }
    let text = words(problem, ["name": provider.name, "email": flow.typedEmail])
    return "<p class=\"notice\" id=\"problem\" role=\"alert\">\(text)</p>\n"
  }

  var cancel: Markup {
    """
    <button class="quiet" type="submit" name="action" value="cancel" formnovalidate>\
    \(words(.cancel))</button>
    """
  }

  /// A list of the test users; it is no secret: this is an emulator.
  var guests: Markup {
    guard !people.isEmpty else { return .nothing }
    let shown = people.prefix(8).map { person -> Markup in
      "<li>\(person.email)</li>"
    }
    let more: Markup = people.count > 8 ? "<li>…</li>" : .nothing
    return """
      <details><summary>\(words(.whoCanSignIn))</summary><ul>\(shown)\(more)</ul></details>
      """
  }
}
