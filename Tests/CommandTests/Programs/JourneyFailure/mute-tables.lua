journey("number", function() error { code = 5 } end)
journey("text", function() error { code = "full" } end)
journey("empty", function() error {} end)
journey("message", function() error { code = 7, message = "seven" } end)
