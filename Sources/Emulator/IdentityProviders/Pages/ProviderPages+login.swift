internal import System
internal import HTTP

extension ProviderPages {
  /// The first page: e-mail address and, except at Microsoft, the password.
  func login(_ flow: PageFlow) -> ServerResponse {
    let isFirstOfTwo = provider.kind == .microsoft
    let invalid: Markup =
      flow.problem == nil ? .nothing : " aria-invalid=\"true\" aria-describedby=\"problem\""
    // When the address is filled in, the password is the first empty field.
    let emailFocus: Markup = isFirstOfTwo || flow.typedEmail.isEmpty ? " autofocus" : .nothing
    let passwordFocus: Markup = flow.typedEmail.isEmpty ? .nothing : " autofocus"
    let password: Markup =
      isFirstOfTwo
      ? .nothing
      : """
      <label for="password">\(words(.password))</label>
      <input id="password" name="password" type="password" autocomplete="current-password" \
      required\(invalid)\(passwordFocus)>
      """
    let name = isFirstOfTwo ? "loginfmt" : "email"
    return response(
      title: words(.signIn),
      content: """
        <h1>\(words(.signIn))</h1>
        <p class="lead">\(words(.toContinue, ["app": app]))</p>
        \(opening(flow))
        \(problem(flow))<label for="email">\(words(.email))</label>
        <input id="email" name="\(name)" type="text" inputmode="email" autocomplete="username" \
        autocapitalize="none" spellcheck="false" required value="\(flow.typedEmail)"\(invalid)\
        \(emailFocus)>
        \(password)
        <div class="row"><button type="submit">\(words(isFirstOfTwo ? .next : .signIn))</button>
        \(cancel)</div>
        </form>
        \(guests)
        """)
  }

  /// Microsoft's second page.
  func password(_ flow: PageFlow) -> ServerResponse {
    let invalid: Markup =
      flow.problem == nil ? .nothing : " aria-invalid=\"true\" aria-describedby=\"problem\""
    return response(
      title: words(.enterPassword),
      content: """
        <p class="person">\(flow.typedEmail)</p>
        <h1>\(words(.enterPassword))</h1>
        <p class="lead">\(words(.toContinue, ["app": app]))</p>
        \(opening(flow))
        \(problem(flow))<input type="hidden" name="loginfmt" value="\(flow.typedEmail)">
        <label for="password">\(words(.password))</label>
        <input id="password" name="passwd" type="password" autocomplete="current-password" \
        required autofocus\(invalid)>
        <div class="row"><button type="submit">\(words(.signIn))</button>
        <button class="quiet" type="submit" name="action" value="back" formnovalidate>\
        \(words(.back))</button></div>
        </form>
        """)
  }

  /// The page with the accounts that are signed in in this browser.
  func chooser(_ flow: PageFlow, people: [Person]) -> ServerResponse {
    let rows = people.map { person -> Markup in
      """
      <li><button type="submit" name="account" value="\(person.email)">\
      <span class="sign" aria-hidden="true">\(person.name.prefix(1).uppercased())</span>\
      <span><b>\(person.name)</b> <small>\(person.email)</small></span></button></li>

      """
    }
    return response(
      title: words(.chooseAccount),
      content: """
        <h1>\(words(.chooseAccount))</h1>
        <p class="lead">\(words(.toContinue, ["app": app]))</p>
        \(opening(flow))
        <ul class="accounts">
        \(rows)<li><button type="submit" name="other" value="another account">\
        <span class="sign other" aria-hidden="true">+</span>\
        <span>\(words(.useAnother))</span></button></li>
        </ul>
        <div class="row">\(cancel)</div>
        </form>
        """)
  }
}
