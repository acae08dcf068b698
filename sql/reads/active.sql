-- How many relations were live at each instant of a grid, by instant, then predicate.
select * from relation_activity(
    $start, $stop, $step, as_of := $as_of, predicates := $predicates, scopes := $scopes
)
order by "at", predicate
