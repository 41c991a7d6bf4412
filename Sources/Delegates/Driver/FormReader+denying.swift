internal import HTTP

/// How a consent that shall be denied is not given by mistake.
extension FormReader {
  /// Refuses to send a denial that the provider could not tell from an acceptance.
  ///
  /// Without scripts a form is all that the provider receives. In a browser a script may make the
  /// difference, so there the button is pressed.
  func checkDenial(
    _ form: PageForm, _ button: FormControl?, on page: SignInPage
  ) throws(FormDriverError) {
    for other in page.forms where !isAside(other) {
      for accepting in other.submitters where accepts(accepting) {
        try checkDenial(form, button, against: other, accepting, on: page)
      }
    }
  }

  /// The same for one form and button that would accept.
  func checkDenial(
    _ form: PageForm, _ button: FormControl?, against other: PageForm, _ accepting: FormControl?,
    on page: SignInPage
  ) throws(FormDriverError) {
    guard !runsScripts, let denial = FormSubmission(form, submitter: button, on: page),
      let acceptance = FormSubmission(other, submitter: accepting, on: page),
      acceptance.isSame(as: denial)
    else { return }
    throw failure(
      .cannotDeny, on: page, field: button?.title,
      because: "to accept and to deny send the same data")
  }

  /// Refuses a link to deny that leads back to its own page, as those of scripts do.
  func checkDenial(_ link: SignInPage.Link, on page: SignInPage) throws(FormDriverError) {
    guard !runsScripts, link.address.with(fragment: nil) == page.url.with(fragment: nil) else {
      return
    }
    throw failure(
      .cannotDeny, on: page, field: link.text, because: "its link to deny works by a script")
  }

  /// Refuses to press a button that accepts where the page offers no other way on.
  func checkAcceptance(
    _ words: [String], in form: PageForm?, on page: SignInPage
  ) throws(FormDriverError) {
    guard !answers.consent else { return }
    let denying = form?.controls.first {
      $0.kind == .button && $0.type != "reset" && !$0.isDisabled && !$0.isConcealed && denies($0)
    }
    if let denying {
      throw failure(
        .cannotDeny, on: page, field: denying.title,
        because: "its button to deny works by a script")
    }
    let agreeing = task == .signOut ? Vocabulary.agreeToSignOut : Vocabulary.agree
    guard words.contains(where: { Vocabulary.mentions(agreeing, in: $0) }) else { return }
    throw failure(
      .cannotDeny, on: page, because: "it has a button to accept and none to deny")
  }
}

extension FormSubmission {
  /// Whether a server receives the same request from both.
  ///
  /// A multipart body is compared by its fields, as its boundary is random.
  fileprivate func isSame(as other: FormSubmission) -> Bool {
    method == other.method && url == other.url && fields.elementsEqual(other.fields, by: ==)
  }
}
