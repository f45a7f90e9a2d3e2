"""What an output comparison accepts, and the wrong texts that it must refuse."""

import pytest

from literate.rules.compare import same_error, same_number, same_output, spell

TENSOR = "tensor([[0.2068, 0.1480],\n        [0.1526, -0.1706]])"

WRONG = {
    "a digit": ("0.2068", "0.2168"),
    "two units in the last": ("0.2068", "0.2070"),
    "a digit of two decimals": ("0.25", "0.26"),
    "an integer": ("6", "7"),
    "zeros and ones swapped": ("[1., 0.]", "[0., 1.]"),
    "long numbers swapped": ("[0.2068, 0.1480]", "[0.1480, 0.2068]"),
    "a sign gone": ("-0.1706", "0.1706"),
    "a sign come": ("0.1706", "-0.1706"),
    "the sign of a zero": ("0.0000", "-0.0000"),
    "a plus for a minus": ("1e-05", "1e+05"),
    "an exponent": ("1.2345e-05", "1.2345e-06"),
    "an exponent gone": ("1.2345e-05", "1.2345"),
    "nan": ("0.2068", "nan"),
    "a character that nobody sees": ("0.2068", "\0"),
    "inf for minus inf": ("inf", "-inf"),
    "nan for inf": ("inf", "nan"),
    "an element missing": ("[0.2068, 0.1480]", "[0.2068]"),
    "an element too many": ("[0.2068]", "[0.2068, 0.1480]"),
    "fewer decimals": ("0.2068", "0.207"),
    "more decimals": ("0.2068", "0.20680"),
    "no decimals": ("1.0000", "1."),
    "ten for one": ("1.0000", "10.0000"),
    "the whole part": ("1.2068", "2.2068"),
    "a shape": ("torch.Size([6, 3])", "torch.Size([3, 6])"),
    "a shape with an axis more": ("torch.Size([6, 3])", "torch.Size([1, 6, 3])"),
    "a dtype": ("tensor([1.], dtype=torch.float64)", "tensor([1.])"),
    "a device": ("tensor([1.], device='cuda:0')", "tensor([1.])"),
    "grad_fn": ("tensor([1.], grad_fn=<MulBackward0>)", "tensor([1.])"),
    "true for false": ("[True, False]", "[False, True]"),
    "a word": ("light", "right"),
    "capitals": ("True", "true"),
    "truncated": ("0.2068 0.1480\n0.1526", "0.2068 0.1480"),
    "a line too many": ("0.2068", "0.2068\n0.2068"),
    "nothing": ("0.2068", ""),
    "anything for nothing": ("", "0.2068"),
    "lines swapped": ("a\nb", "b\na"),
    "an ellipsis is a text": ("tensor(…)", "tensor(0.2068)"),
    "rows joined": (TENSOR, TENSOR.replace("],\n        [", ", ")),
    "a version": ("2.13.001", "2.13.002"),
    "two numbers run together": ("0.2068 0.1480", "0.20680.1480"),
    "a digit glued to a word": ("x0.2068", "x0.2069"),
    "a blank line inside": ("a\n\nb", "a\nb"),
    "a space inside a word": ("a b", "ab"),
    "an outer bracket": ("[[0.2068]]", "[0.2068]"),
    "thousands": ("12,288", "12288"),
    "a column": ("token  key  value\ncat           3", "token  key  value\ncat      3"),
    "a place in a plot": ("|  *", "| *"),
    "a column of long numbers": ("a    0.2068", "a  0.2069"),
}

SAME = {
    "more digits than an int is read from": ("0." + "1" * 5000, "0." + "1" * 4999 + "2"),
    "itself": (TENSOR, TENSOR),
    "one unit more": ("0.2068", "0.2069"),
    "one unit less, with a carry": ("1.0000", "0.9999"),
    "with an exponent": ("1.2345e-05", "1.2346e-05"),
    "in a bracket": ("tensor([0.2068, -0.148])", "tensor([0.2067, -0.149])"),
    "spaces at the end": ("a \n", "a"),
    "padding": ("[ 9.9999,  1.0000]", "[ 10.0000, 1.0000]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refuses(name: str) -> None:
    assert not same_output(*WRONG[name])


@pytest.mark.parametrize("name", SAME)
def test_accepts(name: str) -> None:
    assert same_output(*SAME[name])


@pytest.mark.parametrize(
    ("want", "kind", "message", "ours", "same"),
    [
        ("ValueError: a\n b", "ValueError", "a\n b ", True, True),
        ("ValueError: a b c", "ValueError", "a b c", False, True),
        ("ValueError: the … c", "ValueError", "the b c", False, True),
        ("ValueError: the …", "ValueError", "the b c", False, True),
        ("ValueError: a … d", "ValueError", "a b c", False, False),
        ("TypeError: a …", "ValueError", "a b c", False, False),
        ("ValueError: …", "ValueError", "a b c", False, False),
        ("…", "ValueError", "a b c", False, False),
        ("… c", "ValueError", "a b c", False, False),
        ("ValueError: a …", "ValueError", "a b c", True, False),
        ("ValueError: (…, T)", "ValueError", "(…, T)", True, True),
        ("ValueError: 0.1234", "ValueError", "0.1235", False, False),
        ("ValueError: a", "ValueError", "a b", False, False),
        ("", "ValueError", "a", False, False),
        ("…Error: a …", "ValueError", "a b c", False, False),
        ("ValueError: a… …", "ValueError", "abc", False, False),
        ("ValueError", "ValueError", "", False, True),
        ("ValueError", "ValueError", "a", False, False),
    ],
)
def test_errors(want: str, kind: str, message: str, ours: bool, same: bool) -> None:
    assert same_error(want, kind, message, ours) is same


@pytest.mark.parametrize(
    ("printed", "unit", "value", "same"),
    [
        ("0.2379", "", 0.23789, True),
        ("0.2379", "", 0.23795, True),
        ("0.2379", "", 0.23796, False),
        ("0.2379", "", 0.23784, False),
        ("0.2379", "", -0.2379, False),
        ("−0.2379", "", -0.2379, True),
        ("-0.2379", "", -0.2379, True),
        ("12,288", "", 12288, True),
        ("12,288", "", 12289, False),
        ("124,439,808", "", 124439999, False),
        ("−0.00", "", 0.004, False),
        ("−0.00", "", -0.004, True),
        ("+0.0", "", -0.04, False),
        ("−0.0", "", 0.0, True),
        ("+0.0", "", 0.0, True),
        ("7", "", 7.5, True),  # a half rounds to either side
        ("7", "", 7.51, False),
        ("18,446,744,073,709,551,615", "", 2**64 - 1, True),
        ("18,446,744,073,709,551,616", "", 2**64 - 1, False),
        ("1267650600228229401496703205376", "", 2**100, True),
        ("1267650600228229401496703205375", "", 2**100, False),
        ("36.0", "", 36, True),
        ("36.1", "", 36, False),
        ("300", "%", 3, True),
        ("−3", "", 3, False),
        ("1,000,000", "", 1000001.0, False),  # a count has no rounding
        ("12\u202f288", "", 12288, True),
        ("23.79", "%", 0.2379, True),
        ("23.79", "%", 23.79, False),
        ("23.79", " %", 0.237891, True),
        ("2.5", "×", 2.5, True),
        ("1.0", "", float("nan"), False),
        ("1.0", "", float("inf"), False),
        ("38559.76", "", 38559.77, True),
        ("38559.76", "", 38559.81, False),  # 2e-6 of it is five units, and one is allowed
        ("38559.76", "", 38559.90, False),
    ],
)
def test_numbers(printed: str, unit: str, value: float, same: bool) -> None:
    assert same_number(printed, unit, value) is same


@pytest.mark.parametrize(
    ("printed", "unit", "value", "spelled"),
    [
        ("0.9999", "", 0.23789, "0.2379"),
        ("9,999", "", 12288.0, "12,288"),
        ("9\u202f999", "", 12288.0, "12\u202f288"),
        ("1.0", "%", 0.2379, "23.8"),
        ("1.0", "", -2.0, "−2.0"),
        ("-1.0", "", -2.0, "-2.0"),
        ("−1.0", "", 2.0, "2.0"),
        ("+1.0", "", 2.0, "+2.0"),
        ("7", "", 8.0, "8"),
        ("7", "", 2**64 - 1, "18446744073709551615"),
        ("7.0", "", 8, "8.0"),
        ("7", "", 1234.0, "1234"),
        ("0.50", "", -1.2e-4, "0.00"),
    ],
)
def test_spelling(printed: str, unit: str, value: float, spelled: str) -> None:
    assert spell(printed, unit, value) == spelled
    assert same_number(spelled, unit, value)


def test_two_units_off_are_another_number_however_large() -> None:
    """What float32 leaves open grows with the value; what is shown must not."""
    assert same_number("148.4133", "", 148.41316)
    assert not same_number("148.4134", "", 148.41316)
    assert not same_number("148.4130", "", 148.41316)


def test_a_sign_of_the_text_stands_for_no_number() -> None:
    assert not same_output("# 0.123", "0.123 #")
    assert not same_output("# 1", "0.123 1")
