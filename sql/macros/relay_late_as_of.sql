-- relay_late_as_of(as_of): the records held at a transaction-time instant that arrived after another
-- record had named them. Columns: relay_id, first_named_at, deposited_at, delay_seconds (whole).
create or replace macro relay_late_as_of(as_of) as table
with late_unmet as (select * from relay_unmet_as_of(as_of))
select * from relay_late_among('late_unmet');
