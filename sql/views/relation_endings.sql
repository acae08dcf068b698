-- Grain: one row per version that an unsealed row supersedes.
-- Columns: version; superseded_at = the smallest recorded_at of the rows that name it (a split names
-- it twice). Time: transaction time, UTC. Sealed files carry their own superseded_at.
create or replace view relation_endings as
select named.version, min(named.recorded_at) as superseded_at
from (select unnest(supersedes) as version, recorded_at from relations_unsealed) as named
group by named.version;
