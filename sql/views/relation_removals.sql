-- Grain: one row per version that a removal took away.
-- Columns: version, removal (unrelate, retract, exclusive), removed_at (transaction time).
create or replace view relation_removals as
select unnest(supersedes) as version, removal, recorded_at as removed_at
from (
    select supersedes, removal, recorded_at from relations_sealed where removal is not null
    union all
    select supersedes, removal, recorded_at from relations_unsealed where removal is not null
) as removals;
