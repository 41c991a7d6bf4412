"""Celery tasks that carry out a plan by `luath batch work`: celery.md explains them.

    luath batch tasks plan.ndjson -o tasks.ndjson
    export LUATH_JOURNAL=journal.sqlite LUATH_COMMAND="luath batch work --execute --target production"
    python celery_luath.py tasks.ndjson                 # stores the tasks, sends a message for each group with open rows
    celery --app celery_luath worker

A message is the name of a group of rows. Its rows are done one after the other. If groups have open rows while the
workers are idle, their messages are lost: send them again by the third command, see celery.md.
"""
import os
import sys

from celery import Celery

from journal import Journal, carry_out
from worker import WorkerEnded

# In seconds; the lock of a group keeps a second worker from it, if it takes longer.
REDELIVERY = int(os.environ.get("LUATH_REDELIVERY", "3600"))

app = Celery("luath", broker=os.environ.get("LUATH_BROKER", "redis://localhost"))
app.conf.update(
    # A message is acknowledged when its rows have ended, and delivered again if its worker dies.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # Redis delivers a message again after this time. A worker that dies while it looks for such messages keeps the
    # others from it for the second one.
    broker_transport_options={"visibility_timeout": REDELIVERY, "unacked_mutex_expire": min(REDELIVERY, 60)},
)


@app.task(name="luath.work", bind=True, max_retries=None)
def work(self, group):
    """Carries out a group of rows."""
    try:
        is_mine = carry_out(group)
    except WorkerEnded as error:
        raise self.retry(exc=error, countdown=1)
    if not is_mine:
        raise self.retry(countdown=1)


if __name__ == "__main__":
    with Journal() as journal, open(sys.argv[1], encoding="utf-8") as file:
        for name in journal.load(file):
            work.delay(name)
