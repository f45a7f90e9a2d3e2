"""A name that is bound anew has nothing to do with what it was."""

from helpers import script


def test_what_changes_a_list_is_not_needed_by_a_name_that_was_it_before() -> None:
    still = script("first = []\nsecond = first\nfirst.append(2)", "print(second)")
    assert still == "first = []\nsecond = first\nfirst.append(2)\n\nprint(second)\n"
    anew = script("first = []\nsecond = first\nsecond = [1]\nfirst.append(2)", "print(second)")
    assert anew == "second = [1]\n\nprint(second)\n"
