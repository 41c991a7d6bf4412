journey.skip("skipped", function() say "skipped" end)
journey("skipped too", { skip = "not now" }, function() say "skipped" end)
journey.pending "to be written"
journey("in the middle", function(j) say "begun" j:skip "enough" say "too far" end)
journey("unfinished", function(j) j:pending() say "too far" end)
journey("runs", function() say "runs" end)
