-- The relays of the self-contained copy, with their bytes (record). See extract.sql.
create table extract.relays as select * from relays order by relay_id;
