@testable import HTTP

@testable import SignIn

/// A web of made-up hosts, so that names, encryption and ports can be as attackers would have them.
final class FakeWeb: Transport {
  private let answer: (HTTPRequest) -> HTTPResponse
  private(set) var requests: [HTTPRequest] = []

  init(_ answer: @escaping (HTTPRequest) -> HTTPResponse) { self.answer = answer }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    requests.append(request)
    var response = answer(request)
    response.url = request.url
    return response
  }

  func pause(for duration: Duration) async throws(HTTPError) {}

  /// Whether anybody but the given hosts was told a text.
  func told(_ text: String, besides hosts: Set<String>) -> Bool {
    requests.contains { request in
      !hosts.contains(request.url.host)
        && (String(decoding: request.body, as: UTF8.self).contains(text)
          || request.url.description.contains(text)
          || request.headers.fields.contains { $0.value.contains(text) })
    }
  }

  /// How a sign-in ends that must fail.
  func failure(
    _ answers: SignInAnswers, from start: String, limits: FormLimits = FormLimits()
  ) async -> FormDriverError? {
    guard let start = WebURL(start), let redirect = WebURL("https://app.example/handler") else {
      return nil
    }
    do throws(FormDriverError) {
      _ = try await FormDriver(transport: self, answers: answers, limits: limits)
        .drive(from: start, until: redirect)
      return nil
    } catch {
      return error
    }
  }

  /// Where a sign-in ends that must come back.
  func arrival(_ answers: SignInAnswers, from start: String) async throws -> SignInArrival {
    guard let start = WebURL(start), let redirect = WebURL("https://app.example/handler") else {
      throw Unusable()
    }
    return try await FormDriver(transport: self, answers: answers)
      .drive(from: start, until: redirect)
  }

  struct Unusable: Error {}
}

/// A response of the made-up web.
func page(
  _ html: String = "", status: Int = 200, _ headers: HTTPHeaders = ["Content-Type": "text/html"]
) -> HTTPResponse {
  guard let nowhere = WebURL("https://nowhere.example/") else { preconditionFailure("it is one") }
  return HTTPResponse(status: status, headers: headers, body: Array(html.utf8), url: nowhere)
}

func moved(_ location: String, status: Int = 302) -> HTTPResponse {
  page(status: status, ["Location": location])
}
