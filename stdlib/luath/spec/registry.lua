--- What can stand in a chain of words after `assert` and `match`, by kind and name.
return { assertion = {}, modifier = {}, matcher = {} }
