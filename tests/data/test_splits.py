"""Examples in memory: their fingerprint, their parts, their columns."""

import hashlib
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from datasets import Dataset, Features, List, Value
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_bench.data.splits import Splits, dataset_of, fingerprint, require_columns, subset
from elmo_bench.errors import ConfigError, TextError

EXAMPLES = [{"tokens": ["naïve", "川"], "tags": ["O", "O"]}, {"tokens": ["a"], "tags": ["B-X"]}]


def numbers(count: int) -> Dataset:
    return Dataset.from_dict({"number": list(range(count))})


def test_examples_are_kept_as_they_are_and_in_memory() -> None:
    dataset = dataset_of(iter(EXAMPLES), "here")
    assert dataset.to_list() == EXAMPLES
    assert dataset.cache_files == []


def test_no_example_is_refused() -> None:
    with pytest.raises(TextError, match=r"^here: holds no example"):
        dataset_of([], "here")


@pytest.mark.parametrize("odd", [{"tokens": ["a"]}, {"tokens": ["a"], "tags": ["O"], "more": 1}])
def test_example_with_other_keys_is_refused(odd: dict[str, object]) -> None:
    with pytest.raises(
        TextError, match=r"^here: example 3 has 'tokens'.*, expected 'tokens', 'tags' as the first"
    ):
        dataset_of([*EXAMPLES, odd], "here")


def test_missing_column_is_named_with_those_that_are_there() -> None:
    dataset = dataset_of(EXAMPLES, "here")
    require_columns(dataset, ["tags", "tokens"], "here")
    with pytest.raises(ConfigError, match=r"^here: no column 'premise', found 'tokens', 'tags';"):
        require_columns(dataset, ["tokens", "premise"], "here")


def test_fingerprint_is_the_hash_of_the_examples_as_json() -> None:
    lines = "".join(json.dumps({key: one[key] for key in ("tags", "tokens")}) + "\n" for one in EXAMPLES)
    compact = lines.replace(", ", ",").replace(": ", ":")
    assert fingerprint(dataset_of(EXAMPLES, "here")) == hashlib.sha256(compact.encode()).hexdigest()


def test_fingerprint_depends_on_content_and_order_alone(tmp_path: Path) -> None:
    dataset = dataset_of(EXAMPLES, "here")
    dataset.to_parquet(tmp_path / "file.parquet")
    features = Features({"tags": List(Value("large_string")), "tokens": List(Value("string"))})
    same = [
        Dataset.from_parquet(str(tmp_path / "file.parquet"), cache_dir=str(tmp_path)),
        dataset.select_columns(["tags", "tokens"]),
        dataset.select([1, 0]).select([1, 0]),
        dataset.select_columns(["tags", "tokens"]).cast(features),
    ]
    assert {fingerprint(one) for one in same} == {fingerprint(dataset)}
    other = [
        dataset.select([1, 0]),
        dataset.select([0]),
        dataset.rename_column("tags", "labels"),
        dataset_of([EXAMPLES[0], {"tokens": ["a"], "tags": ["B-Y"]}], "here"),
    ]
    assert len({fingerprint(one) for one in [dataset, *other]}) == 5


def test_fingerprint_of_many_examples_covers_them_all() -> None:
    assert len({fingerprint(numbers(count)) for count in (999, 1000, 1001, 2000, 2001)}) == 5


def test_fingerprint_and_parts_are_the_same_in_another_process() -> None:
    script = (
        "from datasets import Dataset\n"
        "from elmo_bench.data.splits import fingerprint, subset\n"
        "part = subset(Dataset.from_dict({'number': list(range(50))}), 0.3, 7)\n"
        "print(fingerprint(part))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint(subset(numbers(50), 0.3, 7))


@settings(deadline=None)
@given(
    st.integers(1, 60),
    st.lists(st.floats(0, 1, exclude_min=True), min_size=2, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_smaller_parts_are_within_larger_ones(count: int, fractions: list[float], seed: int) -> None:
    dataset = numbers(count)
    parts = [list(subset(dataset, fraction, seed)["number"]) for fraction in sorted(fractions)]
    for fraction, part in zip(sorted(fractions), parts, strict=True):
        assert part == sorted(set(part))
        assert len(part) == max(1, round(fraction * count))
    for smaller, larger in pairwise(parts):
        assert set(smaller) <= set(larger)


def test_parts_differ_by_seed_and_lack_no_region() -> None:
    parts = [frozenset(subset(numbers(1000), 0.1, seed)["number"]) for seed in range(30)]
    assert len(set(parts)) == 30
    assert len(frozenset().union(*parts)) > 900  # expected: 1000 · (1 − 0.9³⁰) = 958


def test_the_whole_is_unchanged() -> None:
    assert list(subset(numbers(20), 1.0, 3)["number"]) == list(range(20))


@pytest.mark.parametrize("fraction", [0.0, -0.5, 1.01, float("nan")])
def test_impossible_fraction_is_refused(fraction: float) -> None:
    with pytest.raises(ConfigError, match=r"training fraction of .*, expected more than 0 and at most 1"):
        subset(numbers(3), fraction, 0)


def test_splits_name_those_that_there_are() -> None:
    one, two, three = numbers(1), numbers(2), numbers(3)
    assert [(name, len(dataset)) for name, dataset in Splits(one, two, three).named()] == [
        ("train", 1),
        ("validation", 2),
        ("test", 3),
    ]
    assert [name for name, _ in Splits(one, two, None).named()] == ["train", "validation"]
    assert [len(dataset) for _, dataset in Splits(one, two, three).with_train(three).named()] == [3, 2, 3]
