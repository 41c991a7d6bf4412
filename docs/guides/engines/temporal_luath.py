"""A workflow of Temporal that carries out a plan by `luath batch work`: temporal.md explains it.

    luath batch tasks plan.ndjson -o tasks.ndjson
    export LUATH_JOURNAL=journal.sqlite LUATH_COMMAND="luath batch work --execute --target production"
    python temporal_luath.py worker                     # as many as you like
    python temporal_luath.py start tasks.ndjson

TEMPORAL_ADDRESS names the server.
"""
import asyncio
import concurrent.futures
import datetime
import os
import sys

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker as TemporalWorker

with workflow.unsafe.imports_passed_through():
    from journal import Journal, carry_out

QUEUE = "luath"
# A workflow has a limited history, so a plan takes several.
GROUPS = 1000


def alive():
    """Reports a heartbeat, and ends the worker of luath if the activity is cancelled or has timed out."""
    activity.heartbeat()
    if activity.is_cancelled():
        raise ApplicationError("the activity is cancelled")


@activity.defn
def carry_out_group(group: str) -> None:
    """Carries out a group of rows; Temporal retries what fails here."""
    if not carry_out(group, alive):
        raise ApplicationError("another attempt works on the group")


@workflow.defn
class Rows:
    """Carries out groups of rows, at most `most` at a time."""

    @workflow.run
    async def run(self, groups: list[str], most: int) -> None:
        places = asyncio.Semaphore(most)

        async def one(group):
            async with places:
                await workflow.execute_activity(
                    carry_out_group, group, start_to_close_timeout=datetime.timedelta(hours=1),
                    heartbeat_timeout=datetime.timedelta(seconds=30), retry_policy=RetryPolicy())

        await asyncio.gather(*(one(group) for group in groups))


async def work(client):
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        await TemporalWorker(
            client, task_queue=QUEUE, workflows=[Rows], activities=[carry_out_group], activity_executor=threads,
            max_concurrent_activities=8).run()


async def start(client, path):
    with Journal() as journal, open(path, encoding="utf-8") as file:
        groups, digest = journal.load(file), journal.hello()["digest"]
    for number in range(0, len(groups), GROUPS):
        # The name is that of the plan, so that a workflow is not started twice.
        await client.start_workflow(
            Rows.run, args=[groups[number:number + GROUPS], 8], id=f"luath-{digest[:12]}-{number}", task_queue=QUEUE)


async def main():
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"))
    await (work(client) if sys.argv[1] == "worker" else start(client, sys.argv[2]))


if __name__ == "__main__":
    asyncio.run(main())
