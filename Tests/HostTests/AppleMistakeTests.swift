@testable import Host
import Testing

/// Blocks of Swift and Objective-C as apps have them, whose Lua is put back into its script.
@Suite(.timeLimit(.minutes(5))) struct AppleMistakeTests {
  private static let before = """
    local Auth = require "luath.auth"
    local auth = Auth.auth()
    local provider = Auth.OAuthProvider("microsoft.com")
    local password = "correct horse"

    """
  private static let signedIn = """
    auth:signInAnonymously()
    local credential = provider:getCredential()

    """

  /// A call of Objective-C whose block has a statement.
  private static func linking(_ statement: String) -> String {
    """
    [[FIRAuth auth].currentUser linkWithCredential:credential
                completion:^(FIRAuthDataResult *_Nullable authResult, NSError *_Nullable error) {
      if (error != nil) {
        NSLog(@"%ld %@", (long)error.code, error.localizedDescription);
        return;
      }
      \(statement)
    }];
    """
  }

  @Test(arguments: [
    (
      #"NSLog(@"%lu of %5.1f%%", (unsigned long)authResult.user.uid.length, 2.5);"#,
      #"print(("%s of %5.1f%%"):format(#authResult.user.uid, 2.5))"#
    ),
    (
      #"NSLog(@"%@", authResult.user.displayName ?: @"none");"#,
      #"print(("%s"):format(authResult.user.displayName or "none"))"#
    ),
    (
      #"NSString *mail = [authResult.additionalUserInfo.profile objectForKey:@"mail"];"#,
      "local mail = authResult.additionalUserInfo.profile.mail"
    ),
    (
      "NSString *uid = [authResult.user.providerData firstObject].uid;",
      "local uid = authResult.user.providerData[1].uid"
    ),
    (
      "NSString *uid = [authResult.user.providerData objectAtIndex:0].uid;",
      "local uid = authResult.user.providerData[1].uid"
    ),
    (
      #"dispatch_async(dispatch_get_main_queue(), ^{ NSLog(@"%@", authResult.user.uid); });"#,
      #"print(("%s"):format(authResult.user.uid))"#
    ),
    (
      "NSString *token = ((FIROAuthCredential *_Nullable)authResult.credential).accessToken;",
      "local token = authResult.credential.accessToken"
    ),
  ])
  func `a statement of Objective-C within a block`(_ code: String, _ line: String) async throws {
    let hint = try await written(Self.signedIn, Self.linking(code))
    #expect(hint.hasSuffix("\n\(line)"), "\(hint)")
    #expect(hint.contains(#"print(("%s %s"):format(error.code, error.localizedDescription))"#))
    // The error's line runs too.
    let failing = hint.replacing("currentUser, credential)", with: "currentUser, nil)")
    #expect(failing != hint)
    for text in [hint, failing] {
      try await GuideTests.runner().run(Self.before + Self.signedIn + text)
    }
  }

  @Test(arguments: ["FIRUser *_Nullable owner", "FIRUser *user"])
  func `a parameter that is a user is the user of the result`(_ parameter: String) async throws {
    let name = parameter.split(whereSeparator: { " *".contains($0) }).last ?? ""
    let given = "auth:createUser('a@contoso.example', password)\nauth:signOut()\n"
    for body in ["", "if (error) { NSLog(@\"%@\", error); }"] {
      let hint = try await written(
        given,
        """
        [auth signInWithEmail:@"a@contoso.example" password:password
            completion:^(\(parameter), NSError *error) {
          \(body)
          if (\(name)) {
            NSLog(@"%@", \(name).email);
          }
        }];
        """)
      try await GuideTests.runner().run(
        Self.before + given + hint + "\nassert(\(name).email == 'a@contoso.example')")
    }
  }

  @Test(arguments: [
    """
    NSMutableURLRequest *request = [NSMutableURLRequest requestWithURL:[NSURL URLWithString:@"https://graph.microsoft.com/v1.0/me"]];
    [request setValue:[@"Bearer " stringByAppendingString:result.credential.accessToken] forHTTPHeaderField:@"Authorization"];
    [request setValue:@"application/json" forHTTPHeaderField:@"Accept"];
    NSURLSession *session = [NSURLSession sharedSession];
    NSURLSessionDataTask *task = [session dataTaskWithRequest:request
        completionHandler:^(NSData *data, NSURLResponse *response, NSError *error) {
      if (error) {
        NSLog(@"%@", error);
        return;
      }
      id json = [NSJSONSerialization JSONObjectWithData:data options:0 error:nil];
      mail = json[@"mail"];
    }];
    [task resume];
    """,
    """
    NSMutableURLRequest *request = [NSMutableURLRequest requestWithURL:[NSURL URLWithString:@"https://graph.microsoft.com/v1.0/me"]];
    [request setValue:[NSString stringWithFormat:@"Bearer %@", result.credential.accessToken] forHTTPHeaderField:@"Authorization"];
    [[session dataTaskWithRequest:request completionHandler:^(NSData *data, NSURLResponse *response, NSError *error) {
      NSDictionary *json = [NSJSONSerialization JSONObjectWithData:data options:kNilOptions error:nil];
      mail = json[@"mail"];
    }] resume];
    """,
    """
    var request = URLRequest(url: URL(string: "https://graph.microsoft.com/v1.0/me")!)
    request.setValue("Bearer \\(result.credential.accessToken)", forHTTPHeaderField: "Authorization")
    URLSession.shared.dataTask(with: request) { data, response, error in
      guard let data = data, error == nil else { return }
      let json = try JSONSerialization.jsonObject(with: data)
      DispatchQueue.main.async {
        mail = json.mail
      }
    }.resume()
    """,
    """
    let scheme = "Bearer " + result.credential.accessToken
    var request = URLRequest(url: URL(string: "https://graph.microsoft.com/v1.0/me")!)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue(scheme, forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    let json = try JSONSerialization.jsonObject(with: data, options: [])
    mail = json["mail"] as? String
    """,
    """
    var request = URLRequest(url: URL(string: "https://graph.microsoft.com/v1.0/me")!)
    request.addValue("Bearer \\(result.credential.accessToken)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    print(String(data: data, encoding: .utf8)!, (response as? HTTPURLResponse)?.statusCode)
    let json = try JSONSerialization.jsonObject(with: data, options: [])
    mail = json["mail"] as? String
    """,
  ])
  func `a request of URLSession is one of luath.http`(_ code: String) async throws {
    let given = "local mail\nlocal result = auth:signIn(provider)\n"
    let hint = try await written(given, code)
    let isBearer = !code.contains("setValue(scheme")
    #expect(hint.contains("request.bearer = result.credential.accessToken") == isBearer, "\(hint)")
    #expect(hint.contains("mail ="), "\(hint)")
    try await GuideTests.runner().run(
      Self.before + given + hint + "\nassert(mail == result.user.email, mail)")
  }

  @Test(arguments: [
    "assert(auth:signIn{ with = provider, UIDelegate = nil }.user)",
    "assert(auth:signInWithProvider{ provider = provider }.user)",
    "assert(auth:signIn{ credential = provider:getCredentialWithUIDelegate{ UIDelegate = nil } })",
    "auth:signIn(provider) auth.currentUser:reauthenticate{ credential = provider:getCredential() }",
    "auth:signIn(provider) if not auth:signOut() then error('out') end",
    "assert(Auth.OAuthProvider.provider{ providerWithProviderID = 'yahoo.com' }.providerID)",
  ])
  func `labels of Objective-C are keys`(_ code: String) async throws {
    try await GuideTests.runner().run(Self.before + code)
  }

  @Test func `an error within a text is declared`() async throws {
    let hint = try await written(
      "",
      #"""
      Auth.auth().signIn(withEmail: "a@b.example", password: password) { result, error in
        if let error = error {
          print("Error: \(error.localizedDescription)")
        }
      }
      """#)
    try await GuideTests.runner().run(Self.before + hint + "\nassert(error.code)")
  }

  @Test func `the page of a provider without a delegate`() async throws {
    let hint = try await written(
      "",
      """
      let r = try await Auth.auth().signIn(with: provider.credential(with: nil))
      print(r.user.email!)
      """)
    #expect(hint.contains("{ with = provider:getCredential() }"), "\(hint)")
    try await GuideTests.runner().run(Self.before + hint)
  }

  @Test(arguments: ["BOOL status = [auth signOut:&e];", "[[FIRAuth auth] signOut:&e];"])
  func `a sign-out that succeeds has no error`(_ code: String) async throws {
    let hint = try await written("", "NSError *e;\n\(code)\nif (e) {\n  NSLog(@\"%@\", e);\n}")
    #expect(hint.contains("if e then"), "\(hint)")
    try await GuideTests.runner().run("\(Self.before)\(hint)\nassert(e == nil)")
  }

  /// The Lua that the failure of a script shows in place of its end.
  private func written(_ given: String, _ code: String) async throws -> String {
    let failure = try await GuideTests.runner().failure(of: Self.before + given + code)
    let hint = try #require(failure.hint, "\(failure)")
    let start = try #require(hint.firstRange(of: "write\n"), "\(hint)")
    return hint[start.upperBound...].split(separator: "\n").map { $0.dropFirst(4) }
      .joined(separator: "\n")
  }
}
