from __future__ import annotations

import threading

from anonymizer.studio.worker import Job, Worker


def test_the_newest_job_wins_and_those_before_are_dropped():
    worker, begun, done = Worker(), threading.Event(), []

    def first(job: Job) -> None:
        begun.set()
        while True:
            job.check()

    running = worker.submit(first)
    assert begun.wait(10)
    waiting = worker.submit(lambda _: done.append("second"))
    newest = worker.submit(lambda _: done.append("third"))
    for job in (running, waiting, newest):
        assert job.done.wait(10)
    assert done == ["third"]
    assert running.dropped.is_set()
    worker.close()
    worker.thread.join(10)
    assert not worker.thread.is_alive()


def test_a_job_that_is_stopped_hears_of_it_but_is_not_dropped():
    worker, begun = Worker(), threading.Event()

    def run(job: Job) -> None:
        begun.set()
        job.stopped.wait(10)

    job = worker.submit(run)
    assert begun.wait(10)
    assert worker.stop()
    assert job.done.wait(10)
    assert not job.dropped.is_set()
    while worker.current is not None:
        pass
    assert not worker.stop()
    worker.close()


def test_a_worker_that_is_closed_ends_what_it_does():
    worker, begun = Worker(), threading.Event()

    def run(job: Job) -> None:
        begun.set()
        while True:
            job.check()

    worker.submit(run)
    assert begun.wait(10)
    worker.close()
    worker.thread.join(10)
    assert not worker.thread.is_alive()
