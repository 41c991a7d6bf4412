/// The folder of Lua files that tests require.
let folderOfFixtures =
  #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Fixtures"
