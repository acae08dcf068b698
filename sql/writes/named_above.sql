-- The ids above $highest, by string order, that a held record names: gaps that no other id may fill.
select distinct named_id from relay_references where named_id > $highest
