local function tell(j, row) say(j.name, row.a, row.b, j.row == row and "same" or "other") end
journey("{a} of a table", { each = { { a = 1, b = 2 }, { a = 3, b = 4 } } }, tell)
journey("{a} of CSV", { each = "rows/some.csv" }, tell)
journey("without a name", { each = "rows/some.json" }, tell)
journey("{a} of semicolons", { each = "rows/semicolons.csv" }, tell)
journey("{a} of tabs", { each = "rows/tabs.csv" }, tell)
journey("{a} of bars", { each = "rows/bars.csv" }, tell)
journey("{a;x} of two kinds", { each = "rows/two.csv" }, function(j, row) say(j.name, row.b) end)
