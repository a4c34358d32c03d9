"""LlamaIndex metadata filters as conditions on the chunk table."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from sqlalchemy import ColumnElement, and_, not_, or_

from ..errors import BadRequest
from .database import Columns

_OPERATORS: dict[FilterOperator, Callable[[Any, Any], Any]] = {
    FilterOperator.EQ: operator.eq,
    FilterOperator.NE: operator.ne,
    FilterOperator.GT: operator.gt,
    FilterOperator.GTE: operator.ge,
    FilterOperator.LT: operator.lt,
    FilterOperator.LTE: operator.le,
    FilterOperator.IN: lambda field, values: field.in_(values),
    FilterOperator.NIN: lambda field, values: field.not_in(values),
}


def condition(filters: MetadataFilters, columns: Columns) -> ColumnElement[bool]:
    """The filters as one SQL condition. Raises ``BadRequest`` for an unknown operator."""
    parts = [
        condition(part, columns) if isinstance(part, MetadataFilters) else _compare(part, columns)
        for part in filters.filters
    ]
    if filters.condition == FilterCondition.OR:
        return or_(*parts)
    if filters.condition == FilterCondition.NOT:
        return not_(or_(*parts))
    return and_(*parts)


def _compare(part: MetadataFilter, columns: Columns) -> ColumnElement[bool]:
    sample = part.value[0] if isinstance(part.value, list) and part.value else part.value
    field: Any = columns.number(part.key) if isinstance(sample, int | float) else columns.text(part.key)
    if part.operator not in _OPERATORS:
        raise BadRequest(f"the catalog cannot filter by {part.operator.value}", where=part.key)
    result: ColumnElement[bool] = _OPERATORS[part.operator](field, part.value)
    return result
