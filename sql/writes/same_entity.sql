-- Rows whose ends are one entity once names and uids are resolved.
insert into found_rejects
select ord, 1, 'object', 'self_reference', coalesce(object, cast(ou as varchar))
from stage where su = ou
