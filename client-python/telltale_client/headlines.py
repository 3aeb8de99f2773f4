"""The headline of a check, which people see on every surface of Telltale."""

from .models import CheckResult


def headline_of(result: CheckResult) -> str:
    """Returns the headline to show to people: `AI detected`, `Unclear` or `No AI detected`.

    Programs that act on a yes or no use `is_ai`.
    """
    return result["reason"].partition(":")[0]
