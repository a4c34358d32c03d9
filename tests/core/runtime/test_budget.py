from __future__ import annotations

import threading
import time
from contextvars import copy_context

import pytest

from ragstone.core import LLMBusy, TooLarge
from ragstone.core.runtime import Budget, Slots, check_budget, set_budget
from ragstone.core.runtime.request import llm_slot


def compute(seconds: float) -> None:
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


def test_processor_time_is_limited_in_each_thread_of_a_request() -> None:
    ended: list[str] = []

    def work() -> None:
        check_budget()
        compute(0.02)
        with pytest.raises(TooLarge, match=r"more than 0\.01 s of processor time") as caught:
            check_budget()
        assert "request_cpu_seconds" in str(caught.value)
        ended.append("work")

    def request() -> None:
        set_budget(Budget(0.01))
        another = threading.Thread(target=copy_context().run, args=(work,))
        another.start()
        another.join()
        check_budget()  # this thread has only waited
        work()

    copy_context().run(request)
    assert ended == ["work", "work"]


def test_a_new_request_of_the_same_thread_begins_anew_and_none_has_no_limit() -> None:
    def requests() -> None:
        for budget in (Budget(0.01), Budget(0.01), None):
            set_budget(budget)
            check_budget()
            compute(0.02)
        check_budget()

    copy_context().run(requests)


def test_so_many_wait_for_the_model_and_the_next_is_refused() -> None:
    def request() -> None:
        set_budget(Budget(1, Slots(1, lambda: LLMBusy("as many as may"))))
        with llm_slot():
            with pytest.raises(LLMBusy), llm_slot():
                pass
            assert LLMBusy.status == 503
        with llm_slot():  # it is free again
            pass

    copy_context().run(request)
    with llm_slot(), llm_slot():  # outside of a request there is no limit
        pass
