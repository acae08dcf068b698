-- longer_route(route, uid, step): a route of a walk, one step longer; routes sort by path, then steps.
create or replace macro longer_route(route, uid, step) as (
    {'path': list_append(route.path, uid), 'steps': list_append(route.steps, step)}
);
