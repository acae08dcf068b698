-- What a listing shows of `found`: the wanted scopes and predicates (null = every one), in the order
-- of listings, at most $limit rows (null = all); total counts the rows before the cut.
select *, count(*) over () as total
from found
where ($scopes is null or list_contains($scopes, scope))
    and ($predicates is null or list_contains($predicates, predicate))
order by valid_from desc nulls last, recorded_at desc, relation_uid, version
limit coalesce($limit, 9223372036854775807)
