public import System

extension SecretNames {
  /// The kind of a secret, by the name of its field, parameter, header or variable.
  public static func kind(of name: String) -> SecretKind {
    let plain = core(name)
    if let kind = kinds[plain] { return kind }
    if let ending = kindsByEnding.first(where: { plain.hasSuffix($0.name) }) { return ending.kind }
    // `user[password]` and `oldPasswords`.
    let parts = name.split { "[].".contains($0) }.map(String.init)
    if parts.count > 1, let part = parts.last(where: holdSecrets) { return kind(of: part) }
    return plain.hasSuffix("s") && plain.utf8.count > 4
      ? kind(of: String(plain.dropLast())) : .secret
  }

  /// Kinds by names in lower case, without hyphens and underscores.
  private static let kinds: [String: SecretKind] = [
    "idtoken": .idToken, "oauthidtoken": .idToken, "refreshtoken": .refreshToken,
    "oauthrefreshtoken": .refreshToken, "accesstoken": .accessToken,
    "oauthaccesstoken": .accessToken, "bearer": .accessToken, "authorization": .accessToken,
    "pendingtoken": .pendingToken, "customtoken": .customToken, "jwt": .token, "csrf": .token,
    "xsrf": .token, "captcharesponse": .token, "captcharesp": .token,
    "sessioncookie": .sessionCookie,
    "passwd": .password, "pwd": .password, "pass": .password, "pw": .password,
    "passphrase": .password, "secretanswer": .password, "passwordhash": .passwordHash,
    "salt": .salt, "pin": .pin, "otp": .code, "totp": .code, "passcode": .code, "code": .code,
    "oobcode": .actionCode, "devicecode": .deviceCode, "usercode": .userCode,
    "oauthauthorizationcode": .code, "codeverifier": .codeVerifier,
    "codechallenge": .codeChallenge, "state": .state, "relaystate": .state, "nonce": .nonce,
    "session": .session, "sessionid": .session, "sid": .session, "sessionstate": .session,
    "sessioninfo": .session, "xsessionid": .session, "key": .apiKey, "apikey": .apiKey,
    "xgoogapikey": .apiKey, "xapikey": .apiKey, "accesskey": .key, "secretaccesskey": .key,
    "sessionkey": .key, "signerkey": .key, "sharedsecretkey": .key, "xauthkey": .key,
    "ocpapimsubscriptionkey": .key, "privatekey": .privateKey, "clientsecret": .clientSecret,
    "assertion": .assertion, "clientassertion": .assertion, "samlrequest": .samlMessage,
    "samlresponse": .samlMessage, "temporaryproof": .proof, "postbody": .form,
    "credential": .credential, "credentials": .credential, "mfapendingcredential": .credential,
    "signature": .signature, "sig": .signature, "xsignature": .signature, "ticket": .token,
    "cookie": .cookie, "setcookie": .cookie,
  ]

  /// Kinds by the ends of names.
  private static let kindsByEnding: [(name: String, kind: SecretKind)] = [
    ("idtoken", .idToken), ("refreshtoken", .refreshToken), ("accesstoken", .accessToken),
    ("customtoken", .customToken), ("token", .token), ("password", .password),
    ("password2", .password), ("passwort", .password), ("kennwort", .password),
    ("clientsecret", .clientSecret), ("cookie", .cookie), ("privatekey", .privateKey),
    ("apikey", .apiKey), ("key", .key), ("passcode", .code), ("code", .code),
    ("credential", .credential), ("signature", .signature),
  ]
}
