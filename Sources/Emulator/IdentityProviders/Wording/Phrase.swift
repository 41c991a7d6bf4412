/// All texts of the provider pages; braces mark placeholders.
enum Phrase: CaseIterable, Sendable {
  case signIn, toContinue, email, password, enterPassword, next, cancel, back
  case unknownAccount, wrongPassword, wrongEither, missingEmail, tooManyAttempts
  case chooseAccount, useAnother, signedIn
  case consentTitle, consentLead, accept, deny
  case errorTitle, errorLead, returning, returningLead, proceed
  case deviceTitle, deviceLead, userCode, unknownUserCode, deviceWarning
  case deviceGranted, deviceGrantedLead, deviceDenied, deviceDeniedLead
  case logoutTitle, logoutLead, staySignedIn, loggedOut, stillSignedIn, closePage, logoutErrorLead
  case footer, whoCanSignIn, code
  case scopeIdentity, scopeProfile, scopeEmail, scopeOffline
  case scopeRead, scopeWrite, scopeOther
  case mail, calendars, contacts, files, directory, tasks, notes
}
