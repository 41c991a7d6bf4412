public import Auth
public import Encoding
public import HTTP

/// How a sign-in came back to the redirect address, which is never itself fetched.
public struct SignInArrival: Sendable {
  /// The address a browser would stand at, query and fragment included.
  public let url: WebURL
  /// The fields of a `form_post` answer, or nil when the answer is in the address.
  public let posted: FormFields?

  /// What Auth finishes the sign-in with.
  public var answer: PageAnswer {
    PageAnswer(finalURL: url.description, postBody: posted.map { Secret($0.encoded) })
  }

  /// The provider's `error`, when it came back with one.
  public var providerError: String? {
    posted?["error"] ?? url.fields["error"] ?? url.fragmentFields["error"]
  }

  /// Whether the provider came back with what a sign-in is finished with: a code or token of OAuth
  /// and OpenID Connect, or a SAML response.
  ///
  /// The last page of a device sign-in, or of a recording, has none.
  var isGrant: Bool {
    ["code", "id_token", "access_token", "oauth_verifier", "SAMLResponse"].contains {
      posted?[$0] != nil || url.fields[$0] != nil || url.fragmentFields[$0] != nil
    }
  }
}
