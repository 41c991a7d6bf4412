internal import System
internal import HTTP

extension ProviderPages {
  /// The page that asks for a device's code.
  func userCode(_ flow: PageFlow) -> ServerResponse {
    let invalid: Markup =
      flow.problem == nil ? .nothing : " aria-invalid=\"true\" aria-describedby=\"problem\""
    return response(
      title: words(.deviceTitle),
      content: """
        <h1>\(words(.deviceTitle))</h1>
        <p class="lead">\(words(.deviceLead))</p>
        \(opening(flow))
        \(problem(flow))<label for="user_code">\(words(.userCode))</label>
        <input id="user_code" name="user_code" type="text" autocomplete="off" \
        autocapitalize="characters" spellcheck="false" required maxlength="32" \
        value="\(flow.typedEmail)"\(invalid) autofocus>
        <div class="row"><button type="submit">\(words(.next))</button>
        \(cancel)</div>
        </form>
        """)
  }

  /// The last page of a sign-in for a device, which continues there.
  func deviceEnded(isGranted: Bool) -> ServerResponse {
    let title = words(isGranted ? .deviceGranted : .deviceDenied)
    return response(
      title: title,
      content: """
        <h1 tabindex="-1" autofocus>\(title)</h1>
        <p class="lead">\(words(isGranted ? .deviceGrantedLead : .deviceDeniedLead))</p>
        """)
  }

  /// The page that asks whether to sign out.
  func logout(_ pending: PendingLogout, id: String, path: String) -> ServerResponse {
    response(
      title: words(.logoutTitle),
      content: """
        <h1>\(words(.logoutTitle))</h1>
        <p class="lead">\(words(.logoutLead, ["name": provider.name]))</p>
        <form method="post" action="\(path)">
        <input type="hidden" name="logout" value="\(id)">
        <input type="hidden" name="csrf" value="\(pending.formToken)">
        <div class="row"><button type="submit" name="decision" value="signout">\
        \(words(.logoutTitle))</button>
        <button class="quiet" type="submit" name="decision" value="stay">\
        \(words(.staySignedIn))</button></div>
        </form>
        """)
  }

  /// The last page of a sign-out without a redirect.
  func loggedOut(_ isOut: Bool) -> ServerResponse {
    let title = words(isOut ? .loggedOut : .stillSignedIn)
    return response(
      title: title,
      content: """
        <h1 tabindex="-1" autofocus>\(title)</h1>
        <p class="lead">\(words(.closePage))</p>
        """)
  }
}
