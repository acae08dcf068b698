-- Groups of a staged batch that need the sequenced write: several rows, a removal, or something in
-- the store. A plain relate of a key that is new and alone is its own answer (the fast path).
-- Groups are told apart by a hash: a collision only sends a row the longer way.
create or replace temp table contested as
select gh from staged group by gh having count(*) > 1
union
select gh from staged where kind <> 'relate';
