import Client
import System
import HTTP

/// The final redirect of a sign-in; its URL is never fetched.
struct SignInArrival: Sendable {
  /// The final URL, including query and fragment.
  let url: WebURL
  /// The fields of a `form_post` response; nil when the response is in the URL.
  let posted: FormFields?

  /// The response in the form that Auth needs to finish the sign-in.
  var answer: PageAnswer {
    PageAnswer(finalURL: url.description, postBody: posted.map { Secret($0.encoded) })
  }

  /// The provider's `error` parameter.
  var providerError: String? {
    posted?["error"] ?? url.fields["error"] ?? url.fragmentFields["error"]
  }

  /// Whether the response contains a code or token of OAuth or OpenID Connect, or a SAML response.
  ///
  /// The last page of a device sign-in, or of a recording, has none.
  var isGrant: Bool {
    ["code", "id_token", "access_token", "oauth_verifier", "SAMLResponse"].contains {
      posted?[$0] != nil || url.fields[$0] != nil || url.fragmentFields[$0] != nil
    }
  }
}
