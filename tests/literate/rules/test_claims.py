"""What is said before a check in words, and what the check asks: they must agree."""

from pathlib import Path

import pytest
from helpers import failures

from literate.pages.page import Page
from literate.rules.claims import at_odds
from literate.rules.numerals import PARTS

RIGHT = [
    "More than twice as fast<!--= ratio > 2 -->.",
    "It takes half<!--= abs(share - 0.5) < 0.01 -->.",
    "It takes half<!--= abs(share - 1 / 2) < 0.01 -->.",
    "Three quarters are left<!--= abs(share - 3 / 4) < 0.01 -->.",
    "Two thirds of it<!--= abs(share - 2 / 3) < 0.01 -->.",
    "Two-thirds of it<!--= abs(share - 2 / 3) < 0.01 -->.",
    "No more than half<!--= share <= 0.5 -->.",
    "Not less than half<!--= share >= 0.5 -->.",
    "It is five<!--= absent - 3 < 5 -->.",
    "Seven tenths<!--= share > 0.7 -->.",
    "One in ten<!--= share < 0.1 -->.",
    "Two of the rows<!--= count == 2 -->.",
    "Two of the six<!--= count == 2 and len(all) == 6 -->.",
    "Less than a fifth<!--= share < 0.2 -->.",
    "Less than a fifth<!--= 5 * share < 1 -->.",
    "One third of it<!--= abs(share - 1 / 3) < 0.01 -->.",
    "It takes 2<!--= x / 1024 --> KiB.",
    "It takes 2<!--= x / 2**20 --> MiB.",
    "It takes 2<!--= x / 1024**2 --> MiB.",
    "It takes 2<!--= x / 2**30 --> GiB.",
    "It takes 2<!--= x / 1e6 --> MB.",
    "It takes 2<!--= x / 10**9 --> GB.",
    "Eight words, six heads: two agree<!--= count == 2 -->.",
    "Of 3<!--= count --> words two agree<!--= same == 2 -->.",
    "Fewer than half<!--= share < 0.5 -->.",
    "Fewer than half<!--= 0.5 > share -->.",
    "It lies above a tenth<!--= 0.1 < share < 1 -->.",  # a chain goes both ways
    "The larger one is below<!--= a < b -->.",
    "It holds<!--= holds -->.",
    "It is 30<!--= 100 * share --> per cent.",
    "It is 30<!--= 1000 * share --> per mille.",
    "It is 30<!--= count --> a second.",
    "`scores`; (T, S)<!--= scores.shape == (T, S) -->.",
    "**`scores`** (T,)<!--= scores[0].shape == (T,) -->.",
    "a pair (a, b)<!--= a > b -->.",
    "`scores` (T,S)<!--= scores.shape == (T, S) -->.",
    "More than three\n\nSo<!--= x > 2 -->.",
    "A third of it<!--= x == y / 3 -->.",
    "Half as long<!--= x == 0.5 * y -->.",
    "Half of the six<!--= x == 0.5 and y == 6 -->.",
    "Six of six<!--= x == 6 -->.",
    "The longest<!--= x.argmax() == 3 -->.",
    "The shortest, not the longest<!--= (x.argmax(), x.argmin()) == (0, y) -->.",
    "The nearest<!--= x.argmin() == y -->.",
    "At most of these<!--= x.argmin() == y -->.",
    "At least to it<!--= x.argmax() == y -->.",
    "Most of it<!--= x.argmax() == y -->.",
    "It is not quite half<!--= 0.45 < share < 0.5 -->.",
    "It exceeds half<!--= share > 0.5 -->.",
    "Less than nine tenths<!--= 0.5 < share < 0.9 -->.",
    "More than half<!--= 0.5 < share < 0.9 -->.",
    "More than half<!--= 0.9 > share > 0.5 -->.",
    "More than half<!--= 1 / 2 < share -->.",
    "It is more than the others<!--= 0.5 < share < 0.9 -->.",
    "Each is larger<!--= (x > y).all() -->.",
    "None is larger<!--= not (x > y).any() -->.",
    "Some are larger<!--= (x > y).any() -->.",
    "It differs at all<!--= (x != y).any() -->.",
    "All of them, and so: one differs<!--= (x != y).any() -->.",
    "All of them<!--= all(x.any() for x in y) -->.",
    "Four thousand<!--= x == 4 * 1000 -->.",
    "A hundred million<!--= x == 100 * 10**6 -->.",
    "A million million<!--= x == 1e12 -->.",
    "Twenty-four<!--= x == 24 -->.",
    "One and a half<!--= x == 1.5 -->.",
    "It has two and three quarters<!--= x == 2.75 -->.",
    "A quarter more<!--= x == 1.25 -->.",
    "In the tens of thousands<!--= 10 * 1000 < x -->.",
    "Less than one part in ten thousand<!--= x < 1 / (10 * 1000) -->.",
    "Four times in ten<!--= abs(x - 4 / 10) < 0.01 -->.",
    "About twice an eighth<!--= 2 / 8 < x.max() < 2.2 / 8 -->.",
    "About a thirteenth<!--= round(1 / x.mean().item()) == 13 -->.",
    "Within a hundredth<!--= abs(x - y) < 0.01 -->.",
    "Six of twelve<!--= (len(x), count) == (12, 6) -->.",
    "Three layers<!--= kinds == 3 * ['a'] + ['b'] -->.",
    "The two longest<!--= best.tolist() == [0, 3] -->.",
    "Every sixth<!--= found == [6 * n for n in range(4)] -->.",
    "Twice as many mean four<!--= (2 * n) ** 2 == 4 * n**2 -->.",
    "A fifth of it<!--= x < y / 5 -->.",
    "All three are equal<!--= torch.allclose(3 * x, y) -->.",
    "A third<!--= torch.allclose(x, torch.tensor(1 / 3)) -->.",
    "Twice as much<!--= torch.isclose(x, 2 * y) -->.",
    "It needs nearly five times as much<!--= 4.5 < x < 5 -->.",
    "Nearly every block<!--= x > 0.9 -->.",
    "Two rows, and two<!--= x == 2 -->.",
    "At 1,024 it is larger<!--= d == 1024 and x > y -->.",
    "It takes 128 GiB<!--= x == 128 * 1024 * 2**20 -->.",
    "It takes 1,024 MiB<!--= x / 2**20 == 1024 -->.",
    "It takes 8 bytes<!--= x == 8 -->.",
    "In 50 rounds<!--= x**50 < y -->.",
    "The 128th block<!--= x[128] > y -->.",
    "At `7` it is larger<!--= x > y -->.",
    "In [7 steps](page.md#7) it is larger<!--= x > y -->.",
    "In chapter 7 it is larger<!--= x > y -->.",
    "In version 1.2.3 it is larger<!--= x > y -->.",
    "In Gemma 3 it is larger<!--= Gemma3Config().x > y -->.",
    "Of 7<!--= y --> it is larger<!--= x > y -->.",
    "Of $7^d$ it is larger<!--= x > y -->.",
]
WRONG = {
    "Two-thirds of them<!--= x == 2 -->.": "'two-thirds'",
    "No more than half<!--= x > 0.5 -->.": "goes the other way",
    "At 25 tokens it is larger<!--= x < 0.25 -->.": "is the 25 before it",
    "About three<!--= absent - 3 < 5 -->.": "'three'",
    "More than three times as fast<!--= ratio > 2 -->.": "'three'",
    "Twice of the six agree<!--= count == 3 and x == 6 -->.": "'twice'",
    "Two of the six agree<!--= count == 2 -->.": "'six'",
    "Two of all nine agree<!--= count == 2 -->.": "'nine'",
    "It takes a third<!--= abs(share - 0.5) < 0.01 -->.": "'a third'",
    "It takes three<!--= x > 0.4 -->.": "'three'",
    "Less than a hundredth<!--= share < 0.2 -->.": "'a hundredth'",
    "Less than three tenths<!--= share < 0.9 -->.": "'three tenths'",
    "More than a tenth<!--= share > 0.5 -->.": "'a tenth'",
    "Three quarters are left<!--= abs(share - 2 / 3) < 0.01 -->.": "'three quarters'",
    "It takes 2<!--= x / 2**20 --> KiB.": "x / 2**20 is no number KiB",
    "It takes 2<!--= x / 1024 --> MiB.": "is no number MiB",
    "It takes 2<!--= x / 1e9 --> MB.": "is no number MB",
    "It takes 2<!--= x / 2**y --> GiB.": "is no number GiB",
    "It takes 2<!--= x / 2**9999 --> GiB.": "is no number GiB",
    "Two thousand<!--= abs(x - 2) < 1 -->.": "'two thousand'",
    "Two agree<!--= truth is True -->.": "'two'",
    "Half of them<!--= share > 0.3 -->.": "'half'",
    "More than half<!--= share < 0.5 -->.": "goes the other way than 'more than'",
    "Fewer than half<!--= share >= 0.5 -->.": "goes the other way than 'fewer than'",
    "It is less than half<!--= 0.5 <= share -->.": "goes the other way than 'less than'",
    "It is 30<!--= 100 * share --> per mille.": "100 * share is no number per mille",
    "It is 30<!--= share --> per cent.": "share is no number per cent",
    "It is 30<!--= count --> a second. More than three<!--= ratio > 2 -->.": "'three'",
    "`scores` (T,)<!--= scores.shape == (T, S) -->.": "(T,) is not the shape in",
    "`scores`; (S, T)<!--= scores.shape == (T, S) -->.": "(S, T) is not the shape in",
    "More than half<!--= 0.3 < share < 0.5 -->.": "goes the other way than 'more than'",
    "More than two thirds<!--= 1 / 2 < gone < 2 / 3 -->.": "goes the other way than 'more than'",
    "Less than half<!--= 0.9 > share > 0.5 -->.": "goes the other way than 'less than'",
    "Less than half<!--= 1 / 2 < share -->.": "goes the other way than 'less than'",
    "More than nine tenths, in this step<!--= gone > 0.5 -->.": "'nine tenths'",
    "More than half (of all) of it<!--= gone < 0.5 -->.": "other way than 'more than'",
    "All are larger<!--= (x > y).any() -->.": "asks of one, not of 'all'",
    "So each is<!--= any(x > y for x in z) -->.": "asks of one, not of 'each'",
    "Every row does<!--= torch.any(x > y) -->.": "asks of one, not of 'every'",
    "None of them<!--= bool((x > y).any()) -->.": "asks of one, not of 'none'",
    "Six of twelve<!--= (x == arange(6)).sum() == 12 -->.": "'six'",
    "Three rows<!--= len(x.sum(dim=3)) == 4 -->.": "'three'",
    "Three rows<!--= x[3].sum() == 4 -->.": "'three'",
    "Thirty zeros<!--= 1e-31 < 0.5**30 < 1e-30 -->.": "'thirty'",
    "A sixteenth<!--= 16 / 64 == 1 / 4 -->.": "'a sixteenth'",
    "Rise by a hundredth<!--= abs(x / y - (1 + 1 / 8)) < 0.01 -->.": "'a hundredth'",
    "About a thousand<!--= abs(1000 * x - 4) < 0.01 -->.": "'a thousand'",
    "Four are half<!--= x == 0.5 and y > 1 -->.": "'four'",
    "Six of the six agree<!--= count == 2 and len(x) == 6 -->.": "'six' is said twice, and 2 of",
    "Truly two<!--= x == True -->.": "'two'",
    "It is a million<!--= x == 1000 -->.": "'a million'",
    "It comes nearly ten times<!--= 10 < x < 12 -->.": "goes the other way than 'nearly'",
    "At 1,024 it is larger<!--= x > y -->.": "nothing in x > y is the 1,024 before it",
    "A third of it<!--= 3 * x == y -->.": "'a third'",
    "After [five rounds](a.md#two) five<!--= x == 2 and y == 5 -->.": "'five' is said twice",
    "Three times as much<!--= x == y / 3 -->.": "'three'",
    "Six of the two agree<!--= count == 2 and len(x) == 6 -->.": "is more than all",
    "The longest<!--= x.argmin() == y -->.": "asks for the other end than 'longest'",
    "The nearest<!--= torch.argmax(x) == y -->.": "asks for the other end than 'nearest'",
    "With least of it<!--= x.argmax() == y -->.": "asks for the other end than 'least of'",
    "Most to it<!--= x.argmin() == y -->.": "asks for the other end than 'most to'",
    "The widest<!--= x.argmin() == y -->.": "asks for the other end than 'widest'",
    "The thinnest<!--= x.argmax() == y -->.": "asks for the other end than 'thinnest'",
    "It is not quite half<!--= 0.5 < share < 0.6 -->.": "goes the other way than 'not quite'",
    "It is beyond half<!--= share < 0.5 -->.": "goes the other way than 'beyond'",
    "It exceeds half<!--= share < 0.5 -->.": "goes the other way than 'exceeds'",
    "It takes 128 MiB<!--= x == 128 * 2**30 -->.": "is 128 MiB",
    "It takes 1.5 GB<!--= x == 1.5 * 10**6 -->.": "is 1.5 GB",
    "It is 60 back<!--= x > 61 -->.": "nothing in x > 61 is the 60 before it",
    "It is 0.5 wide<!--= x > 5 -->.": "nothing in x > 5 is the 0.5 before it",
    "Neither does<!--= (x > y).any().item() -->.": "asks of one, not of 'neither'",
}


def found(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    path = tmp_path / "page.md"
    path.write_text(f"# Page\n\nBefore. {text}\n", "utf-8")
    return list(at_odds(Page.read(path)))


@pytest.mark.parametrize("text", RIGHT)
def test_what_agrees_is_left_alone(tmp_path: Path, text: str) -> None:
    assert not found(tmp_path, text)


@pytest.mark.parametrize("text", WRONG)
def test_what_does_not_agree_is_found(tmp_path: Path, text: str) -> None:
    ((line, message),) = found(tmp_path, text)
    assert line == 3
    assert WRONG[text] in message


def test_a_claim_at_odds_fails_at_its_line(run) -> None:
    result, _ = run("# Page\n\n```python\nx = 3\n```\n\nMore than twice<!--= x > 1 -->.\n")
    assert "page.md:7: nothing in x > 1 is the 'twice' before it" in failures(result)[0]


WORDS = {
    2: "two twice double", 3: "three thrice triple third", 4: "four quarter", 5: "five fifth",
    6: "six sixth", 7: "seven seventh", 8: "eight eighth", 9: "nine ninth", 10: "ten tenth",
    11: "eleven", 12: "twelve dozen twelfth", 13: "thirteen thirteenth", 14: "fourteen",
    15: "fifteen", 16: "sixteen sixteenth", 17: "seventeen", 18: "eighteen", 19: "nineteen",
    20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty", 70: "seventy", 80: "eighty",
    90: "ninety", 100: "hundred hundredth", 1000: "thousand thousandth",
    10**6: "million millionth", 10**9: "billion", 10**12: "trillion",

}  # fmt: skip
NUMBERS = {word: number for number, words in WORDS.items() for word in words.split()}


@pytest.mark.parametrize("word", NUMBERS)
def test_a_number_in_words(tmp_path: Path, word: str) -> None:
    number = NUMBERS[word]
    assert word in PARTS and number >= 100 or not found(tmp_path, f"{word}<!--= x == {number} -->")
    other = 2 * number + 1
    ((_, message),) = found(tmp_path, f"So {word}<!--= x == {other} -->.")
    assert message == f"nothing in x == {other} is the {word!r} before it"
    if word in PARTS:
        assert not found(tmp_path, f"So a {word}<!--= x == 1 / {number} -->.")
        assert not found(tmp_path, f"So two {word}s<!--= x == 2 / {number} -->.")
        assert not found(tmp_path, f"So a few {word}s<!--= x < 2 / {number} -->.")
        assert found(tmp_path, f"So a {word}<!--= x == 1 / {other} -->.")
    else:
        assert not found(tmp_path, f"So {word}s<!--= x == {number} -->.")
        assert found(tmp_path, f"So {word}s<!--= x == {other} -->.")


@pytest.mark.parametrize(("words", "sign"), [
    *((words, ">") for words in ("more than", "above", "at least", "larger than")),
    *((words, ">=") for words in ("longer than", "over")),
    *((words, ">=") for words in ("greater than", "higher than", "bigger than")),
    *((words, "<") for words in ("less than", "fewer than", "below", "at most")),
    *((words, "<=") for words in ("smaller than", "shorter than", "lower than", "under")),

])  # fmt: skip
def test_a_comparison_in_words(tmp_path: Path, words: str, sign: str) -> None:
    other = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}[sign]
    assert not found(tmp_path, f"It is {words} it<!--= x {sign} 2 -->.")
    ((_, message),) = found(tmp_path, f"It is {words} it<!--= x {other} 2 -->.")
    assert message == f"x {other} 2 goes the other way than {words!r}"
