start(readRun(pageData().events));
