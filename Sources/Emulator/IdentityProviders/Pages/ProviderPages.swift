internal import Encoding
internal import HTTP
internal import OIDC

/// The pages of one provider in one language, complete in themselves: no script, no outside resource.
struct ProviderPages {
  let provider: IdentityProvider
  let words: Wording
  /// The app the person signs in to.
  let app: String
  /// Who could sign in here, told quietly because this is an emulator.
  let people: [Person]

  /// One page around `content`.
  func response(
    status: Int = 200, title: String, content: Markup, script: String? = nil
  ) -> ServerResponse {
    let theme = Theme.of(provider.kind)
    let style = theme.variables + Stylesheet.common
    let footer = words(.footer, ["name": provider.name])
    let end = script.map { Markup(raw: "<script>\($0)</script>") } ?? .nothing
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="\(words.language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="robots" content="noindex">
      <title>\(title) – \(provider.name)</title>
      <style>\(Markup(raw: style))</style>
      </head>
      <body>
      <main><div class="in">
      <p class="who"><span class="sign" aria-hidden="true">\(monogram)</span>\(provider.name)</p>
      \(content)
      </div></main>
      <footer>\(footer)</footer>\(end)
      </body>
      </html>

      """
    var response = ServerResponse(
      status: status, text: page.text, type: "text/html; charset=utf-8")
    let styles = "'sha256-\(Base64.encode(Digest.sha256(Array(style.utf8))))'"
    let scripts = script.map {
      " script-src 'sha256-\(Base64.encode(Digest.sha256(Array($0.utf8))))';"
    }
    // No form-action: browsers apply it to the redirect that leads back to the app as well.
    response.headers.set(
      "Content-Security-Policy",
      "default-src 'none'; style-src \(styles);\(scripts ?? "") base-uri 'none'; "
        + "frame-ancestors 'none'")
    response.headers.set("X-Frame-Options", "DENY")
    response.headers.set("X-Content-Type-Options", "nosniff")
    response.headers.set("Referrer-Policy", "no-referrer")
    response.headers.set("Cache-Control", "no-store")
    response.headers.set("Content-Language", words.language.rawValue)
    return response
  }

  private var monogram: String { provider.name.first.map { String($0).uppercased() } ?? "?" }

  /// What every form of a sign-in starts with.
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

  /// The people of the project file: whoever looks at an emulator's page may know.
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
