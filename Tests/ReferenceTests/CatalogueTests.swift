import Reference
import Testing

@Suite struct CatalogueTests {
  @Test func `a name finds the entry by its full name and by its last word`() {
    let entry = ReferenceEntry(
      kind: .method, owner: "Auth", name: "signIn", signature: "auth:signIn(credential)",
      summary: "Signs in.")
    let page = ReferencePage(.class, "Auth", "The client.", entries: [entry])
    let catalogue = Catalogue(pages: [page])
    #expect(catalogue.entries(named: "Auth:signIn").map(\.fullName) == ["Auth:signIn"])
    #expect(catalogue.entries(named: "signIn").map(\.fullName) == ["Auth:signIn"])
    #expect(catalogue.entries(named: "Auth.signIn").isEmpty)
  }
}
