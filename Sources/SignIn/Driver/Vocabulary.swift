/// Words by which pages name their fields and buttons.
///
/// Names and values in markup are almost always English. Labels are for users, so they are covered
/// in the languages of our guides and some neighboring ones.
enum Vocabulary {
  static let username: WordList = [
    "username", "user_name", "userid", "user_id", "loginfmt", "login", "email", "e-mail", "mail",
    "identifier", "account", "upn", "j_username", "uname", "benutzer", "utilisateur", "identifiant",
    "courriel", "usuario", "correo", "utente", "posta", "メール", "ユーザー", "ログイン", "почт", "логин",
    "thư", "tên đăng nhập", "邮箱", "用户名", "이메일",
  ]
  static let notUsername: WordList = [
    "search", "captcha", "code", "otp", "token", "coupon", "phone", "q",
  ]
  static let accept: WordList = [
    "accept", "allow", "agree", "approve", "authorize", "authorise", "consent", "grant", "permit",
    "continue", "yes", "confirm", "ok", "akzeptieren", "zulassen", "zustimmen", "erlauben",
    "weiter",
    "accepter", "autoriser", "continuer", "aceptar", "permitir", "accetta", "consenti", "continua",
    "許可", "同意", "承諾", "続行", "принять", "разрешить", "продолжить", "chấp nhận", "cho phép",
    "tiếp tục",
    "share", "teilen", "partager", "compartir", "condividi",
  ]
  static let deny: WordList = [
    "deny", "decline", "cancel", "reject", "refuse", "disagree", "no", "don't", "not", "abort",
    "ablehnen", "abbrechen", "verweigern", "refuser", "annuler", "rechazar", "cancelar", "rifiuta",
    "annulla", "nega", "拒否", "キャンセル", "отклонить", "отмена", "отказать", "từ chối", "hủy",
  ]
  /// Words of a deliberate consent; the other words of `accept` also lead from page to page.
  static let agree: WordList = [
    "accept", "allow", "agree", "approve", "authorize", "authorise", "consent", "grant", "permit",
    "share", "teilen", "partager", "compartir", "condividi", "akzeptieren", "zulassen", "zustimmen",
    "erlauben", "accepter", "autoriser", "aceptar",
    "permitir", "accetta", "consenti", "許可", "同意", "承諾", "принять", "разрешить", "chấp nhận",
    "cho phép",
  ]
  static let signOut: WordList = [
    "logout", "log out", "logoff", "log off", "signout", "sign out", "log me out", "sign me out",
    "sign you out", "end session", "end the session", "abmelden", "déconnecter", "déconnexion",
    "cerrar sesión", "disconnetti", "esci", "ログアウト", "サインアウト", "выйти", "выход", "đăng xuất",
  ]
  static let acceptSignOut = WordList(accept.words + signOut.words)
  static let agreeToSignOut = WordList(agree.words + signOut.words)
  static let denySignOut = deny.with(
    "stay signed in", "stay logged in", "keep me signed in", "keep me logged in",
    "remain signed in", "angemeldet bleiben", "rester connecté", "mantener la sesión",
    "rimani connesso", "resta connesso", "サインインの状態を維持", "ログインしたまま",
    "оставаться в системе", "duy trì đăng nhập")
  /// Without short words, because links say "not you?" and "no account yet?".
  static let denyLink = deny.without("no", "not", "don't")
  static let otherAccount: WordList = [
    "another account", "different account", "other account", "use another", "add account", "other",
    "another", "different", "anderes konto", "autre compte", "otra cuenta", "altro account",
    "別のアカウント", "другой аккаунт", "tài khoản khác",
  ]
  static let back = otherAccount.with(
    "back", "not you", "zurück", "retour", "indietro", "volver", "戻る", "назад", "quay lại")
  static let code: WordList = ["otp", "totp", "mfa", "2fa", "passcode", "otc", "verificationcode"]
  static let codeLabel: WordList = [
    "one-time code", "one time code", "verification code", "security code", "authentication code",
    "authenticator", "bestätigungscode", "code de vérification", "código de verificación",
    "codice di verifica", "確認コード", "код подтверждения", "mã xác minh",
  ]
  static let scope: WordList = [
    "scope", "scopes", "permission", "permissions", "grant", "grants", "claims",
  ]
  static let staySignedIn: WordList = [
    "stay signed in", "keep me signed in", "remember me",
    "remember this browser", "remember this computer", "remember this device",
    "trust this browser", "trust this computer", "trust this device",
    "angemeldet bleiben", "rester connecté", "mantener la sesión", "rimani connesso",
    "resta connesso", "サインインの状態を維持", "ログインしたまま", "оставаться в системе", "duy trì đăng nhập",
  ]
  static let aside: WordList = [
    "search", "logout", "log out", "signout", "sign out", "lang", "locale", "language", "register",
    "signup", "sign up", "create account", "forgot", "reset", "help", "feedback", "cookie",
    "newsletter",
  ]
  /// On a page that asks whether to sign out, sign-out words do not mark a side form.
  static let asideOfSignOut = WordList(
    aside.words.filter { !["logout", "log out", "signout", "sign out"].contains($0) })
  static let trouble: WordList = [
    "error", "sorry", "went wrong", "problem", "denied", "failed", "invalid", "not allowed",
    "expired",
    "unable", "erreur", "fehler", "errore", "エラー", "ошибка", "lỗi",
  ]

  /// Words of buttons that do not continue the sign-in.
  static let sideways = WordList(aside.words + otherAccount.words)
  static let cookies: WordList = ["cookie", "cookies"]

  /// Whether `text` contains one of `words`; short ASCII words match only as whole words.
  static func mentions(_ words: WordList, in text: String) -> Bool { words.isMentioned(in: text) }
}

/// Words to search for, preprocessed once because each page needs hundreds of searches.
struct WordList: Sendable, ExpressibleByArrayLiteral {
  let words: [String]
  /// Short ASCII words, matched only as whole words because they are part of many others.
  private let whole: Set<String>
  /// Words matched anywhere, as UTF-8 bytes.
  private let parts: [[UInt8]]

  init(_ words: [String]) {
    self.words = words
    let isWhole: (String) -> Bool = { $0.utf8.count <= 5 && $0.utf8.allSatisfy { $0 < 0x80 } }
    whole = Set(words.filter(isWhole))
    parts = words.filter { !isWhole($0) }.map { Array($0.utf8) }
  }

  init(arrayLiteral elements: String...) { self.init(elements) }

  func with(_ more: String...) -> WordList { WordList(words + more) }

  func without(_ fewer: String...) -> WordList { WordList(words.filter { !fewer.contains($0) }) }

  func isMentioned(in text: String) -> Bool {
    if text.isEmpty { return false }
    let low = text.lowercased()
    let bytes = Array(low.utf8)
    if parts.contains(where: { Self.has($0, in: bytes) }) { return true }
    return low.split { !$0.isLetter && !$0.isNumber && $0 != "'" }
      .contains { whole.contains(String($0)) }
  }

  private static func has(_ part: [UInt8], in text: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    let first = part[0]
    for start in 0...(text.count - part.count) where text[start] == first {
      var length = 1
      while length < part.count, text[start + length] == part[length] { length += 1 }
      if length == part.count { return true }
    }
    return false
  }
}
