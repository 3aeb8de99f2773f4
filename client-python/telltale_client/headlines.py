"""The headline of a check, which people see on every surface of Telltale."""

from typing import Union

from .models import CheckResult, ScanEntryResult


def headline_of(result: Union[CheckResult, ScanEntryResult]) -> str:
    """Returns the headline to show to people: `AI detected`, `Unclear`, `No AI detected`,
    or `Overturned` if an appeal overturned the verdict of a line of a scan.

    Programs that act on a yes or no use `is_ai`.
    """
    if result.get("appeal") == "overturned":
        return "Overturned"
    return result["reason"].partition(":")[0]
