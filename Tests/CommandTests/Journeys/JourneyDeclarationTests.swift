import Foundation
import Testing

/// What a file may declare, and what is refused with its place before anything runs.
@Suite(.timeLimit(.minutes(5)))
struct JourneyDeclarationTests {
  @Test(arguments: [
    ("journey('x', { tag = 1 }, function() end)", "unknown option 'tag' of journey 'x'"),
    ("journey('x', { tags = 'a' }, function() end)", "table expected, got string"),
    ("journey('x', { tags = { 'a b' } }, function() end)", "a tag of journey 'x'"),
    ("journey('x', { timeout = 0 }, function() end)", "more than 0 seconds"),
    ("journey('x', { timeout = 0/0 }, print)", "'timeout' of journey 'x': more than 0 seconds"),
    ("journey('x', { timeout = -1 }, print)", "expected, got -1"),
    ("journey('x', { timeout = '5' }, print)", "'timeout' of journey 'x': number expected"),
    ("journey.fixture('x', { timeout = math.huge }, print)", "at most a year expected, got inf"),
    ("journey('x', { retries = -1 }, function() end)", "0 or more"),
    ("journey('', function() end)", "a name expected, got an empty text"),
    ("journey(function() end)", "a name expected"),
    ("journey('x')", "journey 'x' has no function"),
    ("journey.configure { parallel = 1 }", "boolean expected, got integer"),
    ("journey.configure { jobs = 1 }", "unknown option 'jobs'"),
    ("journey.onyl('x', function() end)", "luath.journey has no 'onyl'"),
    (
      "journey.fixture('x', { scope = 'world' }, function() end)",
      "\"journey\", \"file\" or \"run\""
    ),
    ("journey.fixture('x', print) journey.fixture('x', print)", "two fixtures named 'x'"),
    ("journey('x', { each = {} }, print)", "each has no rows"),
    ("journey('x', { weight = 0 }, print)", "from 1 to 1000 expected, got 0"),
    ("journey('x', function() end) journey.load()", "a table expected, got nil"),
    ("journey('x {a}', { each = { { a = {} } } }, print)", "row 1 has a table as 'a'"),
    ("journey('x {b}', { each = { { a = 1 } } }, print)", "no row has this column"),
    ("journey('x', { each = 'none.csv' }, print)", "none.csv"),
    ("journey('x', { each = 'rows.txt' }, print)", "a .csv, .json or .ndjson file"),
    (
      "journey('x', { each = 'short.csv' }, print)",
      "line 3 of short.csv has 1 fields, but"
    ),
    (
      "journey('x', { each = 'open.csv' }, print)",
      "line 2 of open.csv: a quotation mark is not closed"
    ),
    ("journey('x', { each = 'twice.csv' }, print)", "'a' is there twice"),
    ("journey('x', { each = 'broken.json' }, print)", "broken.json is no JSON"),
    (
      "journey('x', { each = 'latin.csv' }, print)",
      "line 3 of latin.csv is not UTF-8: save the file as UTF-8"
    ),
    (
      "journey('x', { each = 'keys.json' }, print)",
      "line 2 of keys.json: the key 'a' is there twice"
    ),
    ("journey('x', { each = { { 1 }, nil, { 3 } } }, print)", "each has no row 2"),
    ("describe('x')('y')", "a function expected, got string"),
    ("finally(print)", "'finally' not supported"),
    ("this is no Lua", "syntax error"),
  ])
  func `a mistake is named with its line, and other files run`(text: String, words: String)
    async throws
  {
    let folder = try JourneyFolder([
      "one_journey.lua": text, "two_journey.lua": "journey('two', function() say 'two' end)",
      "rows.txt": "a\n1\n", "short.csv": "a,b\n1,2\n3\n", "open.csv": "a,b\n\"1,2\n",
      "twice.csv": "a,a\n1,2\n", "broken.json": "[{]",
      "keys.json": "[{ \"a\": 1 },\n { \"a\": 2, \"b\": 3, \"a\": 4 }]",
    ])
    try folder.write(Array("a,b\nplain,1\nw".utf8) + [0xF6] + Array("rd,2\n".utf8), to: "latin.csv")
    let ending = try await folder.test()
    let said = ending.output + ending.errors
    #expect(said.contains(words), "\(said)")
    #expect(said.contains("one_journey.lua"))
    #expect(ending.code == 3, "\(said)")
    #expect(folder.log == ["two"])
  }

  @Test func `rows come from tables, CSV and JSON, and name their journeys`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": luaProgram("JourneyDeclaration/rows"),
      "rows/semicolons.csv": "a;b;\"c,d\"\r\n1,5;\"x;y\";z\r\n",
      "rows/tabs.csv": "a\tb\n1;5\tx,y\n",
      "rows/bars.csv": "a|b\n1;5|x,y\n", "rows/two.csv": "a;x,b\n1;2,3\n",
      "rows/some.csv":
        "\u{FEFF}a,b\r\nplain,\"with, comma\"\r\n\"a \"\"quoted\"\"\nline\",\"\"\r\n\r\n",
      "rows/some.json": #"[{ "a": "x", "b": 1 }, { "a": "y", "b": 2 }]"#,
    ])
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(
      folder.log == [
        "1 of a table 1 2 same", "3 of a table 3 4 same", "plain of CSV plain with, comma same",
        "a \"quoted\"", "line of CSV a \"quoted\"", "line  same", "without a name [1] x 1 same",
        "without a name [2] y 2 same", "1,5 of semicolons 1,5 x;y same", "1;5 of tabs 1;5 x,y same",
        "1;5 of bars 1;5 x,y same", "1;2 of two kinds 3",
      ])
  }

  @Test func `journeys that are skipped, pending or left aside do not run`() async throws {
    let folder = try JourneyFolder(program: "JourneyDeclaration/skipped")
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["begun", "runs"])
  }

  @Test func `a block that fails is told in place of what is in it`() async throws {
    let folder = try JourneyFolder(program: "JourneyDeclaration/failing-block")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    #expect((ending.output + ending.errors).contains("the block broke"))
    #expect(folder.log == ["beside"])
  }

  @Test func `a setup that fails fails every journey of its block`() async throws {
    let folder = try JourneyFolder(program: "JourneyDeclaration/failing-setup")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    #expect(folder.log == ["setup", "three"])
  }

  @Test func `fixtures may use wider ones, not narrower ones, and never themselves`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyDeclaration/fixtures")
    let ending = try await folder.test()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["narrow wide", "true", "true", "there is no fixture 'unknown'"])
  }

  @Test func `a journey is known by its name, in whichever order a state declares it`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyDeclaration/order-of-names")
    let ending = try await folder.test("--jobs", "3")
    #expect(Set(folder.log).count == 60)
    #expect(ending.code == 1)
    #expect(ending.output.contains("does not declare this journey"))
  }
}
