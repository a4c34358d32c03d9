"""LlamaIndex metadata filters as conditions on the chunk table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from sqlalchemy import ColumnElement, and_, not_, or_

from ..errors import BadRequest

if TYPE_CHECKING:
    from .database import Columns


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
    value: Any = part.value
    field: Any = columns.number(part.key) if isinstance(sample, int | float) else columns.text(part.key)
    match part.operator:
        case FilterOperator.EQ:
            result = field == value
        case FilterOperator.NE:
            result = field != value
        case FilterOperator.GT:
            result = field > value
        case FilterOperator.GTE:
            result = field >= value
        case FilterOperator.LT:
            result = field < value
        case FilterOperator.LTE:
            result = field <= value
        case FilterOperator.IN:
            result = field.in_(value)
        case FilterOperator.NIN:
            result = field.not_in(value)
        case _:
            raise BadRequest(f"the catalog cannot filter by {part.operator.value}", where=part.key)
    condition_: ColumnElement[bool] = result
    return condition_
