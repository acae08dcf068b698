"""Single writes: relate, unrelate, retract. All three are a batch of one for `portions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import (
    EntityConflict,
    InvalidValue,
    SelfReference,
    UnknownEntity,
    UnknownRelation,
)
from mazarbul_analytics.ledger import entities
from mazarbul_analytics.ledger.entities import Entity
from mazarbul_analytics.rules import answers, attributes, instants, names
from mazarbul_analytics.rules.instants import Open
from mazarbul_analytics.writing import painting
from mazarbul_analytics.writing.session import Session, refuse_when_disabled, transact

__all__ = ["Related", "Removed", "relate", "retract", "unrelate"]

Instant = str | date | datetime | None


@dataclass(frozen=True)
class Related:
    """What `relate` did: `status` is created, corrected or duplicate; the relation and its ends."""

    status: str
    relation_uid: str
    subject: Entity
    predicate: str
    object: Entity
    scope: str
    relation_text: str

    def to_json(self, *, compact: bool = True) -> str:
        """Return the answer as JSON: compact with short ids, or verbose and indented."""
        return answers.relate_compact(self) if compact else answers.relate_verbose(self)


@dataclass(frozen=True)
class Removed:
    """What `unrelate` or `retract` did: `status` is removed or unchanged."""

    status: str
    relation_uid: str

    def to_json(self, *, compact: bool = True) -> str:
        """Return the answer as compact JSON, or indented with the whole uid."""
        return answers.removed(self, compact=compact)


@dataclass(frozen=True)
class _Call:
    """One call with every value in its normal form."""

    kind: str
    scope: str
    predicate: str
    valid_from: datetime | None
    valid_to: datetime | None
    always: bool = False
    attributes: str | None = None
    event: str | None = None
    exclusive: bool = False


def relate(
    root: Path,
    subject: str,
    predicate: str,
    object: str,  # noqa: A002 - the field's standard term
    *,
    subject_type: str | None = None,
    object_type: str | None = None,
    attributes: Mapping[str, object] | str | None = None,
    valid_from: Instant = None,
    valid_to: Instant = None,
    scope: str = "project",
    source_event_uid: str | None = None,
    exclusive: bool = False,
) -> Related:
    """Tell a relation over a valid period; the caller documents it (`Store.relate`)."""
    refuse_when_disabled()
    ends = (names.parse_reference(subject), names.parse_reference(object))
    call = _call(
        "relate", predicate, valid_from, valid_to, scope, attributes, source_event_uid, exclusive
    )
    given = tuple(None if t is None else names.entity_type(t) for t in (subject_type, object_type))
    keys = [None if e.name is None else names.name_key(e.name) for e in ends]
    if ends[0].uid == ends[1].uid and keys[0] == keys[1]:
        raise _self_reference(subject)

    def decide(session: Session) -> Related:
        found = [entities.resolve_or_none(session.connection, t) for t in (subject, object)]
        if found[0] is not None and found[1] is not None and found[0].uid == found[1].uid:
            raise _self_reference(subject)
        implied = names.implied_types(call.predicate)
        whole: list[Entity] = []
        new: list[tuple[str, str, str, str]] = []
        for entity, end, key, told, meant in zip(found, ends, keys, given, implied, strict=True):
            if entity is None and end.name is not None and key is not None:
                made = Entity(names.entity_uid(key), end.name, told or meant or names.DEFAULT_TYPE)
                _refuse_taken(session, made)
                new.append((made.uid, made.name, key, made.type))
                whole.append(made)
            elif entity is not None:
                whole.append(entity)
        status, uid = _paint(session, call, whole[0].uid, whole[1].uid)
        if status != "duplicate":
            _append_entities(session, new)
            session.append("relations", statement("writes/relations_out.sql"))
        return Related(status, uid, whole[0], call.predicate, whole[1], call.scope, call.predicate)

    return transact(root, decide)


def unrelate(
    root: Path,
    subject: str,
    predicate: str,
    object: str,  # noqa: A002 - the field's standard term
    *,
    valid_from: Instant = None,
    valid_to: Instant = None,
    scope: str = "project",
) -> Removed:
    """Take a portion of a relation away; the caller documents it (`Store.unrelate`)."""
    refuse_when_disabled()
    call = _call("unrelate", predicate, valid_from, valid_to, scope)

    def decide(session: Session) -> Removed:
        ends = [entities.resolve(session.connection, t) for t in (subject, object)]
        uid = names.relation_uid(call.scope, ends[0].uid, call.predicate, ends[1].uid)
        _require_known(session, uid, f"{ends[0].name} {call.predicate} {ends[1].name}")
        return _take(session, call, ends[0].uid, ends[1].uid)

    return transact(root, decide)


def retract(root: Path, relation_uid: str) -> Removed:
    """Take all of a relation away, as recorded in error; see `Store.retract`."""
    refuse_when_disabled()
    uid = names.parse_uid(relation_uid)
    if uid is None:
        raise InvalidValue(
            f"not a relation uid: {relation_uid!r}\n"
            "`mazarbul history ENTITY --format json` shows the uids in full.",
            value=relation_uid,
            reason="bad_uid",
        )

    def decide(session: Session) -> Removed:
        key = _require_known(session, uid, uid)
        scope, subject_uid, predicate, object_uid = key
        call = _Call("retract", scope, predicate, None, None, always=True)
        return _take(session, call, subject_uid, object_uid)

    return transact(root, decide)


def _call(
    kind: str,
    predicate: str,
    valid_from: Instant,
    valid_to: Instant,
    scope: str,
    given: Mapping[str, object] | str | None = None,
    event: str | None = None,
    exclusive: bool = False,
) -> _Call:
    start = None if valid_from is None else instants.parse_bound(valid_from)
    end = None if valid_to is None else instants.parse_bound(valid_to)
    if start is Open.POSITIVE or end is Open.NEGATIVE:
        raise _empty_period(valid_from, valid_to)
    first = start if isinstance(start, datetime) else None
    last = end if isinstance(end, datetime) else None
    if first is not None and last is not None and first >= last:
        raise _empty_period(valid_from, valid_to)
    return _Call(
        kind,
        names.scope(scope),
        names.predicate(predicate),
        first,
        last,
        always=start is Open.NEGATIVE,
        attributes=None if given is None else attributes.canonical(given),
        event=names.source_event(event),
        exclusive=exclusive,
    )


def _paint(session: Session, call: _Call, subject_uid: str, object_uid: str) -> tuple[str, str]:
    """Let the sequenced write decide; return the status and the relation's uid."""
    start = call.valid_from or (None if call.always else session.instant)
    if start is not None and call.valid_to is not None and start >= call.valid_to:
        raise _empty_period("now", call.valid_to)
    connection = session.connection
    connection.execute(
        "create or replace temp table batch_files as "
        "select cast(0 as integer) as file_no, cast(null as varchar) as import_uid"
    )
    connection.run(
        "writes/single_op.sql",
        kind=call.kind,
        exclusive=call.exclusive,
        scope=call.scope,
        subject_uid=subject_uid,
        predicate=call.predicate,
        object_uid=object_uid,
        valid_from=start,
        valid_to=call.valid_to,
        attributes=call.attributes,
        event=call.event,
        rec=session.instant,
    )
    connection.run("writes/held.sql")
    painting.paint(connection, base=session.snapshot.tables["relations"].highest("version") or 0)
    status = connection.scalar("select status from outcomes")
    return status, names.relation_uid(call.scope, subject_uid, call.predicate, object_uid)


def _take(session: Session, call: _Call, subject_uid: str, object_uid: str) -> Removed:
    status, uid = _paint(session, call, subject_uid, object_uid)
    if status == "removed":
        session.append("relations", statement("writes/relations_out.sql"))
    return Removed(status, uid)


def _append_entities(session: Session, new: list[tuple[str, str, str, str]]) -> None:
    if not new:
        return
    session.connection.execute(
        "create or replace temp table new_entities "
        "(entity_uid varchar, name varchar, name_key varchar, type varchar)"
    )
    for row in new:
        session.connection.execute("insert into new_entities values (?, ?, ?, ?)", row)
    session.connection.execute(
        "create or replace temp table new_entity_rows as "
        "select *, cast($instant as timestamptz) as recorded_at, "
        "cast(null as varchar) as import_uid from new_entities",
        {"instant": session.instant},
    )
    session.append("entities", "select * from new_entity_rows")


def _require_known(session: Session, uid: str, shown: str) -> tuple[str, str, str, str]:
    rows = session.connection.named("reads/relation_key.sql", {"relation_uid": uid}).to_pylist()
    if not rows:
        raise UnknownRelation(
            f"no such relation was ever recorded: {shown}\nSee `mazarbul history ENTITY`.",
            value=uid,
        )
    row = rows[0]
    return row["scope"], row["subject_uid"], row["predicate"], row["object_uid"]


def _refuse_taken(session: Session, made: Entity) -> None:
    """Refuse a name whose own uid was given to an entity of another name."""
    try:
        taken = entities.resolve_or_none(session.connection, made.uid)
    except UnknownEntity:
        return
    if taken is not None:
        raise EntityConflict(
            f"{made.name!r} would get the uid {made.uid}, which is given to {taken.name!r}\n"
            "Bring it in with a uid of its own: `mazarbul import entities`.",
            value=made.name,
        )


def _self_reference(text: str) -> SelfReference:
    return SelfReference(
        f"subject and object are one entity: {text!r}\nA relation connects two entities.",
        value=text,
    )


def _empty_period(start: object, end: object) -> InvalidValue:
    return InvalidValue(
        f"the valid period [{start}, {end}) is empty or reversed\n"
        "valid_from is included, valid_to is excluded: give a later valid_to.",
        value=str(end),
        reason="empty_period",
    )
