-- relation_activity(start, stop, step): how many relations were live at each instant of a grid, by
-- predicate. Grain: one row per instant and predicate, zeros too; a predicate that is live at no
-- instant of the grid has no rows. Columns: at, predicate, live.
-- Time: the instants are those of calendar(start, stop, step), both ends in; step is an INTERVAL.
-- as_of null = all that is recorded. predicates and scopes null = every one.
create or replace macro relation_activity(
    start, stop, step, as_of := null, predicates := null, scopes := null
) as table
with activity_grid as materialized (select "at" from calendar(start, stop, step))
select *
from relation_activity_among('activity_grid', start, stop, as_of, predicates, scopes);
