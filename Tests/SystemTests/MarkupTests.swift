@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct MarkupTests {
  @Test func `text that is put into markup is escaped, markup is not`() {
    let (typed, bold): (String, Markup) = ("<b title='x'>\"&", "<b>bold</b>")
    let page: Markup = "<p>\(typed)</p>\(bold)\([bold, bold])"
    #expect(
      page.text
        == "<p>&lt;b title=&#39;x&#39;&gt;&quot;&amp;</p><b>bold</b><b>bold</b><b>bold</b>")
    #expect(Markup.escaped("as it is, ü") == "as it is, ü")
    #expect(Markup.escaped("\"<'".utf8, quotes: false) == Array("\"&lt;'".utf8))
  }

  @Test func `a page escapes its title and has one head and one body`() {
    let page = WebPage(
      title: "a < b", language: "de", head: "<meta name=\"x\">\n", style: "p{margin:0}\n"
    ).text("<p>text</p>")
    #expect(
      page == """
        <!DOCTYPE html>
        <html lang="de">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="x">
        <title>a &lt; b</title>
        <style>p{margin:0}
        </style>
        </head>
        <body>
        <p>text</p>
        </body>
        </html>

        """)
  }
}
