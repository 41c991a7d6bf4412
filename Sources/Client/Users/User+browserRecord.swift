import IdentityToolkit
public import System

extension User {
  /// The user as Firebase's JavaScript SDK stores it in a browser (its `User.toJSON`), as JSON text.
  ///
  /// It contains the tokens: anyone who has it can act as the user. Second factors and custom claims are not in it,
  /// because the SDK reads them from the backend.
  ///
  /// - Parameters:
  ///   - apiKey: The API key of the app.
  ///   - appName: The name of the app in the SDK.
  ///   - now: This machine's time in milliseconds since 1970, by which the browser renews the token.
  public func browserRecord(
    apiKey: Secret, appName: String, now: Int64 = Timestamp.now
  ) -> Secret {
    func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }
    var record: JSONObject = ["uid": .string(uid)]
    // The SDK omits these fields when they are empty.
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { record[name] = .string(value) }
    }
    add("email", email)
    record["emailVerified"] = .bool(isEmailVerified)
    add("displayName", displayName)
    record["isAnonymous"] = .bool(isAnonymous)
    add("photoURL", photoURL)
    add("phoneNumber", phoneNumber)
    add("tenantId", tenantID)
    record["providerData"] = .array(
      providerData.map { info in
        [
          "providerId": .string(info.providerID), "uid": .string(info.uid),
          "displayName": text(info.displayName), "email": text(info.email),
          "phoneNumber": text(info.phoneNumber), "photoURL": text(info.photoURL),
        ]
      })
    let tokens = session.tokens
    // A script can move its own clock, and the browser's clock stays.
    let remaining = tokens.expiresAt - backend.clock.now
    record["stsTokenManager"] = [
      "refreshToken": .string(tokens.refreshToken.reveal()),
      "accessToken": .string(tokens.idToken.reveal()),
      "expirationTime": .integer((now / 1000 + remaining) * 1000),
    ]
    // As strings: with a number in IndexedDB the SDK never calls onAuthStateChanged.
    add("createdAt", metadata.creationDate.map { String($0) })
    add("lastLoginAt", metadata.lastSignInDate.map { String($0) })
    record["apiKey"] = .string(apiKey.reveal())
    record["appName"] = .string(appName)
    return Secret(JSON.object(record).encoded())
  }
}
