"""A program that mypy accepts; it complains of each `ignore` behind a line without a mistake."""

import dp_prio3 as dp

answer: dp.Answer = dp.plan(type="histogram:40", clients=250_000, epsilon=0.5, total=True)
noise = dp.calibrate("gaussian", epsilon="1/2", delta=1e-9)
text: str = noise["answer"]["sigma"].exact
dp.ledger("show", "visits.ledger", entries=True)
dp.plan(typ="histogram:40")  # type: ignore[call-arg]
dp.calibrate("gausian")  # type: ignore[call-overload]
dp.plan(clients=object())  # type: ignore[arg-type]
