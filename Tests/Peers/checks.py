"""Runs unittest cases and ends with the line of counts that Tools/run-tests adds up."""
import base64
import pathlib
import sys
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Result(unittest.TextTestResult):
    """Names what fails at once, with the line of the check, and nothing of the machinery."""

    def printErrors(self):
        """Shown as they happened."""

    def addError(self, test, err):
        super().addError(test, err)
        self._show(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._show(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._show(subtest, err)

    def _show(self, test, err):
        _, error, trace = err
        lines = [
            f"{pathlib.Path(frame.filename).name}:{frame.lineno}"
            for frame in traceback.extract_tb(trace)
            if pathlib.Path(frame.filename).is_relative_to(HERE)
        ]
        print(f"✘ {test.id()}\n    {' '.join(lines)}: {type(error).__name__}: {error}", flush=True)


def base64url(text):
    """The bytes of a part of a JWT."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def run(cases, label):
    """Runs the cases of these classes; answers what the process should end with."""
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)
    began = time.monotonic()
    result = unittest.TextTestRunner(
        stream=sys.stderr, verbosity=0, resultclass=Result, descriptions=False).run(suite)
    bad = {str(getattr(test, "test_case", test)) for test, _ in result.errors + result.failures}
    good = result.testsRun - len(result.skipped) - len(bad)
    print(f"{label}: {time.monotonic() - began:.1f} s, {len(result.skipped)} left out")
    print(f"{max(good, 0)} passed, {len(bad)} failed", flush=True)
    return 0 if result.wasSuccessful() else 1
