"""What an evaluation with gradients takes more in Python than in C++, from end to end.

Usage: PYTHONPATH=build/python python3 benchmarks/module_overhead.py build/benchmarks/module_overhead inputs/cranks/flexible_crank_small.toml
                                                                                               [--launches 12] [--pairs 40] [--instructions]

Two processes, one of each language, evaluate in turn on one processor. A pair is two evaluations next to each other; its two orders
alternate. Memory lies elsewhere in each process, which alone makes a per cent: so both are launched anew many times. With
--instructions, valgrind counts them instead, which no other load on the machine changes.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time


def evaluate_for_each_line(file):
    import kurbel

    problem = kurbel.Problem(file)
    x = problem.x0
    for _ in sys.stdin:
        begin = time.process_time_ns()
        problem.evaluate(x)
        print(time.process_time_ns() - begin, flush=True)


def in_python(file):
    return [sys.executable, __file__, "--evaluate", file]


class Evaluator:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})

    def time(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ratio_of_launch(commands, pairs):
    evaluators = [Evaluator(command) for command in commands]
    for evaluator in evaluators * 5:
        evaluator.time()
    ratios, times = [], []
    for pair in range(pairs):
        order = [0, 1] if pair % 2 == 0 else [1, 0]
        taken = {i: evaluators[i].time() for i in order}
        ratios.append(taken[1] / taken[0])
        times.append(taken[0])
    for evaluator in evaluators:
        evaluator.end()
    return statistics.median(ratios), statistics.median(times)


def instructions(command, n):
    ended = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], input="\n" * n, capture_output=True, text=True,
                           env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True)
    return int(re.search(r"Collected : (\d+)", ended.stderr)[1])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", nargs="?")
    options.add_argument("file", nargs="?")
    options.add_argument("--evaluate")
    options.add_argument("--launches", type=int, default=12)
    options.add_argument("--pairs", type=int, default=40)
    options.add_argument("--instructions", action="store_true")
    given = options.parse_args()
    if given.evaluate:
        return evaluate_for_each_line(given.evaluate)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one processor, so that each takes one thread
    commands = [[given.program, given.file], in_python(given.file)]
    if given.instructions:
        few, many = 2, 6
        of = [(instructions(command, many) - instructions(command, few)) / (many - few) for command in commands]
        print(f"instructions of an evaluation: {of[0]:.0f} in C++, {of[1]:.0f} in Python: {100 * (of[1] / of[0] - 1):+.3f} %")
        return None
    found = [ratio_of_launch(commands, given.pairs) for _ in range(given.launches)]
    ratios = [ratio for ratio, _ in found]
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    print(f"{statistics.median(t for _, t in found) / 1e6:.1f} ms in C++; Python/C++ of {given.launches} launches: {min(ratios):.4f} to {max(ratios):.4f}, "
          f"mean {statistics.mean(ratios):.4f} +- {error:.4f}")
    return None


if __name__ == "__main__":
    main()
