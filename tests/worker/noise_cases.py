# SPDX-License-Identifier: MIT
"""Run by module_cases_test.cpp: noise_cases.py FOLDER_OF_noise.py. Measures of right random outputs stay within what src/score/noise.cpp allows,
and those of each wrong kind do not; the rule is written out here once more."""
import math
import sys

import torch

sys.path.insert(0, sys.argv[1])
import noise  # noqa: E402

functional = torch.nn.functional
LEVEL, TOLERANCE, CALLS = 1e-7, 1e-3, 64


def failures(facts):
    found = []
    tests = max(1, sum(len(f["measures"]) + len(f["fields"]) for f in facts))
    limit, y = math.sqrt(2 * math.log(2 * tests / LEVEL)), math.log(tests / LEVEL)
    for f in facts:
        if not f["finite"]:
            found.append("finite")
        if f["sigma"] <= TOLERANCE * f["size"]:
            continue
        n = f["calls"]
        for m in f["measures"]:
            rounding = TOLERANCE * m["linear"] + TOLERANCE**2 * m["square"]
            if "infinite" in (m["sum"], m["sum_sq"]):
                found.append(m["name"])
                continue
            beyond = abs(m["sum"]) - n * rounding
            squares = m["sum_sq"] - 2 * rounding * abs(m["sum"]) + n * rounding**2
            if beyond > 0 and (squares <= 0 or beyond / math.sqrt(squares) > limit):
                found.append(m["name"])
        for m in f["fields"]:
            if m["sum"] == "infinite":
                found.append(m["name"])
                continue
            rounding = n * (TOLERANCE * m["linear"] + TOLERANCE**2 * m["square"])
            if math.sqrt(max(m["sum"], 0)) > math.sqrt(m["trace"] + 2 * m["frobenius"] * math.sqrt(y) + 2 * m["top"] * y) + rounding:
                found.append(m["name"])
        least = f["far_mean"] - max(8 * f["far_sd"], f["far_mean"] / 4)
        if least > 0 and f["far_least"] > least > f["least"]:
            found.append("repeated")
    return found


def compared(reference, candidate, calls=CALLS):
    """What is found wrong with a function of the call's number."""
    made = noise.Noise([reference(0)])
    for number in range(calls):
        made.add("first", [reference(number)])
    made.learn()
    for number in range(calls):
        made.add("reference", [reference(number)])
        made.add("candidate", [candidate(number)])
    return failures(made.facts())


def drop(h, kept, p):
    return h * kept / (1 - p)


def fixed(shape, seed):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


OWN = {"functional": lambda h, p, k: functional.dropout(h, p, True),
       "own": lambda h, p, k: drop(h, torch.rand_like(h) >= p, p),
       "seeded by the call": lambda h, p, k: drop(h, fixed(h.shape, 10**6 + k) >= p, p),
       "in TF32": lambda h, p, k: drop((h.view(torch.int32) & ~0x1FFF).view(torch.float32), torch.rand_like(h) >= p, p)}
WRONG = {"left out": lambda h, p, k: h,
         "wrong p": lambda h, p, k: drop(h, torch.rand_like(h) >= p + 0.1, p + 0.1),
         "unscaled": lambda h, p, k: h * (torch.rand_like(h) >= p),
         "scaled twice": lambda h, p, k: drop(h, torch.rand_like(h) >= p, p) / (1 - p),
         "swapped": lambda h, p, k: h * (torch.rand_like(h) < p) / p,
         "the same in each call": lambda h, p, k: drop(h, fixed(h.shape, 3) >= p, p),
         "sixteen masks in turn": lambda h, p, k: drop(h, fixed(h.shape, k % 16) >= p, p),
         "forty masks in turn": lambda h, p, k: drop(h, fixed(h.shape, k % 40) >= p, p),
         "the same for each sample": lambda h, p, k: drop(h, torch.rand(1, h.shape[1]) >= p, p),
         "one number for each row": lambda h, p, k: drop(h, torch.rand(h.shape[0], 1) >= p, p),
         "pairs of neighbours": lambda h, p, k: drop(h, torch.rand(h.shape[0], h.shape[1] // 2).repeat_interleave(2, 1) >= p, p),
         "exactly the last quarter of the columns without": lambda h, p, k: torch.cat([drop(h, torch.rand_like(h) >= p, p)[:, :-64], h[:, -64:]], 1),
         "huge": lambda h, p, k: h * 1e30}

torch.manual_seed(11)
x = torch.rand(24, 256) + 0.1
weight = torch.randn(96, 256) / 16
TAILS = {"at the end": lambda h: h, "before a product": lambda h: h @ weight.T, "before a softmax": lambda h: (h * 3).softmax(1),
         "before a ReLU": lambda h: torch.relu(h - 0.5), "before a sum": lambda h: h.sum(1)}
# What these outputs hardly show: a sum over a row has one number a sample, and signs of weights at random hide what neighbours share.
BLUNT = {"before a product": ["pairs of neighbours"],
         "before a sum": ["the same for each sample", "one number for each row", "sixteen masks in turn", "forty masks in turn", "pairs of neighbours", "wrong p",
                          "exactly the last quarter of the columns without"]}
for tail_name, tail in TAILS.items():
    def reference(_number):
        return tail(functional.dropout(x, 0.2, True))
    for name, mask in OWN.items():
        assert not (found := compared(reference, lambda k: tail(mask(x, 0.2, k)))), (tail_name, name, found)
    for name, mask in WRONG.items():
        found = compared(reference, lambda k: tail(mask(x, 0.2, k)))
        blunt = name in BLUNT.get(tail_name, ())
        assert found or blunt, (tail_name, name)

# Other noise: what alpha dropout, Gaussian noise and several dropouts give is told from what has the same mean and size.
for right, wrong in ((lambda _: functional.alpha_dropout(x, 0.3, True), lambda _: functional.dropout(x, 0.3, True)),
                     (lambda _: x + 0.5 * torch.randn_like(x), lambda _: x + 0.5 * math.sqrt(12) * (torch.rand_like(x) - 0.5)),
                     (lambda _: functional.dropout(functional.dropout(x, 0.3, True), 0.3, True), lambda _: functional.dropout(x, 0.3, True)),
                     (lambda _: functional.dropout1d(x, 0.3, True), lambda _: functional.dropout(x, 0.3, True)),
                     (lambda _: torch.bernoulli(x.clamp(max=1)).to(torch.int64), lambda _: (x > 0.5).to(torch.int64)),
                     (lambda _: torch.fft.fft(functional.dropout(x, 0.3, True)), lambda _: torch.fft.fft(functional.dropout(x, 0.2, True)))):
    assert not (found := compared(right, right)), found
    assert compared(right, wrong)
assert compared(lambda _: functional.dropout(x, 0.3, True), lambda k: torch.full_like(x, math.nan) if k == 5 else functional.dropout(x, 0.3, True))[0] == "finite"

# The same output each time, where there is hardly any noise to tell: nothing is said of numbers that rounding could be.
assert not compared(lambda _: x + 1e-5 * torch.randn_like(x), lambda _: x)
# A large output is looked at in part, by chance; neighbours stay together.
large = noise.chosen((4096, 2048))
assert math.prod(len(kept) if kept else full for kept, full in zip(large, (4096, 2048))) <= noise.ELEMENT_LIMIT
assert all(a % 2 == 0 and b == a + 1 for a, b in zip(large[0][::2], large[0][1::2])) and large != noise.chosen((4096, 2048))

# Right random numbers are not rejected: the largest part of a limit that chance makes of any measure, over many comparisons, is far from 1.
small, count = torch.rand(6, 8), 0
for number in range(60):
    p = (0.05, 0.2, 0.5, 0.9)[number % 4]
    count += bool(compared(lambda _: functional.dropout(small, p, True), lambda _: drop(small, torch.rand_like(small) >= p, p)))
assert count == 0, count
