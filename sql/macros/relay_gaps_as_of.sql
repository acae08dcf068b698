-- relay_gaps_as_of(as_of): every id known to be missing at a transaction-time instant, one row each: a
-- record held by then names it, and its own bytes are not held. Null as_of = all that is recorded.
-- Columns: those of relay_gaps_among.
create or replace macro relay_gaps_as_of(as_of) as table
with gap_unmet as (select * from relay_unmet_as_of(as_of)),
gap_missing as (select * from relay_missing_among('gap_unmet')),
gap_present as (select * from relay_present_as_of(as_of))
select * from relay_gaps_among('gap_missing', 'gap_present', as_of);
